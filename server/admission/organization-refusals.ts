import { trustsSource } from '#platform/source.ts';
import type { Standing } from '#platform/standing.ts';
import type { OrganizationRefusal } from './decision.ts';

/** How a person enters an organization. `ip` is undefined if an application sends the request in their place. */
type Arrival = { ip: string | null | undefined; signInMethods: readonly string[] };

/** The first reason why a person may not enter an organization; null if they may. */
export function organizationRefusal(standing: Standing | undefined, arrival: Arrival): OrganizationRefusal | null {
  if (!standing) return 'no_organization';
  if (standing.status === 'blocked') return 'organization_blocked';
  const { addresses, signInMethods } = standing.policy;
  if (addresses && arrival.ip !== undefined && !trustsSource(addresses)(arrival.ip ?? undefined))
    return 'organization_address';
  const hasMethod = signInMethods?.some((method) => arrival.signInMethods.includes(method)) ?? true;
  return hasMethod ? null : 'organization_method';
}
