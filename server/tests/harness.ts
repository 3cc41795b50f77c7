import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { Value } from 'typebox/value';
import { updateSettings } from '#environments';
import { describeEventType } from '#events';
import { type Demo, served } from '#hosts';
import type { Clock } from '#platform/clock.ts';
import { type Environment, type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { patternOf } from '#platform/http-methods.ts';
import { expectContract } from './contract.ts';
import { borrowShared, MAX_WAIT_MS, startOwn, type TestOptions, type TestSystem } from './running.ts';

/** A clock that stands still until a test advances it. */
export class TestClock implements Clock {
  #now: number;

  constructor(now = Date.now()) {
    this.#now = now;
  }

  now(): Date {
    return new Date(this.#now);
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Never fires, because time stands still; a test of periodic work runs the work itself. */
  every(): () => void {
    return () => undefined;
  }
}

/** A response: status, headers, and the body as JSON (or text if it is not JSON). */
// biome-ignore lint/suspicious/noExplicitAny: tests read bodies freely and assert what they expect
export type TestResponse = { status: number; headers: Headers; body: any; text: string };

type Call = { method?: string; body?: unknown; token?: string; headers?: Record<string, string> };

export type TestLatchkey = {
  system: TestSystem;
  demo: Demo;
  databaseUrl: string;
  /**
   * Calls a host of an environment (`test` by default). Fails the test if a change responds 2xx and emits no event, and
   * if the host's OpenAPI description does not allow the response.
   */
  auth: (path: string, call?: Call, environment?: Environment) => Promise<TestResponse>;
  api: (path: string, call?: Call, environment?: Environment) => Promise<TestResponse>;
  console: (path: string, call?: Call) => Promise<TestResponse>;
  /** Runs domain functions in a transaction, in the demo's first project. */
  inProject: <T>(work: (tx: TxCtx) => Promise<T>, scope?: Partial<Scope>) => Promise<T>;
  stop: () => Promise<void>;
};

/** Routes that declare why they emit no event. */
const silent = Object.values(served)
  .flat()
  .filter((route) => route.silent !== undefined)
  .map(({ path }) => patternOf(path));

/**
 * A whole Latchkey with a demo workspace. Files without options share the Latchkey of their process, and each gets a new
 * workspace; with options a file has a Latchkey and a database of its own.
 */
export async function startTestLatchkey(options?: TestOptions): Promise<TestLatchkey> {
  const { system, demo, databaseUrl, stop } = await (options ? startOwn(options) : borrowShared());
  const { addresses } = system.config;
  // Test modules live as long as their process: a stopped Latchkey must not.
  let running: TestSystem | null = system;
  const current = (): TestSystem => {
    assert.ok(running, 'this Latchkey is stopped');
    return running;
  };
  return {
    get system() {
      return current();
    },
    demo,
    databaseUrl,
    auth: (path, init, environment = 'test') => call(current(), addresses[environment].auth + path, init),
    api: (path, init, environment = 'test') => call(current(), addresses[environment].api + path, init),
    console: (path, init) => call(current(), addresses.console + path, init),
    inProject: (work, scope) =>
      transaction(systemCtx(current(), { ...demoScope(demo), ...scope }, 'test', 'test'), work),
    stop: async () => {
      await stop();
      running = null;
    },
  };
}

function demoScope(demo: Demo): Scope {
  const [first] = demo.projects;
  assert.ok(first);
  return { workspaceId: demo.workspaceId, projectId: first.id, environment: 'test' };
}

async function call(
  system: TestSystem,
  url: string,
  { method, body, token, headers }: Call = {},
): Promise<TestResponse> {
  const correlationId = crypto.randomUUID();
  const form = body instanceof URLSearchParams || typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      'x-correlation-id': correlationId,
      ...(body !== undefined && !form && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    redirect: 'manual',
    body: body === undefined ? null : form ? body : JSON.stringify(body),
  });
  const text = await response.text();
  await expectContract(system, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url: new URL(url),
    response,
    text,
  });
  // The first step of linking an identity only returns an address to open, so its 200 needs no event.
  const step = response.status === 200 && new URL(url).pathname === '/v1/me/linked-identities';
  if (response.ok && method !== 'GET' && body !== undefined && !step)
    await expectEvent(system, new URL(url).pathname, headers?.['x-correlation-id'] ?? correlationId);
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function expectEvent(system: TestSystem, path: string, correlationId: string): Promise<void> {
  if (silent.some((pattern) => pattern.test(path))) return;
  const { rows } = await system.pool.query('select type, data from events where correlation_id = $1', [correlationId]);
  assert.ok(rows.length > 0, `${path} answered 2xx and emitted no event`);
  for (const { type, data } of rows) assertInCatalogue(system, type, data);
}

/** Fails for an event whose data do not match the schema of its type. */
function assertInCatalogue(system: TestSystem, type: string, data: unknown): void {
  const { schema } = describeEventType(system, type);
  assert.ok(Value.Check(schema.properties.data, data), `${type} does not fit its schema: ${JSON.stringify(data)}`);
}

export const PASSWORD = 'correct horse battery staple';

const codeVerifier = 'verifier'.repeat(6);
/** The PKCE challenge of a public client's sign-in, and the verifier for its code. */
export const PKCE = { codeVerifier, codeChallenge: hash('sha256', codeVerifier, 'base64url') };

let people = 0;

/** A new address, unique in the test run. */
export function newEmail(): string {
  people += 1;
  return `person${people}.${crypto.randomUUID().slice(0, 8)}@example.com`;
}

/**
 * Registers a customer in the test environment.
 * @returns the session response
 */
export async function register(
  latchkey: TestLatchkey,
  body: Record<string, unknown> = {},
): Promise<TestResponse['body'] & { email: string }> {
  const email = typeof body['email'] === 'string' ? body['email'] : newEmail();
  const response = await latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD, ...body } });
  assert.equal(response.status, 200, response.text);
  return { email, ...response.body };
}

