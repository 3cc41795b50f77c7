import { setTimeout } from 'node:timers/promises';
import { type Environment, environments } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { createApiHost } from './api-host.ts';
import { createAuthHost } from './auth-host.ts';
import { createConsoleHost } from './console-host.ts';
import { createInternalHost } from './internal-host.ts';
import { createStatusDomains } from './status-domains.ts';
import { createStatusHost } from './status-host.ts';
import { createPlainFront, createTlsFront } from './tls.ts';

/** A server that listens on a port. */
type Host = Pick<App, 'listen' | 'close' | 'server'>;

/** The listeners of a process. */
export class Hosts {
  readonly #system: System;
  readonly #open: Host[] = [];
  readonly #internal: Host;
  #serving = false;

  constructor(system: System) {
    this.#system = system;
    this.#internal = createInternalHost(system, () => this.#serving);
  }

  /** Opens the hosts of the chosen roles. */
  async open(): Promise<void> {
    const { host, internalHost, ports } = this.#system.config;
    await this.#internal.listen({ host: internalHost, port: ports.internal });
    await Promise.all(
      (await planned(this.#system)).map(async ([app, port]) => {
        this.#open.push(app);
        await app.listen({ host, port });
      }),
    );
    this.#serving = true;
  }

  /**
   * Reports that the process is no longer ready, and keeps serving until load balancers notice. Every response closes
   * its connection, so that clients open the next one to another process.
   */
  async drain(): Promise<void> {
    this.#serving = false;
    for (const { server } of this.#open)
      server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
    await setTimeout(this.#system.config.drainMs);
  }

  /** Requests in flight finish. */
  async stop(): Promise<void> {
    this.#serving = false;
    await Promise.all(this.#open.map(closeHost));
    await this.#internal.close();
  }
}

async function planned(system: System): Promise<[app: Host, port: number][]> {
  const { roles, ports, acme } = system.config;
  const hosts: [app: Host, port: number][] = [];
  const served = new Map<`${Environment}/${'auth' | 'api' | 'status'}`, App>();
  for (const environment of environments) {
    for (const kind of ['auth', 'api'] as const) {
      if (!roles.includes(kind)) continue;
      // biome-ignore lint/performance/noAwaitInLoops: at most four
      const app = await (kind === 'auth' ? createAuthHost : createApiHost)(system, environment);
      served.set(`${environment}/${kind}`, app);
      hosts.push([app, ports[environment][kind]]);
    }
  }
  if (roles.includes('console') || roles.includes('status')) {
    const { app, domains } = await openConsole(system);
    for (const environment of environments) served.set(`${environment}/status`, domains);
    hosts.push([app, ports.console]);
  }
  if (acme && served.size > 0)
    hosts.push([createTlsFront(system, served), acme.httpsPort], [createPlainFront(system), acme.httpPort]);
  return hosts;
}

/** The console host, or that of the status alone, with the domains of status pages. */
async function openConsole(system: System): Promise<{ app: App; domains: App }> {
  const domains = await createStatusDomains(system);
  const create = system.config.roles.includes('console') ? createConsoleHost : createStatusHost;
  const app = await create(system, domains);
  app.addHook('onClose', () => domains.close());
  return { app, domains };
}

/**
 * Closes a host: requests in flight finish. Also closes connections whose last response was sent meanwhile, which would
 * otherwise be kept alive.
 */
async function closeHost(app: Host): Promise<void> {
  const sweeping = setInterval(() => app.server.closeIdleConnections(), 25);
  await app.close();
  clearInterval(sweeping);
}
