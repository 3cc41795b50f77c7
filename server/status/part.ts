import type { Part } from '#platform/part.ts';
import { sealedIn } from '#platform/sealed.ts';
import { statusCalendarRoutes } from './calendar.page.ts';
import { statusChannelRoutes } from './channels.page.ts';
import { statusComponentRoutes } from './components.admin.ts';
import { events } from './events.ts';
import { removeSilentWorkers } from './heartbeat.ts';
import { historyRoutes } from './history.public.ts';
import { statusIncidentRoutes } from './incidents.admin.ts';
import { statusMaintenanceRoutes } from './maintenances.admin.ts';
import { statusNoticeTask } from './notices.task.ts';
import { statusPageRoutes } from './status.page.ts';
import { statusSubscribeRoutes } from './subscribe.public.ts';
import { statusSubscriberRoutes } from './subscribers.admin.ts';
import { statusSubscriptionRoutes } from './subscriptions.page.ts';
import { StatusQuery, summaryRoutes } from './summary.public.ts';
import { statusTemplateRoutes } from './templates.admin.ts';

const ofOneEnvironment = [...summaryRoutes, ...statusSubscribeRoutes];

export const part = {
  events,
  routes: {
    admin: [
      ...statusComponentRoutes,
      ...statusIncidentRoutes,
      ...statusMaintenanceRoutes,
      ...statusTemplateRoutes,
      ...statusSubscriberRoutes,
    ],
    public: [...ofOneEnvironment, ...historyRoutes],
    // This host has no environment: the query names it.
    status: [
      ...ofOneEnvironment.map((route) => ({ ...route, query: StatusQuery })),
      ...historyRoutes,
      ...statusPageRoutes,
      ...statusCalendarRoutes,
      ...statusChannelRoutes,
      ...statusSubscriptionRoutes,
    ],
  },
  permissions: {
    'status:read': 'See status components, incidents and subscribers',
    'status:write': 'Change status components, incidents and maintenances',
  },
  sealed: { 'status-webhook': sealedIn('status_subscribers', 'secret_sealed') },
  cleanUps: { removeSilentWorkers },
  tasks: { status_notice: statusNoticeTask },
} satisfies Part;
