import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { hash } from '@node-rs/argon2';
import Fastify from 'fastify';
import Provider from 'oidc-provider';
import pg from 'pg';

/**
 * The baselines, each a separate program: `node bench/baselines.ts NAME`. They print `listening PORT` or the rate they
 * reached, and run on the same core as Latchkey.
 */
const [name = ''] = process.argv.slice(2);
const atStart = process.cpuUsage();

const baselines: Record<string, () => Promise<void>> = { hello, oidc, code, argon2, transaction };

/** The smallest useful Fastify server: one JSON object with a schema. */
async function hello(): Promise<void> {
  const app = Fastify();
  app.get(
    '/',
    { schema: { response: { 200: { type: 'object', properties: { hello: { type: 'string' } } } } } },
    () => ({ hello: 'world' }),
  );
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  console.log(`listening ${new URL(address).port}`);
}

/**
 * oidc-provider alone, with its in-memory storage, for the code flow. Its interaction signs in the person of the query
 * and agrees to everything, so the first request of a browser begins its session.
 */
async function code(): Promise<void> {
  const provider = new Provider('http://localhost', {
    clients: [
      {
        client_id: 'bench',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://localhost:5173/callback'],
      },
    ],
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    loadExistingGrant: async ({ oidc: { client, session } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
  const respond = provider.callback();
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/sign-in/')) return respond(request, response);
    const login = { accountId: randomBytes(8).toString('hex') };
    return provider.interactionFinished(request, response, { login });
  });
  listen(server);
}

/** oidc-provider alone, with its in-memory storage and opaque tokens. */
async function oidc(): Promise<void> {
  const provider = new Provider('http://localhost', {
    clients: [
      {
        client_id: 'bench',
        client_secret: 'bench-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  });
  listen(createServer(provider.callback()));
}

function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(`listening ${typeof address === 'object' ? address?.port : ''}`);
  });
}

/** Argon2id at full speed of one core, with Latchkey's parameters. */
async function argon2(): Promise<void> {
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (performance.now() - began < 5_000) {
        // biome-ignore lint/performance/noAwaitInLoops: each loop is sequential; the loops run in parallel
        await hash(randomBytes(12), { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 });
        done += 1;
      }
    }),
  );
  report(done, performance.now() - began);
}

/** Prints operations per second and milliseconds of processor time for each, of all threads. */
function report(done: number, elapsedMs: number): void {
  const { user, system } = process.cpuUsage(atStart);
  console.log(`rate ${(done / elapsedMs) * 1000} cpu ${(user + system) / 1000 / done}`);
}

/** Two statements in a transaction, over a pool of the same size as Latchkey's. */
async function transaction(): Promise<void> {
  const pool = new pg.Pool({ connectionString: process.env['BENCH_DATABASE_URL'], max: 16 });
  await pool.query('create table if not exists bench_rows (id uuid primary key, used boolean not null)');
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (performance.now() - began < 5_000) {
        // biome-ignore lint/performance/noAwaitInLoops: transactions of one loop are sequential
        const client = await pool.connect();
        const id = crypto.randomUUID();
        await client.query('begin');
        await client.query({
          name: 'insert',
          text: 'insert into bench_rows (id, used) values ($1, false)',
          values: [id],
        });
        await client.query({ name: 'update', text: 'update bench_rows set used = true where id = $1', values: [id] });
        await client.query('commit');
        client.release();
        done += 1;
      }
    }),
  );
  const elapsed = performance.now() - began;
  await pool.query('drop table bench_rows');
  await pool.end();
  report(done, elapsed);
}

await baselines[name]?.();
