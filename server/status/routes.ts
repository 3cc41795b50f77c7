import { statusComponentRoutes } from './components.admin.ts';
import { historyRoutes } from './history.public.ts';
import { statusIncidentRoutes } from './incidents.admin.ts';
import { statusMaintenanceRoutes } from './maintenances.admin.ts';
import { statusPageRoutes } from './status.page.ts';
import { statusSubscribeRoutes } from './subscribe.public.ts';
import { statusSubscriberRoutes } from './subscribers.admin.ts';
import { statusSubscriptionRoutes } from './subscriptions.page.ts';
import { StatusQuery, summaryRoutes } from './summary.public.ts';

const ofOneEnvironment = [...summaryRoutes, ...statusSubscribeRoutes];

/** The routes of this part, by surface. */
export const routes = {
  admin: [...statusComponentRoutes, ...statusIncidentRoutes, ...statusMaintenanceRoutes, ...statusSubscriberRoutes],
  public: [...ofOneEnvironment, ...historyRoutes],
  /** For a host without an environment: the query names it. */
  everyEnvironment: [
    ...ofOneEnvironment.map((route) => ({ ...route, query: StatusQuery })),
    ...historyRoutes,
    ...statusPageRoutes,
    ...statusSubscriptionRoutes,
  ],
};
