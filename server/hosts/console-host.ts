import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import {
  statusHistoryRoutes,
  statusPageRoutes,
  statusRoutes,
  statusSubscribeRoutes,
  statusSubscriptionRoutes,
} from '#status';
import { devAppRoutes } from './dev-app.page.ts';
import { devInboxRoutes } from './dev-inbox.page.ts';
import { devProviderRoutes } from './dev-provider.page.ts';
import { problemPageRoutes } from './problems.page.ts';
import { startPageRoutes } from './start.page.ts';

/** What the operator opens: the start page and, in development, the dev inbox and the dev provider. */
export async function createConsoleHost(system: System): Promise<App> {
  const app = await createHost(system, { kind: 'console', environment: null });
  startPageRoutes(app);
  if (system.config.mode === 'development') {
    devInboxRoutes(app);
    devProviderRoutes(app);
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
