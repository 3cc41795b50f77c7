import { callApi } from '../calls.ts';
import { Clock } from '../clock.ts';
import type { Issuer } from '../endpoints.ts';
import { AuthError } from '../errors.ts';
import { Held } from '../held.ts';
import type { AuthState } from '../options.ts';
import { ownAddress, showAddress, takeResponse } from '../pending.ts';
import type { User } from '../session.ts';
import { type Persistence, storeOf } from '../store.ts';
import type { OpenStep, Proof } from './answers.ts';
import { call } from './host.ts';
import { SessionTokens } from './session-tokens.ts';
import { type LeaveOptions, WaysIn } from './ways-in.ts';

export type ApiAuthOptions = {
  /** The auth address of the installation, or the project's own, such as `https://auth.example.com`. */
  issuer: string;
  /** The `clientId` of a first-party application, which lists the origin of this page. */
  clientId: string;
  /** A redirect address of the application, for providers and mailed links. By default the root of this origin, with a slash. */
  redirectUri?: string;
  /** Your page with the form, at this origin. {@link ApiAuth.signIn} leads to it, and so does a sign-in at a provider that needs another step. */
  signInUrl?: string;
  /** Origins that {@link ApiAuth.fetch} sends tokens to, beside those of this page and of Latchkey. */
  apiOrigins?: readonly string[];
  /**
   * What a reload keeps, by default `memory`. `cookies`: HttpOnly cookies of Latchkey, if its auth address and its API address have
   * one host name, and this page is of the same site.
   */
  persistence?: Persistence | 'cookies';
};

/** Signs people in on pages of your own, by the API, and keeps their session. A page has one. */
export class ApiAuth extends WaysIn {
  readonly #options: ApiAuthOptions;
  readonly #issuer: Issuer;
  readonly #cookies: boolean;
  readonly #held: Held;
  readonly #tokens: SessionTokens;
  readonly #stop = new AbortController();
  #started: Promise<AuthState> | null = null;
  #step: OpenStep | null = null;

  constructor(options: ApiAuthOptions) {
    const { issuer, clientId, persistence = 'memory' } = options;
    const clock = new Clock();
    const host: Issuer = { url: issuer.replace(/\/$/, ''), clientId, clock, prover: null };
    const cookies = persistence === 'cookies';
    super({ issuer: host, cookies, redirectUri: options.redirectUri });
    const name = `latchkey ${clientId}`;
    this.#options = options;
    this.#cookies = cookies;
    this.#issuer = host;
    this.#held = new Held(name, storeOf(name, cookies ? 'memory' : persistence), { clock, whenEnded: () => undefined });
    this.#tokens = new SessionTokens(name, this.#held, { issuer: host, cookies });
  }

  /** The same object until it changes. */
  get state(): AuthState {
    return this.#held.state;
  }

  /** The next step of a sign-in that came back from a provider or a mailed link, such as a second factor; null once somebody is signed in. */
  get step(): OpenStep | null {
    return this.#step;
  }

  /** The page of Latchkey on which people change their own account. */
  get accountUrl(): string {
    return `${this.issuer}/account?clientId=${encodeURIComponent(this.clientId)}`;
  }

  /** @returns ends the subscription */
  subscribe(listener: (state: AuthState) => void): () => void {
    return this.#held.subscribe(listener);
  }

  get signInUrl(): string | null {
    return this.#options.signInUrl ?? null;
  }

  /**
   * Goes to the page of yours that shows the form, which finds `returnTo` in its address. The page is left.
   * @throws TypeError without `signInUrl`
   */
  async signIn({ returnTo }: LeaveOptions = {}): Promise<never> {
    const url = this.#formUrl(returnTo);
    if (url === null) throw new TypeError('Set signInUrl, or show a form here.');
    location.assign(url);
    return new Promise(() => undefined);
  }

  /** Whether a load of the page ends the session, unless another tab has it. */
  get endsWithPage(): boolean {
    return (this.#options.persistence ?? 'memory') === 'memory';
  }

  /**
   * Goes to an address of this origin after a sign-in. Where the session {@link endsWithPage}, the page stays, and its router gets a
   * `popstate` event.
   * @throws TypeError for another origin
   */
  goTo(address: string): void {
    const url = ownAddress(address);
    if (this.endsWithPage) showAddress(url);
    else location.assign(url);
  }

  /**
   * Finishes a sign-in that comes back to this page, or takes up the session. Calling it again changes nothing.
   * @throws AuthError sign_in_failed, offline, unavailable, refused: if the sign-in cannot be finished
   */
  start(): Promise<AuthState> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Links the account at a provider to the person who has signed in since; {@link Step} `link` has the token. */
  async linkIdentity(linkToken: string): Promise<void> {
    const { apiUrl } = await this.methods();
    const token = await this.#tokens.get();
    await call(this.#issuer, `${apiUrl}/v1/me/linked-identities`, {
      body: { linkToken },
      token,
      cookies: this.#cookies,
    });
  }

  /** Proves again who is there; sensitive changes are then allowed for ten minutes. */
  reauthenticate(proof: Proof): Promise<void> {
    return this.#tokens.replace('/v1/auth/reauthenticate', proof);
  }

