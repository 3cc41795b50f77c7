import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createApplication, type NewApplication } from '#applications';
import { eventually, type TestLatchkey } from '#tests/harness.ts';
import { freePortBase } from '#tests/ports.ts';

/** A program that signs people in with a client library, registered at Latchkey as a web application. */
export type RelyingParty = { latchkey: TestLatchkey; origin: string; clientId: string; stop: () => void };

/** The settings of a program. */
export type Settings = { issuer: string; origin: string; clientId: string; clientSecret: string };

/** A request to a program of this process. `session` is of the browser that sends it, `sessions` are of all browsers. */
export type Visit<S> = {
  url: URL;
  form: URLSearchParams;
  authorization: string;
  session: Partial<S>;
  sessions: Map<string, Partial<S>>;
};
export type Reply = { location: string } | { json: unknown } | { status: number };

/**
 * The pages of a program, by path; every client's program has those that its library supports:
 * `/sign-in` starts a sign-in, `/callback` finishes it, `/me` returns the claims of user info, `/refresh` whether the
 * refreshed access token is another, `/sign-out` leaves for Latchkey, `/backchannel-logout` receives logout tokens,
 * `/api` checks the bearer's access token.
 */
export type Pages<S> = Record<string, (visit: Visit<S>) => Promise<Reply>>;

/** The audience of the API that programs protect. */
export const AUDIENCE = 'https://orders.example';

/** Registers an application with the addresses of a program. */
async function registerParty(
  latchkey: TestLatchkey,
  origin: string,
  values: Partial<NewApplication>,
): Promise<Settings> {
  const { clientId, secret } = await latchkey.inProject((tx) =>
    createApplication(tx, {
      kind: 'web',
      name: 'Relying party',
      redirectUris: [`${origin}/callback`],
      postLogoutRedirectUris: [`${origin}/`],
      backchannelLogoutUri: `${origin}/backchannel-logout`,
      ...values,
    }),
  );
  return { issuer: latchkey.system.config.addresses.test.auth, origin, clientId, clientSecret: secret ?? '' };
}

/**
 * Starts a program in this process.
 * @param values fields of its application that differ from a web application's defaults
 */
export async function startParty<S>(
  latchkey: TestLatchkey,
  values: Partial<NewApplication>,
  program: (settings: Settings) => Promise<Pages<S>>,
): Promise<RelyingParty> {
  const sessions = new Map<string, Partial<S>>();
  let pages: Pages<S> = {};
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', origin);
    const id = /session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? crypto.randomUUID();
    response.setHeader('set-cookie', `session=${id}; Path=/; HttpOnly`);
    const session = sessions.get(id) ?? {};
    sessions.set(id, session);
    const { authorization = '' } = request.headers;
    const visit = { url, form: await formOf(request), authorization, session, sessions };
    const reply = await Promise.resolve(pages[url.pathname]?.(visit) ?? { status: 404 }).catch((error: unknown) => ({
      status: 500,
      json: String(error),
    }));
    if ('location' in reply) response.writeHead(302, { location: reply.location }).end();
    else
      response.writeHead('status' in reply ? reply.status : 200).end('json' in reply ? JSON.stringify(reply.json) : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const origin = `http://localhost:${address.port}`;
  const settings = await registerParty(latchkey, origin, values);
  pages = await program(settings);
  return {
    latchkey,
    origin,
    clientId: settings.clientId,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/**
 * Starts a program of another language, which serves the same pages. It learns its settings from the environment.
 * @param command the program and its arguments
 * @param paths where it receives authorization responses and logout tokens
 */
export async function startForeignParty(
  latchkey: TestLatchkey,
  [program = '', ...args]: string[],
  paths = { callback: '/callback', backchannelLogout: '/backchannel-logout' },
): Promise<RelyingParty> {
  // Reserved, because a program may take long until it listens.
  const port = await freePortBase();
  const origin = `http://localhost:${port}`;
  const { issuer, clientId, clientSecret } = await registerParty(latchkey, origin, {
    redirectUris: [origin + paths.callback],
    backchannelLogoutUri: origin + paths.backchannelLogout,
  });
  const child = spawn(program, args, {
    env: {
      ...process.env,
      PORT: String(port),
      ORIGIN: origin,
      ISSUER: issuer,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      AUDIENCE,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  const exited = once(child, 'exit').then(() => assert.fail(`${program} ended: ${output.join('')}`));
  await Promise.race([exited, eventually(() => fetch(`${origin}/me`))]).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return { latchkey, origin, clientId, stop: () => child.kill('SIGKILL') };
}
