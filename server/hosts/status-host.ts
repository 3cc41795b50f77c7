import { type App, createHost } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import { get } from '#platform/route.ts';
import type { System } from '#platform/system.ts';
import { addCors } from '#requests';
import { served } from './routes.ts';
import { toStatusDomains } from './status-domains.ts';

const start = get('/', { permission: 'public', handler: (_request, reply) => reply.redirect('/status', 302) });

/** The public status alone, for a process that runs apart from the rest. */
export async function createStatusHost(system: System, domains: App): Promise<App> {
  const host = { kind: 'console', environment: null } as const;
  const app = await createHost(system, host, undefined, toStatusDomains(system, domains));
  addCors(app);
  mount(app, [...served.status, start]);
  return app;
}
