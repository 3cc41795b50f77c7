import Fastify, { type FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { System } from '#platform/system.ts';

const READY_TIMEOUT_MS = 2_000;

/** Health and metrics, for the machine that runs Latchkey; never on a public address. */
export function createInternalHost(system: System, isStopping: () => boolean): FastifyInstance {
  const app = Fastify({ logger: false, forceCloseConnections: true });

  /** The process is alive. */
  app.get('/healthz', () => ({ status: 'ok' }));

  /** The process can serve: its database responds, it receives changes, and it is not stopping. */
  app.get('/readyz', async (_request, reply) => {
    const checks = { database: await isDatabaseReachable(system), feed: system.feed.live, running: !isStopping() };
    const ready = Object.values(checks).every(Boolean);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });

  app.get('/metrics', async (_request, reply) =>
    reply.type(system.metrics.contentType).send(await system.metrics.metrics()),
  );
  return app;
}

async function isDatabaseReachable(system: System): Promise<boolean> {
  const timeout = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), READY_TIMEOUT_MS).unref();
  });
  const response = sql`select 1`.execute(system.db).then(
    () => true,
    () => false,
  );
  return Promise.race([response, timeout]);
}
