import { addOperatorAuthentication } from '#operators';
import { type App, createHost } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import type { System } from '#platform/system.ts';
import { addCors } from '#requests';
import { served } from './routes.ts';
import { toStatusDomains } from './status-domains.ts';

/** The console and its API, the start page and, in development, the dev inbox and the dev provider. */
export async function createConsoleHost(system: System, domains: App): Promise<App> {
  const host = { kind: 'console', environment: null } as const;
  const app = await createHost(system, host, undefined, toStatusDomains(system, domains));
  const development = system.config.mode === 'development';
  addCors(app);
  // A process that only serves the status has neither the console's API nor its pages.
  const hasConsole = system.config.roles.includes('console');
  if (hasConsole) addOperatorAuthentication(app);
  mount(app, [
    ...served.start,
    ...(hasConsole ? served.console : []),
    ...(hasConsole && development ? served.consoleDevelopment : []),
    ...(development ? served.development : []),
    ...served.status,
  ]);
  return app;
}
