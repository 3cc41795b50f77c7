import { randomText } from '../encoding.ts';
import type { Issuer } from '../endpoints.ts';
import { AuthError } from '../errors.ts';
import type { Held } from '../held.ts';
import { alone } from '../lock.ts';
import { lasts, type Session, type Token, type User } from '../session.ts';
import { sessionIn } from './answers.ts';
import { call } from './host.ts';

/** The API has one access token at a time. */
const KEY = 'session';

/** The tokens of a session of the API. One tab at a time changes them. */
export class SessionTokens {
  readonly #held: Held;
  readonly #issuer: Issuer;
  readonly #name: string;
  readonly #cookies: boolean;

  constructor(name: string, held: Held, { issuer, cookies }: { issuer: Issuer; cookies: boolean }) {
    this.#name = `${name} renewal`;
    this.#held = held;
    this.#issuer = issuer;
    this.#cookies = cookies;
  }

  /**
   * An access token that has not expired; empty if cookies carry it.
   * @param refused a token that was refused, though it has not expired
   * @throws AuthError signed_out, offline, unavailable
   */
  async get(refused?: string): Promise<string> {
    const token =
      this.#usable(this.need(), refused) ?? (await alone(this.#name, (waited) => this.#renew(refused, waited)));
    return token.value;
  }

  /** @throws AuthError signed_out */
  need(): Session {
    const { session } = this.#held;
    if (!session) throw new AuthError('signed_out', 'Nobody is signed in.');
    return session;
  }

  hasExpired(): boolean {
    const expiresAt = this.need().tokens[KEY]?.expiresAt ?? 0;
    return expiresAt <= this.#issuer.clock.now();
  }

  /** Begins a session with the response to a sign-in. */
  async begin(body: object, read: (token: string, userId: string) => Promise<User>): Promise<void> {
    const { userId, organization, ...tokens } = sessionIn(body);
    const user = await read(tokens.token, userId);
    this.#held.adopt({
      id: randomText(),
      version: 0,
      startedAt: Date.now(),
      idToken: null,
      user,
      home: null,
      organization,
      ...this.#kept(tokens),
    });
  }

  /**
   * Takes up a session whose tokens are in cookies.
   * @returns the response, or null if there is none
   * @throws AuthError offline, unavailable
   */
  async inCookies(): Promise<object | null> {
    try {
      return await this.#refresh(null);
    } catch (error) {
      if (error instanceof AuthError && !error.isTemporary) return null;
      throw error;
    }
  }

  /** Sends a request that replaces the tokens, such as another proof. */
  async replace(path: string, body: object): Promise<void> {
    const token = await this.get();
    const { id } = this.need();
    await alone(this.#name, async () => {
      const sent = { ...body, ...(this.#cookies && { cookies: true }) };
      const response = await call(this.#issuer, this.#issuer.url + path, { body: sent, token, cookies: this.#cookies });
      this.#adopt(id, response);
    });
  }

  #usable(session: Session, refused?: string): Token | null {
    const token = session.tokens[KEY];
    if (!token || token.value === refused) return null;
    return lasts(token, this.#issuer.clock) ? token : null;
  }

  async #renew(refused: string | undefined, hasWaited: boolean): Promise<Token> {
    if (hasWaited) await this.#held.askTabs();
    const { id, refreshToken } = this.need();
    // Another tab has renewed cookies, although the token looks the same.
    const known = this.#usable(this.need(), hasWaited && this.#cookies ? undefined : refused);
    if (known) return known;
    try {
      const response = await this.#refresh(refreshToken);
      this.#held.setOnline(true);
      return this.#adopt(id, response);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      if (error.code === 'offline') this.#held.setOnline(false);
      // It says nothing about the session.
      if (error.isTemporary) throw error;
      this.#held.end('ended');
      throw new AuthError('signed_out', 'The session has ended.', { errorCode: error.errorCode ?? undefined });
    }
  }

  #refresh(refreshToken: string | null): Promise<object> {
    return call(this.#issuer, `${this.#issuer.url}/v1/sessions/refresh`, {
      body: refreshToken === null ? {} : { refresh_token: refreshToken },
      cookies: this.#cookies,
    });
  }

  /** @throws AuthError signed_out if the session ended in the meantime */
  #adopt(id: string, body: object): Token {
    const session = this.need();
    if (session.id !== id) throw new AuthError('signed_out', 'The session has ended.');
    const { organization, ...tokens } = sessionIn(body);
    const kept = this.#kept(tokens);
    this.#held.adopt({ ...session, version: session.version + 1, organization, ...kept });
    return kept.tokens[KEY];
  }

  #kept({ token, seconds, refreshToken }: { token: string; seconds: number; refreshToken: string | null }) {
    const kept: Token = { value: token, expiresAt: this.#issuer.clock.now() + seconds * 1000 };
    return { refreshToken, tokens: { [KEY]: kept } };
  }
}
