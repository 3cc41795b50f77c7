import { setTimeout as pause } from 'node:timers/promises';
import type { Demo } from '#hosts';
import { newEmail, PASSWORD } from '#tests/harness.ts';
import { NO_RESPONSE, NONE_READY } from './balancer.ts';
import { expectSoon } from './wait.ts';

/** The kinds of work that clients repeat. */
const KINDS = ['register', 'sign in', 'refresh', 'rename', 'organization', 'settings', 'status page'] as const;
type Kind = (typeof KINDS)[number];

/** The changes that Latchkey has acknowledged to clients, and must never lose. */
class Acknowledged {
  readonly emails: string[] = [];
  /** Correlation ids of changes, each of which has an event. */
  readonly changes: string[] = [];
  /** Names of organizations, each created by one idempotency key. */
  readonly organizations: string[] = [];
  /** `last`: the value that was acknowledged last. `open`: the values without a response, each of which may be the stored one. */
  readonly setting: { last: number | null; open: number[] } = { last: null, open: [] };
}

type Response = { status: number; body: Record<string, string> };
type Send = {
  method?: string;
  body?: unknown;
  form?: URLSearchParams;
  token?: string;
  headers?: Record<string, string>;
};

const CLIENT_TIMEOUT_MS = 20_000;
const RETRY_PAUSE_MS = 100;
/** The errors that a client may get during a fault: 503 from Latchkey or the balancer, 502 from the balancer. */
const EXPECTED = [502, 503];
/** Why a request fails on a slow machine: time limits of Latchkey, the balancer and the client. */
const SLOW = ['SERVICE_UNAVAILABLE', NONE_READY, NO_RESPONSE, 'TimeoutError'];
/** Longer than clocks differ in any fault: a token must not expire on its way. */
const MIN_TOKEN_SECONDS = 1_500;

export type Urls = { auth: string; api: string; status: string };

/** How long a client rests between two requests, and how many customers change their profile. */
export type Pace = { pauseMs: number; chains: number };

/** Customers and an administrator who send requests all the time, and repeat what was not acknowledged. */
export class Load {
  readonly acknowledged = new Acknowledged();
  /** `dropped`: of the failed ones, those that are not the fault of a slow machine. */
  readonly counts = { requests: 0, acknowledged: 0, failed: 0, dropped: 0 };
  /** Responses that no fault may cause, such as 500, or 401 for a valid session. */
  readonly wrong: string[] = [];
  /** When the last successful request of each kind began. */
  readonly #latest = new Map<Kind, number>();
  readonly #demo: Demo;
  readonly #urls: Urls;
  readonly #pace: Pace;
  #running: Promise<void>[] = [];
  #stopping = false;
  #count = 0;
  #managementToken = '';

  constructor(demo: Demo, urls: Urls, pace: Pace) {
    this.#demo = demo;
    this.#urls = urls;
    this.#pace = pace;
  }

  async start(): Promise<void> {
    await expectSoon('a management token', async () => {
      this.#managementToken = await this.#newManagementToken();
      return true;
    });
    this.#stopping = false;
    this.#running = [
      this.#repeat(() => this.#register()),
      this.#repeat(() => this.#signIn()),
      this.#repeat(() => this.#addOrganization()),
      this.#repeat(() => this.#changeSettings()),
      this.#repeat(() => this.#readStatus()),
      ...Array.from({ length: this.#pace.chains }, () => this.#chain()),
    ];
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** True when a request of every kind has begun after a moment and succeeded. */
  succeededSince(moment: number): boolean {
    return KINDS.every((kind) => (this.#latest.get(kind) ?? 0) > moment);
  }

  /** Asks the management API. @throws Error unless it succeeds */
  async manage(path: string, body: unknown): Promise<Record<string, string>> {
    const token = await this.#newManagementToken();
    const response = await this.#fetch(`${this.#urls.api}${path}`, { body, token });
    if (response.status >= 300) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  }

  async #newManagementToken(): Promise<string> {
    const { workspaceId, projects, environments } = this.#demo;
    const { managementClientId, managementClientSecret } = environments.test;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      workspaceId,
      projectId: projects[0]?.id ?? '',
      environment: 'test',
      client_id: managementClientId,
      client_secret: managementClientSecret,
    });
    const { status, body } = await this.#fetch(`${this.#urls.auth}/connect/token`, { form });
    if (status !== 200) throw new Error(`The token endpoint returned ${status} ${JSON.stringify(body)}.`);
    return body['access_token'] ?? '';
  }

  async #repeat(work: () => Promise<unknown>): Promise<void> {
    while (!this.#stopping) {
      // biome-ignore lint/performance/noAwaitInLoops: a client does one thing after the other
      await work();
      await pause(this.#pace.pauseMs);
    }
  }

  /** Registers a new address each time, because after a lost response the address may be taken. */
  async #register(): Promise<Record<string, string> | null> {
    const email = newEmail();
    const session = await this.#try('register', '/v1/auth/register', { body: { email, password: PASSWORD } });
    if (session) this.acknowledged.emails.push(email);
    return session;
  }

