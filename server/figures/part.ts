import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeActivePeople } from './figures.ts';
import { inboxRoutes, overviewRoutes } from './overview.console.ts';

export const part = {
  routes: {
    console: overviewRoutes,
    consoleDevelopment: inboxRoutes,
  },
  removals: [rowsOfProject('daily_figures'), rowsOfProject('active_people')],
  cleanUps: { removeActivePeople },
} satisfies Part;
