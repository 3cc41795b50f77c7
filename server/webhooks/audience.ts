import { isSelected } from '#events';
import type { OrganizationId } from '#platform/ids.ts';

/** Which events an endpoint gets. */
export type Audience = { events: readonly string[]; organizationId: OrganizationId | null };
type Told = { type: string; data: Record<string, unknown> };

export function isMeantFor({ events, organizationId }: Audience, event: Told): boolean {
  return isSelected(events, event.type) && isAbout(organizationId, event);
}

/** Whether an event is about an organization; without one, every event counts. */
export function isAbout(organizationId: OrganizationId | null, { data }: Pick<Told, 'data'>): boolean {
  return organizationId === null || data['organizationId'] === organizationId;
}
