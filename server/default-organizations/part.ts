import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { defaultOrganizationRoutes } from './default-organizations.me.ts';
import { events } from './events.ts';

export const part = {
  events,
  routes: { me: defaultOrganizationRoutes },
  removals: [rowsOfProject('default_organizations')],
} satisfies Part;
