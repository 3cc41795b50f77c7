import Fastify, { type FastifyInstance } from 'fastify';
import { readinessOf } from '#platform/readiness.ts';
import type { System } from '#platform/system.ts';

/** Health and metrics, for the machine that runs Latchkey; never on a public address. */
export function createInternalHost(system: System, isServing: () => boolean): FastifyInstance {
  const app = Fastify({ logger: false, forceCloseConnections: true });

  /** The process is alive. */
  app.get('/healthz', () => ({ status: 'ok' }));

  /** The process can do the work of its roles. */
  app.get('/readyz', async (_request, reply) => {
    const checks = { ...(await readinessOf(system)), running: isServing() };
    const ready = Object.values(checks).every(Boolean);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });

  app.get('/metrics', async (_request, reply) =>
    reply.type(system.metrics.contentType).send(await system.metrics.metrics()),
  );
  return app;
}
