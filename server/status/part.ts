import type { Part } from '#platform/part.ts';
import { sealedIn } from '#platform/sealed.ts';
import { messageArrivalTask } from './arrivals.task.ts';
import { statusCalendarRoutes } from './calendar.page.ts';
import { statusChannelRoutes } from './channels.page.ts';
import { statusComponentRoutes } from './components.admin.ts';
import { statusDescriptionRoutes } from './description.public.ts';
import { events } from './events.ts';
import { removeSilentWorkers } from './heartbeat.ts';
import { heartbeatRoutes, historyRoutes } from './history.public.ts';
import { statusIncidentRoutes } from './incidents.admin.ts';
import { statusMaintenanceRoutes } from './maintenances.admin.ts';
import { statusEnterAtDomainRoutes, statusEnterRoutes, statusHandoverRoutes } from './members.page.ts';
import { statusNoticeTask } from './notices.task.ts';
import { atDomains, ofProjects } from './of-projects.public.ts';
import { statusOwnPageRoutes } from './pages.admin.ts';
import { pageRemovals } from './removals.ts';
import { statusShortLinkRoutes } from './short-links.page.ts';
import { statusPageRoutes } from './status.page.ts';
import { statusSubscribeRoutes } from './subscribe.public.ts';
import { statusSubscriberRoutes } from './subscribers.admin.ts';
import { removeSubscriptionsOf } from './subscribers.ts';
import { statusLinkRoutes, statusManageRoutes } from './subscriptions.page.ts';
import { StatusQuery, summaryRoutes } from './summary.public.ts';
import { statusTemplateRoutes } from './templates.admin.ts';

const ofOneEnvironment = [...summaryRoutes, ...statusSubscribeRoutes];
const ofOnePage = [
  // This host has no environment: the query names it.
  ...ofOneEnvironment.map((route) => ({ ...route, query: StatusQuery })),
  ...historyRoutes,
  ...statusPageRoutes,
  ...statusCalendarRoutes,
  ...statusChannelRoutes,
  ...statusManageRoutes,
];

export const part = {
  events,
  routes: {
    admin: [
      ...statusOwnPageRoutes,
      ...statusComponentRoutes,
      ...statusIncidentRoutes,
      ...statusMaintenanceRoutes,
      ...statusTemplateRoutes,
      ...statusSubscriberRoutes,
    ],
    auth: statusHandoverRoutes,
    public: [...ofOneEnvironment, ...historyRoutes, ...heartbeatRoutes],
    status: [
      ...ofOnePage,
      ...ofProjects(ofOnePage),
      ...statusEnterRoutes,
      ...statusLinkRoutes,
      ...statusShortLinkRoutes,
      ...heartbeatRoutes,
      ...statusDescriptionRoutes,
    ],
    statusDomain: [...atDomains(ofOnePage), ...statusEnterAtDomainRoutes, ...statusLinkRoutes],
  },
  permissions: {
    'status:read': 'See status components, incidents and subscribers',
    'status:write': 'Change status components, incidents and maintenances',
  },
  sealed: {
    'status-webhook': sealedIn('status_subscribers', 'secret_sealed'),
    'status-step': 'browsers',
    'status-visitor': 'browsers',
  },
  removals: pageRemovals,
  erasure: { requested: () => Promise.resolve(), erased: removeSubscriptionsOf },
  cleanUps: { removeSilentWorkers },
  tasks: { status_notice: statusNoticeTask, message_arrival: messageArrivalTask },
} satisfies Part;