/**
 * Verifies the address of a signed-in person.
 * @returns the person
 */
export async function prove<P extends { email: string; access_token: string }>(
  latchkey: TestLatchkey,
  person: P,
): Promise<P> {
  const { email, access_token: token } = person;
  const begun = await latchkey.api('/v1/me/profile/email', { token, body: { email } });
  const proof = { flowId: begun.body.flowId, code: await mailedCode(latchkey, email) };
  const proven = await latchkey.api('/v1/me/profile/email/verify', { token, body: proof });
  assert.equal(proven.status, 204, proven.text);
  return person;
}

/**
 * Signs the demo's owner in.
 * @returns an access token
 */
export async function ownerToken(latchkey: TestLatchkey): Promise<string> {
  const { email, password } = latchkey.demo.environments.test.owner;
  const response = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password } });
  assert.equal(response.status, 200, response.text);
  return response.body.access_token;
}

/**
 * A management token of the demo's back end.
 * @param scope a subset of its permissions
 */
export async function managementToken(
  latchkey: TestLatchkey,
  scope?: string,
  environment: Environment = 'test',
): Promise<string> {
  const response = await requestManagementToken(latchkey, scope === undefined ? {} : { scope }, environment);
  assert.equal(response.status, 200, response.text);
  return response.body.access_token;
}

/** Calls the token endpoint as the demo's back end; `changes` replace parameters or (undefined) remove them. */
export function requestManagementToken(
  latchkey: TestLatchkey,
  changes: Record<string, string | undefined> = {},
  environment: Environment = 'test',
): Promise<TestResponse> {
  const { workspaceId, projects, environments } = latchkey.demo;
  const { managementClientId, managementClientSecret } = environments[environment];
  const parameters = {
    grant_type: 'client_credentials',
    workspaceId,
    projectId: projects[0]?.id,
    environment,
    client_id: managementClientId,
    client_secret: managementClientSecret,
    ...changes,
  };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.set(name, value);
  return latchkey.auth('/connect/token', { body: form }, environment);
}

/** Asserts that a response is a problem document with this code. */
export function expectProblem(response: TestResponse, status: number, errorCode: string): void {
  assert.equal(response.status, status, response.text);
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(response.body.errorCode, errorCode, response.text);
  assert.match(response.body.traceId, /^[0-9a-f]{32}$/);
}

/** Polls until `check` passes; on timeout fails with its last error. */
export async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: polls
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** Registers a person, and waits until the worker has sent their mail and numbered all events. */
export async function expectWorker(latchkey: TestLatchkey): Promise<void> {
  const email = newEmail();
  const { body } = await latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD } }, 'production');
  assert.equal(body.status, 'verification_required');
  await eventually(async () => {
    const { body: inbox } = await latchkey.console(`/dev/inbox?to=${email}`);
    assert.equal(inbox.items[0]?.status, 'sent');
    const { rows } = await latchkey.system.pool.query('select count(*) as waiting from events where sequence is null');
    assert.equal(rows[0].waiting, 0);
  });
}

/** The newest one-time code mailed to an address. */
export async function mailedCode(latchkey: TestLatchkey, to: string): Promise<string> {
  const { body } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(to)}`);
  const code = /\n {4}(\d{8})\n/.exec(body.items[0]?.text ?? '')?.[1];
  assert.ok(code, `no code was mailed to ${to}`);
  return code;
}

/** The newest mail or text message to an address. */
export async function lastMessage(latchkey: TestLatchkey, to: string): Promise<{ subject: string; text: string }> {
  const { body } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(to)}`);
  assert.ok(body.items[0], `nothing was sent to ${to}`);
  return body.items[0];
}

/** The token of the newest link mailed to an address. */
export async function mailedToken(latchkey: TestLatchkey, to: string): Promise<string> {
  const { text } = await lastMessage(latchkey, to);
  const token = /[?&]token=([\w-]+)/.exec(text)?.[1];
  assert.ok(token, `no link was mailed to ${to}: ${text}`);
  return token;
}

/** Changes settings of the demo's first project. */
export async function changeSettings(
  latchkey: TestLatchkey,
  changes: Record<string, unknown>,
  environment: Environment = 'test',
): Promise<void> {
  await latchkey.inProject((tx) => updateSettings(tx, changes), { environment });
}

/** The types of the events of a user's requests, oldest first. */
export async function eventsOf(latchkey: TestLatchkey, userId: string): Promise<string[]> {
  const { rows } = await latchkey.system.pool.query(`select type from events where data->>'userId' = $1 order by id`, [
    userId,
  ]);
  return rows.map(({ type }) => type);
}
