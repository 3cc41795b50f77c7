import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeActivePeople } from './figures.ts';
import { insightRoutes } from './insight.admin.ts';
import { inboxRoutes, overviewRoutes } from './overview.console.ts';

export const part = {
  routes: {
    admin: insightRoutes,
    console: overviewRoutes,
    consoleDevelopment: inboxRoutes,
  },
  removals: [rowsOfProject('daily_figures'), rowsOfProject('active_people'), rowsOfProject('figures_by_key')],
  cleanUps: { removeActivePeople },
} satisfies Part;
