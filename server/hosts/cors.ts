import cors from '@fastify/cors';
import { isApplicationOrigin } from '#applications';
import type { Environment } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';

/** Headers of the interface that a browser hides from a page unless told otherwise. */
const EXPOSED = ['etag', 'retry-after', 'x-correlation-id', 'www-authenticate', 'location'];
const ALLOWED = ['authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key', 'x-correlation-id'];

/**
 * Lets pages of the environment's applications call a host, cookies included. Which project a page may act in is decided by
 * its token or body, and for cookies by the origins of that project alone.
 */
export async function addCors(app: App, environment: Environment): Promise<void> {
  await app.register(cors, {
    delegator: (request, done) => {
      const { origin } = request.headers;
      if (origin === undefined) return done(null, { origin: false });
      isApplicationOrigin(app.system, environment, origin).then(
        (known) =>
          done(null, {
            origin: known && origin,
            credentials: true,
            methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
            allowedHeaders: ALLOWED,
            exposedHeaders: EXPOSED,
            maxAge: 600,
            strictPreflight: false,
          }),
        done,
      );
    },
  });
}
