import assert from 'node:assert/strict';
import type { Demo } from '../../server/hosts/demo.ts';
import type { Balancer } from './balancer.ts';

const PASSWORD = 'correct horse battery staple';

type Json = Record<string, unknown>;
type Call = { method?: string; token?: unknown; body?: Json | URLSearchParams; headers?: Record<string, string> };

/** People and a back end that send requests all the time, and record which were acknowledged and which failed. */
export class Load {
  /** The messages of the failures, with their counts. */
  readonly failures = new Map<string, number>();
  /** The addresses of people whose registration was acknowledged. */
  readonly registered: string[] = [];
  requests = 0;
  readonly #balancer: Balancer;
  readonly #demo: Demo;
  #running: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #session: Json | null = null;
  #people = 0;

  constructor(balancer: Balancer, demo: Demo) {
    this.#balancer = balancer;
    this.#demo = demo;
  }

  start(): void {
    this.#stopped = false;
    this.#running = Promise.all([this.#comeAndGo(), this.#comeAndGo(), this.#stay(), this.#administer()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Registers a person. */
  async register(): Promise<Json> {
    this.#people += 1;
    const email = `person.${this.#people}@example.com`;
    const { clientId } = this.#demo.environments.test;
    const session = await this.call(
      '/v1/auth/register',
      { body: { clientId, email, password: PASSWORD } },
      { host: 'authUrl' },
    );
    this.registered.push(email);
    return { ...session, email };
  }

  async managementToken(): Promise<unknown> {
    const { managementClientId, managementClientSecret } = this.#demo.environments.test;
    const credentials = [managementClientId, managementClientSecret].map(encodeURIComponent).join(':');
    const { access_token: token } = await this.call(
      '/connect/token',
      {
        headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          workspaceId: this.#demo.workspaceId,
          projectId: this.#demo.projects[0]?.id ?? '',
          environment: 'test',
        }),
      },
      { host: 'authUrl' },
    );
    return token;
  }

  /**
   * Calls a process through the balancer.
   * @throws Error if the status is not the expected one
   */
  async call(
    path: string,
    { method, token, body, headers }: Call,
    { host = 'apiUrl', expect = 200 }: { host?: 'authUrl' | 'apiUrl'; expect?: number } = {},
  ): Promise<Json> {
    this.requests += 1;
    const verb = method ?? (body === undefined ? 'GET' : 'POST');
    const form = body instanceof URLSearchParams;
    const response = await fetch(`${this.#balancer[host]}${path}`, {
      method: verb,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${String(token)}` }),
        ...(body !== undefined && { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' }),
        // Each request has its own source, so that no limit by source applies.
        'x-forwarded-for': `10.0.${Math.floor(this.requests / 250) % 250}.${1 + (this.requests % 250)}`,
        ...headers,
      },
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== expect) {
      throw new Error(`${verb} ${path.replace(/app_\w+|\?.*/, '…')}: ${response.status} instead of ${expect}`, {
        cause: text,
      });
    }
    return text === '' ? {} : JSON.parse(text);
  }

  /** Repeats work until the load stops. A failure is recorded, and the work goes on. */
  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await work().catch((error: unknown) => {
        const failure = `${String(error)} ${String(Object(error).cause ?? '').slice(0, 300)}`;
        this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
      });
    }
  }

  /** People register, sign in, change the project and sign out. */
  #comeAndGo(): Promise<void> {
    const { workspaceId, projects } = this.#demo;
    const second = { workspaceId, projectId: projects[1]?.id, environment: 'test' };
    const { clientId } = this.#demo.environments.test;
    return this.#repeat(async () => {
      const { access_token: token, email } = await this.register();
      await this.call('/v1/me/context', { token });
      const identity = { identifier: email, password: PASSWORD };
      await this.call('/v1/auth/login/password', { body: { ...second, ...identity } }, { host: 'authUrl' });
      const there = await this.call('/v1/sessions/switch-context', { token, body: second }, { host: 'authUrl' });
      await this.call('/v1/me/context', { token: there['access_token'] });
      const again = await this.call(
        '/v1/auth/login/password',
        { body: { clientId, ...identity } },
        { host: 'authUrl' },
      );
      const profile = { displayName: 'Ada' };
      await this.call('/v1/me/profile', { method: 'PATCH', token: again['access_token'], body: profile });
      await this.call('/v1/me/profile', { token: again['access_token'] });
    });
  }

  /** A person who stays signed in from beginning to end. */
  async #stay(): Promise<void> {
    await this.#repeat(async () => {
      this.#session ??= await this.register();
      const body = { refresh_token: this.#session['refresh_token'] };
      this.#session = await this.call('/v1/sessions/refresh', { body }, { host: 'authUrl' });
      await this.call('/v1/me/context', { token: this.#session['access_token'] });
    });
  }

  /** A back end manages applications and members. It repeats each creation, as after a lost response. */
  async #administer(): Promise<void> {
    await this.#repeat(async () => {
      const token = await this.managementToken();
      const body = { name: 'Shop', kind: 'web', redirectUris: ['https://shop.example/callback'] };
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const create = () => this.call('/v1/admin/applications', { token, body, headers }, { expect: 201 });
      const created = await create();
      assert.deepEqual(await create(), created, 'the same response');
      const path = `/v1/admin/applications/${String(created['id'])}`;
      await this.call(path, { method: 'PATCH', token, body: { name: 'Store' } });
      await this.call(path, { token });
      await this.call('/v1/admin/members?limit=10', { token });
      await this.call(path, { method: 'DELETE', token }, { expect: 204 });
    });
  }
}