  async #signIn(): Promise<void> {
    const { emails } = this.acknowledged;
    const identifier = emails[Math.floor(Math.random() * emails.length)];
    if (identifier === undefined) return;
    await this.#try('sign in', '/v1/auth/login/password', { body: { identifier, password: PASSWORD } });
  }

  /** Creates an organization; the same key is sent until it is acknowledged. */
  async #addOrganization(): Promise<void> {
    const name = this.#next('organization');
    const send = {
      body: { name },
      token: this.#managementToken,
      headers: { 'idempotency-key': name, 'x-correlation-id': name },
    };
    const created = await this.#insist('organization', '/v1/admin/organizations', send);
    if (!created) return;
    this.acknowledged.organizations.push(name);
    this.acknowledged.changes.push(name);
  }

  async #changeSettings(): Promise<void> {
    const { setting } = this.acknowledged;
    const accessTokenSeconds = MIN_TOKEN_SECONDS + (this.counts.requests % 2_000);
    const send = { method: 'PATCH', body: { accessTokenSeconds }, token: this.#managementToken };
    if (await this.#try('settings', '/v1/admin/settings', send)) setting.last = accessTokenSeconds;
    else setting.open.push(accessTokenSeconds);
  }

  async #readStatus(): Promise<void> {
    await this.#try('status page', '/api/status/summary', { method: 'GET' });
  }

  /** A customer who registers, renews the session and changes their name, over and over. */
  async #chain(): Promise<void> {
    let refreshToken: string | undefined;
    await this.#repeat(async () => {
      refreshToken ??= (await this.#register())?.['refresh_token'];
      if (refreshToken === undefined) return;
      const renewed = await this.#insist('refresh', '/v1/sessions/refresh', { body: { refresh_token: refreshToken } });
      if (!renewed) return;
      refreshToken = renewed['refresh_token'];
      const displayName = this.#next('name');
      const renamed = await this.#try('rename', '/v1/me/profile', {
        method: 'PATCH',
        body: { displayName },
        token: renewed['access_token'] ?? '',
        headers: { 'x-correlation-id': displayName },
      });
      if (renamed) this.acknowledged.changes.push(displayName);
    });
  }

  #next(what: string): string {
    this.#count += 1;
    return `fault-${what}-${this.#count}`;
  }

  /** Repeats a request until it is acknowledged. @returns null if the load ends before, or if a response is wrong */
  async #insist(kind: Kind, path: string, send: Send): Promise<Record<string, string> | null> {
    const wrong = this.wrong.length;
    while (!this.#stopping && this.wrong.length === wrong) {
      // biome-ignore lint/performance/noAwaitInLoops: one attempt after the other
      const body = await this.#try(kind, path, send);
      if (body) return body;
    }
    return null;
  }

  /** @returns the body of a success, otherwise null */
  async #try(kind: Kind, path: string, send: Send): Promise<Record<string, string> | null> {
    const { auth, api, status: statusPage } = this.#urls;
    const host = kind === 'status page' ? statusPage : /^\/v1\/(?:admin|me)\//.test(path) ? api : auth;
    const began = performance.now();
    this.counts.requests += 1;
    let reason = '';
    const response = await this.#fetch(host + path, send).catch((error: unknown) => {
      reason = error instanceof Error ? error.name : String(error);
      return null;
    });
    if (response && response.status < 300) {
      this.counts.acknowledged += 1;
      this.#latest.set(kind, began);
      return response.body;
    }
    this.counts.failed += 1;
    if (!SLOW.includes(response?.body['code'] ?? response?.body['text'] ?? reason)) this.counts.dropped += 1;
    if (response && !EXPECTED.includes(response.status))
      this.wrong.push(`${kind}: ${response.status} ${JSON.stringify(response.body)}`);
    await pause(RETRY_PAUSE_MS);
    return null;
  }

  async #fetch(url: string, { method = 'POST', body, form, token, headers }: Send): Promise<Response> {
    const response = await fetch(url, {
      method,
      headers: {
        // Each request has its own source, so that no limit by source applies.
        'x-forwarded-for': `10.${byte()}.${byte()}.${byte()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: form }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, body: isJson ? JSON.parse(text) : { text } };
  }
}

function byte(): number {
  return Math.floor(Math.random() * 256);
}
