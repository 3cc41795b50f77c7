import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { boundHost, challengeResponse, secureContextFor } from '#domains';
import type { Environment } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';
import type { System } from '#platform/system.ts';

/** The hosts of this process, by environment and purpose. */
export type Served = ReadonlyMap<`${Environment}/${'auth' | 'api' | 'status'}`, App>;

/** The API's paths, on an address that serves both hosts. */
const API_PATHS = /^\/v1\/(me|admin)(\/|\?|$)/;
/** A year, as browsers' preload lists require (RFC 6797; ASVS 3.4.1). */
const HSTS = 'max-age=31536000';

/**
 * Terminates TLS for the projects' own hosts, each with its certificate (SNI, RFC 6066 §3), and passes requests to the
 * host they are bound to. A name without a certificate gets no connection.
 */
export function createTlsFront(system: System, served: Served): FastifyInstance {
  const front = Fastify({
    https: {
      SNICallback: (name, done) => {
        secureContextFor(system, name.toLowerCase()).then((context) => done(null, context), done);
      },
      minVersion: 'TLSv1.2',
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 30_000,
  });
  front.addHook('onRequest', (request, reply, done) => {
    targetOf(system, served, request.raw).then((target) => {
      if (!target) {
        reply.code(421).send();
        return;
      }
      reply.raw.setHeader('strict-transport-security', HSTS);
      reply.hijack();
      target.routing(request.raw, reply.raw);
    }, done);
  });
  return front;
}

/** Responds to the challenges of a certificate authority, and redirects all other requests to https. */
export function createPlainFront(system: System): FastifyInstance {
  const front = Fastify({ forceCloseConnections: 'idle', return503OnClosing: false, requestTimeout: 30_000 });
  front.get('/.well-known/acme-challenge/:token', async (request, reply) => {
    const { token } = Object(request.params);
    const response = await challengeResponse(system, String(token));
    return response === undefined ? reply.code(404).send() : reply.type('text/plain').send(response);
  });
  front.setNotFoundHandler(async (request, reply) => {
    const name = hostNameOf(request.raw);
    const bound = await boundHost(system, name);
    // Redirects only to a bound host, never to an arbitrary Host header.
    return bound ? reply.redirect(`https://${name}${request.url}`, 308) : reply.code(421).send();
  });
  return front;
}

function hostNameOf({ headers }: IncomingMessage): string {
  return (headers.host ?? '').toLowerCase().replace(/\.?(:\d+)?$/, '');
}

async function targetOf(system: System, served: Served, request: IncomingMessage): Promise<App | undefined> {
  const bound = await boundHost(system, hostNameOf(request));
  if (!bound) return undefined;
  const { scope, purposes } = bound;
  const [only] = purposes;
  const wanted = purposes.length === 1 ? only : API_PATHS.test(request.url ?? '') ? 'api' : 'auth';
  return wanted && served.get(`${scope.environment}/${wanted}`);
}
