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
import { problemPageRoutes } from './problems.page.ts';

/** The status alone, for a process that runs apart from the rest. */
export async function createStatusHost(system: System): Promise<App> {
  const app = await createHost(system, { kind: 'console', environment: null });
  addCors(app);
  statusRoutes(app);
  statusSubscribeRoutes(app);
  statusSubscriptionRoutes(app);
  statusPageRoutes(app);
  statusHistoryRoutes(app);
  app.get('/', { config: { permission: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/status', 302),
  );
  problemPageRoutes(app);
  return app;
}
