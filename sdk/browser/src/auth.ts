import { callApi } from './calls.ts';
import { Clock } from './clock.ts';
import { Prover } from './dpop.ts';
import { payloadOf, randomText } from './encoding.ts';
import { getUser, type Issuer, postForm } from './endpoints.ts';
import { AuthError, keepFailure, type StepUp, takeFailure } from './errors.ts';
import { Held } from './held.ts';
import type { AuthOptions, AuthState, TokenOptions } from './options.ts';
import { type Asked, beginSignIn, type Finished, finishSignIn, type SignInOptions } from './redirect.ts';
import type { Session, User } from './session.ts';
import { storeOf } from './store.ts';
import { ANY, Tokens } from './tokens.ts';

/** How long to wait for Latchkey to be back: the first time, and at most. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** Signs people in by the pages of Latchkey, and keeps their session. A page has one. */
export class Auth {
  readonly #options: AuthOptions;
  readonly #issuer: Issuer;
  readonly #name: string;
  readonly #held: Held;
  readonly #tokens: Tokens;
  readonly #stop = new AbortController();
  #started: Promise<AuthState> | null = null;
  #retry = { timer: 0, wait: FIRST_RETRY_MS };

  constructor(options: AuthOptions) {
    const { clientId, dpop, persistence = 'memory' } = options;
    const clock = new Clock();
    const name = `latchkey ${clientId}`;
    const prover = dpop ? new Prover(name, () => clock.now()) : null;
    this.#options = options;
    this.#name = name;
    this.#issuer = { url: options.issuer.replace(/\/$/, ''), clientId, clock, prover };
    this.#held = new Held(name, storeOf(name, persistence), { clock, whenEnded: () => prover?.release() });
    this.#tokens = new Tokens(name, this.#held, this.#issuer);
  }

  /** The same object until it changes. */
  get state(): AuthState {
    return this.#held.state;
  }

  get issuer(): string {
    return this.#issuer.url;
  }

  get clientId(): string {
    return this.#issuer.clientId;
  }

  /** The page of Latchkey on which people change their own account. */
  get accountUrl(): string {
    const { url, clientId } = this.#issuer;
    return `${url}/account?clientId=${encodeURIComponent(clientId)}`;
  }

  /** @returns ends the subscription */
  subscribe(listener: (state: AuthState) => void): () => void {
    return this.#held.subscribe(listener);
  }

  /**
   * Finishes a sign-in that comes back to this page, or takes up the session. Call it once the page is open, before a router reads the
   * address. Calling it again changes nothing.
   * @throws AuthError sign_in_failed, offline, unavailable, refused: if the sign-in cannot be finished
   */
  start(): Promise<AuthState> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /**
   * Goes to the pages of Latchkey. The promise is never fulfilled, since the page is left.
   * @throws AuthError insecure_context
   */
  signIn(options: SignInOptions = {}): Promise<never> {
    return this.#leave(options);
  }