  /**
   * Works in another organization of the person from now on, in all tabs.
   * @param organizationId null for none
   */
  async switchOrganization(organizationId: string | null): Promise<void> {
    const { workspaceId, projectId, environment } = await this.methods();
    await this.#tokens.replace('/v1/sessions/switch-context', { workspaceId, projectId, environment, organizationId });
  }

  /**
   * An access token of the session that has not expired.
   * @throws AuthError signed_out, offline, unavailable; TypeError with `cookies`, which hold it out of reach
   */
  async token(): Promise<string> {
    if (this.#cookies) throw new TypeError('The token is in a cookie. Use fetch.');
    return this.#tokens.get();
  }

  /**
   * `fetch` with the session, for the origin of the page, of Latchkey and those of `apiOrigins`. A refused token is renewed once.
   * @throws AuthError step_up_required, signed_out, offline, unavailable; TypeError for other origins
   */
  async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const { apiUrl } = await this.methods();
    const own = [location.origin, new URL(this.issuer).origin, new URL(apiUrl).origin];
    const caller = {
      prover: null,
      origins: [...own, ...(this.#options.apiOrigins ?? [])],
      token: (refused?: string) => this.#tokens.get(refused),
    };
    return callApi(caller, new Request(input, init));
  }

  /**
   * Signs out in all tabs, and ends the session at Latchkey.
   * @param everywhere ends all sessions of the person
   * @throws AuthError offline, unavailable: signed out here, but Latchkey has not heard of it
   */
  async signOut({ everywhere = false } = {}): Promise<void> {
    const token = this.#held.session && (await this.#tokens.get().catch((error: unknown) => error));
    this.#held.end('signed_out');
    if (token instanceof AuthError && token.isTemporary) throw token;
    if (typeof token !== 'string') return;
    await call(this.#issuer, `${this.issuer}/v1/sessions/logout`, {
      body: { everywhere },
      token,
      cookies: this.#cookies,
    });
  }

  /** Stops listening to other tabs and to the browser. */
  close(): void {
    this.#stop.abort();
    this.#held.close();
  }

  async #start(): Promise<AuthState> {
    const { signal } = this.#stop;
    addEventListener('online', () => this.#check(), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || this.#check(), { signal });
    try {
      if (!(await this.#comeBack())) await this.#restore();
    } catch (error) {
      // A sign-in that failed ends no session.
      await this.#restore();
      throw error;
    }
    return this.state;
  }

  /** @returns whether a response was in the address, and somebody is signed in by it */
  async #comeBack(): Promise<boolean> {
    const response = takeResponse(this.clientId);
    if (!response) return false;
    const { sent, transaction } = response;
    const error = sent.get('error');
    if (!transaction || error !== null) {
      const message =
        sent.get('error_description') ?? error ?? 'This browser began no such sign-in, or it was used before.';
      throw new AuthError('sign_in_failed', message, { oauthError: error ?? undefined });
    }
    const step = await this.exchange(sent.get('code'), transaction.verifier);
    if (step.status === 'signed_in') return true;
    this.#step = step;
    const form = this.#formUrl();
    // Without a load, which would lose the step.
    if (form && placeOf(form) !== placeOf(location)) showAddress(form.href);
    return false;
  }

  /** The address of your page with the form, which leads back to `returnTo`. */
  #formUrl(returnTo?: string): URL | null {
    if (this.signInUrl === null) return null;
    const url = new URL(this.signInUrl, location.href);
    url.searchParams.set('returnTo', ownAddress(returnTo));
    return url;
  }

  async #restore(): Promise<void> {
    if (await this.#held.load()) return this.#check();
    if (!this.#cookies || !this.#held.wasSignedIn) return this.#held.showSignedOut();
    try {
      const found = await this.#tokens.inCookies();
      if (found) await this.begin(found);
      else this.#held.end('ended');
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      this.#held.showSignedOut('offline');
    }
  }

  /** Renews an expired token when the page is seen again or the network is back, and so learns whether the session goes on. */
  #check(): void {
    const { state, session } = this.#held;
    if (!session && state.status === 'signed-out' && state.reason === 'offline') this.#restore().catch(reportError);
    if (session && (this.#tokens.hasExpired() || (state.status === 'signed-in' && !state.isOnline)))
      // Callers of `token` get the error themselves.
      this.#tokens.get().catch(() => null);
  }

  protected begin(body: object): Promise<void> {
    this.#step = null;
    return this.#tokens.begin(body, (token, userId) => this.#readUser(token, userId));
  }

  /** The session counts even if the profile cannot be read. */
  async #readUser(token: string, sub: string): Promise<User> {
    try {
      const { apiUrl } = await this.methods();
      const sent = { token, cookies: this.#cookies };
      const { displayName, email, picture } = await call(this.#issuer, `${apiUrl}/v1/me/profile`, sent);
      return { sub, ...(displayName && { name: displayName }), ...(email && { email }), ...(picture && { picture }) };
    } catch {
      return { sub };
    }
  }
}

/** The parts of an address that a router looks at. */
function placeOf({ pathname, hash }: URL | Location): string {
  return pathname + hash;
}
