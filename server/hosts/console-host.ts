import { atConsole, consoleApplicationRoutes, consoleDescriptionRoutes, logRoutes, previewRoutes } from '#console-api';
import { devAppRoutes, devInboxRoutes, devProviderRoutes, devReceiverRoutes, startPageRoutes } from '#dev';
import { inboxRoutes, overviewRoutes } from '#figures';
import { deletionRoutes, projectRoutes, workspaceRoutes } from '#lifecycle';
import {
  addOperatorAuthentication,
  operatorSessionRoutes,
  setUpRoutes,
  teamInvitationRoutes,
  teamRoutes,
} from '#operators';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { addCors } from '#requests';
import {
  statusHistoryRoutes,
  statusPageRoutes,
  statusRoutes,
  statusSubscribeRoutes,
  statusSubscriptionRoutes,
} from '#status';
import { adminRoutes } from './admin-routes.ts';
import { problemPageRoutes } from './problems.page.ts';

/** What the operator opens: the console and its API, the start page and, in development, the dev inbox and the dev provider. */
export async function createConsoleHost(system: System): Promise<App> {
  const app = await createHost(system, { kind: 'console', environment: null });
  addCors(app);
  startPageRoutes(app);
  if (system.config.roles.includes('console')) consoleRoutes(app);
  if (system.config.mode === 'development') {
    devInboxRoutes(app);
    devProviderRoutes(app);
    devReceiverRoutes(app);
    devAppRoutes(app);
  }
  statusRoutes(app);
  statusSubscribeRoutes(app);
  statusSubscriptionRoutes(app);
  statusPageRoutes(app);
  statusHistoryRoutes(app);
  problemPageRoutes(app);
  return app;
}

/** The console's API and pages; a process that only shows the status has neither. */
function consoleRoutes(app: App): void {
  addOperatorAuthentication(app);
  operatorSessionRoutes(app);
  workspaceRoutes(app);
  projectRoutes(app);
  deletionRoutes(app);
  teamRoutes(app);
  teamInvitationRoutes(app);
  overviewRoutes(app);
  logRoutes(app);
  previewRoutes(app);
  if (app.system.config.mode === 'development') inboxRoutes(app);
  adminRoutes(atConsole(app));
  consoleDescriptionRoutes(app);
  setUpRoutes(app);
  consoleApplicationRoutes(app);
}