  /** Asks the person for another proof, as an API demanded: {@link AuthError.stepUp}. The page is left. */
  async stepUp(stepUp: StepUp, options: Pick<SignInOptions, 'returnTo' | 'uiLocales'> = {}): Promise<never> {
    const { idToken, user, organization } = this.#tokens.need();
    return this.#leave({
      ...options,
      ...(organization !== null && { organization }),
      ...(stepUp.maxAge !== undefined && { maxAge: stepUp.maxAge }),
      ...(typeof user.email === 'string' && { loginHint: user.email }),
      subject: user.sub,
      ...(idToken !== null && { idTokenHint: idToken }),
      stepUp,
    });
  }

  /**
   * An access token that has not expired.
   * @throws AuthError signed_out, offline, unavailable, organization_refused, refused
   */
  token(options: TokenOptions = {}): Promise<string> {
    return this.#token(options);
  }

  /**
   * `fetch` with an access token, for the origin of the page, of Latchkey and those of `apiOrigins`. A refused token is renewed once.
   * @throws AuthError step_up_required, signed_out, offline, unavailable, organization_refused, refused; TypeError for other origins
   */
  fetch(input: RequestInfo | URL, { token, ...init }: RequestInit & { token?: TokenOptions } = {}): Promise<Response> {
    const caller = {
      prover: this.#issuer.prover,
      origins: [location.origin, new URL(this.#issuer.url).origin, ...(this.#options.apiOrigins ?? [])],
      token: (refused?: string) => this.#token({ ...token }, refused),
    };
    return callApi(caller, new Request(input, init));
  }

  /**
   * Works in another organization of the person from now on, in all tabs. The application has to be first-party.
   * @param organization its id or slug; null for that of the sign-in
   * @throws AuthError organization_refused, signed_out, offline, unavailable, refused
   */
  async switchOrganization(organization: string | null): Promise<void> {
    // A new token brings an ID token of that organization.
    const token = await this.#token({ organization: organization ?? '' }, ANY);
    const { id, idToken, user: before } = this.#tokens.need();
    const claims: User = { ...payloadOf(idToken ?? ''), sub: before.sub };
    const user = this.#resource === undefined ? await this.#readUser(token, claims) : claims;
    const session = this.#tokens.need();
    if (session.id !== id) throw new AuthError('signed_out', 'The session has ended.');
    this.#held.adopt({ ...session, version: session.version + 1, organization: organization ?? session.home, user });
  }

  /**
   * Signs out in all tabs, and ends the session at Latchkey, so in all applications of this browser. The page is left.
   * With `only: 'application'` the other applications go on, and the page stays.
   * @throws AuthError offline, unavailable, refused: with `only`, if Latchkey has not heard of it
   */
  async signOut({ returnTo, only }: { returnTo?: string; only?: 'application' } = {}): Promise<void> {
    const { session } = this.#held;
    const { clientId, url, prover } = this.#issuer;
    this.#held.end('signed_out');
    if (only && session?.refreshToken) await postForm(this.#issuer, '/connect/revoke', { token: session.refreshToken });
    await prover?.forget();
    if (only) return;
    const query = new URLSearchParams({
      client_id: clientId,
      post_logout_redirect_uri: returnTo ?? this.#options.postLogoutRedirectUri ?? this.redirectUri,
      ...(session?.idToken && { id_token_hint: session.idToken }),
    });
    location.assign(`${url}/connect/logout?${query}`);
  }

  /** Stops listening to other tabs and to the browser. */
  close(): void {
    clearTimeout(this.#retry.timer);
    this.#stop.abort();
    this.#held.close();
  }

  /** Where the pages of Latchkey lead back to. */
  get redirectUri(): string {
    return this.#options.redirectUri ?? `${location.origin}/`;
  }

  /** The storage key of the time when this tab last asked Latchkey, without showing a page, whether somebody is signed in. */
  get #tried(): string {
    return `${this.#name} silent`;
  }

  get #resources(): readonly string[] {
    return [this.#options.resource ?? []].flat();
  }

  get #resource(): string | undefined {
    return this.#resources[0];
  }

  #token(options: TokenOptions, refused?: string): Promise<string> {
    const renewed = this.#tokens.get(
      { ...(this.#resource !== undefined && { resource: this.#resource }), ...options },
      refused,
    );
    renewed.then(
      () => this.#tryNoMore(),
      () => this.#tryLater(),
    );
    return renewed;
  }

  async #start(): Promise<AuthState> {
    const { signal } = this.#stop;
    addEventListener('online', () => this.#check(), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || this.#check(), { signal });
    let failure = takeFailure(this.#name);
    try {
      const finished = await finishSignIn(this.#issuer);
      if (finished) {
        this.#held.adopt(await this.#sessionOf(finished));
        sessionStorage.removeItem(this.#tried);
      } else await this.#restore();
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      failure = error;
      // A sign-in that failed ends no session.
      await this.#restore(error);
    }
    if (failure) throw failure;
    return this.state;
  }

  /** @param failure is thrown when the page is back */
  async #restore(failure?: AuthError): Promise<void> {
    if (await this.#held.load()) return this.#check();
    const isTried = Date.now() - Number(sessionStorage.getItem(this.#tried)) < LONGEST_RETRY_MS;
    sessionStorage.removeItem(this.#tried);
    if (this.#options.restore === false || isTried || !this.#held.wasSignedIn) return this.#held.showSignedOut();
    try {
      // If Latchkey is away, the page stays.
      await fetch(`${this.#issuer.url}/.well-known/openid-configuration`);
    } catch {
      this.#held.showSignedOut('offline');
      return this.#tryLater();
    }
    sessionStorage.setItem(this.#tried, String(Date.now()));
    if (failure) keepFailure(this.#name, failure);
    return this.#leave({ isSilent: true });
  }

  /** Renews an expired token when the page is seen again or the network is back, and so learns whether the session goes on. */
  #check(): void {
    const { state, session } = this.#held;
    if (!session && state.status === 'signed-out' && state.reason === 'offline')
      this.#restore().catch(() => this.#tryLater());
    if (session && (this.#tokens.hasExpired() || (state.status === 'signed-in' && !state.isOnline)))
      // Callers of `token` get the error themselves.
      this.#token({}).catch(() => null);
  }

  #tryLater(): void {
    const { state } = this.#held;
    const isWaiting =
      state.status === 'signed-in' ? !state.isOnline : state.status === 'signed-out' && state.reason === 'offline';
    clearTimeout(this.#retry.timer);
    if (!isWaiting) return;
    const { wait } = this.#retry;
    this.#retry = { wait: Math.min(wait * 2, LONGEST_RETRY_MS), timer: setTimeout(() => this.#check(), wait) };
  }

  #tryNoMore(): void {
    clearTimeout(this.#retry.timer);
    this.#retry = { timer: 0, wait: FIRST_RETRY_MS };
  }

  async #leave({ resource, ...asked }: SignInOptions & Partial<Asked>): Promise<never> {
    const url = await beginSignIn(this.#issuer, {
      ...asked,
      redirectUri: this.redirectUri,
      scope: this.#options.scope ?? 'openid profile email',
      resources: resource === undefined ? this.#resources : [resource].flat(),
    });
    location.assign(url);
    return new Promise(() => undefined);
  }

  async #sessionOf({ tokens, claims, idToken, resource }: Finished): Promise<Omit<Session, 'offset'>> {
    const user = resource === undefined ? await this.#readUser(tokens.access_token, claims) : claims;
    const home = typeof user.org_id === 'string' ? user.org_id : null;
    return {
      id: randomText(),
      version: 0,
      startedAt: Date.now(),
      idToken,
      refreshToken: tokens.refresh_token ?? null,
      user,
      home,
      organization: home,
      tokens: this.#tokens.ofSignIn(tokens, resource),
    };
  }

  /** @throws AuthError sign_in_failed if userinfo is about somebody else (OpenID Connect Core §5.3.2) */
  async #readUser(token: string, claims: User): Promise<User> {
    const user = await getUser(this.#issuer, token);
    if (user['sub'] !== claims.sub) throw new AuthError('sign_in_failed', 'Userinfo is about another person.');
    return { ...claims, ...user };
  }
}
