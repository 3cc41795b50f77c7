import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { PASSWORD } from '#tests/harness.ts';
import { freePort } from '#tests/ports.ts';
import { CACHE, missingFor } from './fetched.ts';

const VERSION = '26.4.0';
const archive = join(
  CACHE,
  `maven/org/keycloak/keycloak-quarkus-dist/${VERSION}/keycloak-quarkus-dist-${VERSION}.tar.gz`,
);
const folder = join(CACHE, `keycloak-${VERSION}`);
const fetched = [
  ...['mvn', '-q', '-B', `-Dmaven.repo.local=${join(CACHE, 'maven')}`, '-Dtransitive=false'],
  ...['dependency:get', `-Dartifact=org.keycloak:keycloak-quarkus-dist:${VERSION}:tar.gz`],
];
const REALM = 'company';

/** What is missing to run Keycloak, or null. */
export const missing = await missingFor([
  { missing: 'a JDK 17 or newer is not installed', command: ['javac', '--release', '17', '--version'] },
  { missing: 'Maven is not installed', command: ['mvn', '--version'] },
  { missing: 'Maven cannot fetch Keycloak', command: fetched },
  { missing: 'tar is not installed', command: ['tar', '-xzf', archive, '-C', CACHE] },
]);

/** A person of the realm. */
export type Person = { email: string; username: string };
export type Keycloak = Awaited<ReturnType<typeof startKeycloak>>;

/** Starts Keycloak with the realm `company`, which has no people and no clients yet. */
export async function startKeycloak() {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await rm(join(folder, 'data'), { recursive: true, force: true });
  const admin = { username: 'admin', password: PASSWORD };
  const options = ['start-dev', `--http-port=${port}`, '--http-host=127.0.0.1', `--hostname=${origin}`];
  const program = spawn(join(folder, 'bin/kc.sh'), options, {
    env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: admin.username, KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    program.kill('SIGTERM');
    if (program.exitCode === null) await once(program, 'exit');
  };
  await listening(program.stdout);

  /** Calls the administration API. */
  const call = async (path: string, method: string, body: unknown): Promise<unknown> => {
    const tokens = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...admin }),
    });
    const { access_token: token } = Object(await tokens.json());
    const isText = typeof body === 'string';
    const response = await fetch(`${origin}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': isText ? 'application/xml' : 'application/json' },
      body: isText ? body : JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  await call('', 'POST', { realm: REALM, enabled: true, sslRequired: 'none' });
  const issuer = `${origin}/realms/${REALM}`;
  return {
    origin,
    issuer,
    metadata: async (): Promise<string> => (await fetch(`${issuer}/protocol/saml/descriptor`)).text(),
    addPerson: async (email: string): Promise<Person> => {
      const credentials = [{ type: 'password', value: PASSWORD, temporary: false }];
      const username = email.split('@')[0] ?? email;
      const names = { firstName: 'Ada', lastName: 'Lovelace' };
      const person = { username, email, emailVerified: true, enabled: true, ...names, credentials };
      await call(`/${REALM}/users`, 'POST', person);
      return { email, username };
    },
    addClient: (client: Record<string, unknown>) => call(`/${REALM}/clients`, 'POST', client),
    /** The client that the metadata of a service provider describe. */
    clientOf: async (metadata: string): Promise<Record<string, unknown>> =>
      Object(await call(`/${REALM}/client-description-converter`, 'POST', metadata)),
    signIn: (url: string, person: Person) => signIn(url, person),
    stop,
  };
}

/** Waits until Keycloak says that it listens. Its output is read to the end, because a full pipe would stop it. */
async function listening(output: Readable): Promise<void> {
  let log = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  output.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
    if (log.includes('Listening on: ')) resolve();
  });
  output.once('end', () => reject(new Error(`Keycloak has ended:\n${log}`)));
  await promise;
}

/**
 * Signs a person in at the address of a request.
 * @returns the response: a redirect, or a page with a form for the service provider
 */
async function signIn(url: string, { username }: Person): Promise<{ location: string | null; text: string }> {
  const page = await fetch(url, { redirect: 'manual' });
  const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0]);
  const [, action = ''] = /<form[^>]*id="kc-form-login"[^>]*action="([^"]+)"/.exec(await page.text()) ?? [];
  assert.ok(action, `the login form at ${url}: ${page.status}`);
  const response = await fetch(action.replaceAll('&amp;', '&'), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie.join('; ') },
    body: new URLSearchParams({ username, password: PASSWORD }),
  });
  return { location: response.headers.get('location'), text: await response.text() };
}
