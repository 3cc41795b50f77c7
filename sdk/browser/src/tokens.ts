import { type Issuer, postForm, type TokenResponse, tokensOf } from './endpoints.ts';
import { AuthError } from './errors.ts';
import type { Held } from './held.ts';
import { alone } from './lock.ts';
import type { TokenOptions } from './options.ts';
import { lasts, type Session, type Token } from './session.ts';

/** As the refused token: every token that is known. */
export const ANY = '*';

type Wanted = {
  /** As the settings name it. */
  resource: string | undefined;
  /** Empty for that of the sign-in. */
  organization: string;
  /** A token that was refused, though it has not expired. */
  refused?: string | undefined;
};

/** The access tokens of the session. One tab at a time renews them. */
export class Tokens {
  readonly #held: Held;
  readonly #issuer: Issuer;
  readonly #name: string;

  constructor(name: string, held: Held, issuer: Issuer) {
    this.#name = `${name} renewal`;
    this.#held = held;
    this.#issuer = issuer;
  }

  /** @throws AuthError signed_out, offline, unavailable, organization_refused, refused */
  async get({ resource, organization }: TokenOptions, refused?: string): Promise<string> {
    const session = this.need();
    const named = organization ?? session.organization ?? '';
    const wanted: Wanted = { resource, organization: named === session.home ? '' : named, refused };
    const token =
      this.#usable(session, wanted) ?? (await alone(this.#name, (hasWaited) => this.#renew(wanted, hasWaited)));
    return token.value;
  }

  /** @throws AuthError signed_out */
  need(): Session {
    const { session } = this.#held;
    if (!session) throw new AuthError('signed_out', 'Nobody is signed in.');
    return session;
  }

  /** Keeps the token of a sign-in. */
  ofSignIn(response: TokenResponse, resource: string | undefined): Session['tokens'] {
    return { [keyOf({ resource, organization: '' })]: this.#tokenOf(response) };
  }

  hasExpired(): boolean {
    const { tokens } = this.need();
    return !Object.values(tokens).some((token) => token.expiresAt > this.#issuer.clock.now());
  }

  #usable(session: Session, wanted: Wanted): Token | null {
    const token = session.tokens[keyOf(wanted)];
    if (!token || wanted.refused === ANY || token.value === wanted.refused) return null;
    return lasts(token, this.#issuer.clock) ? token : null;
  }

  async #renew(wanted: Wanted, hasWaited: boolean): Promise<Token> {
    const known = this.#usable(this.need(), wanted);
    if (known) return known;
    if (hasWaited) {
      await this.#held.askTabs();
      const received = this.#usable(this.need(), wanted);
      if (received) return received;
    }
    const { id, refreshToken } = this.need();
    if (refreshToken === null) return this.#lost('The session has no refresh token.');
    const response = await this.#request(refreshToken, wanted);
    const session = this.need();
    if (session.id !== id) throw new AuthError('signed_out', 'The session has ended.');
    const token = this.#tokenOf(response);
    const { id_token: idToken = session.idToken } = response;
    this.#held.adopt({
      ...session,
      version: session.version + 1,
      idToken,
      refreshToken: response.refresh_token ?? refreshToken,
      tokens: { ...session.tokens, [keyOf(wanted)]: token },
    });
    return token;
  }

  async #request(refreshToken: string, { resource, organization }: Wanted): Promise<TokenResponse> {
    try {
      const body = await postForm(this.#issuer, '/connect/token', {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        resource: resource || undefined,
        organization: organization || undefined,
      });
      this.#held.setOnline(true);
      return tokensOf(body);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      if (error.code === 'offline') this.#held.setOnline(false);
      if (error.oauthError === 'invalid_grant') return this.#lost('The session has ended.');
      if (['access_denied', 'unmet_authentication_requirements'].includes(error.oauthError ?? ''))
        throw new AuthError('organization_refused', error.message, { oauthError: error.oauthError ?? undefined });
      throw error;
    }
  }

  #lost(message: string): never {
    this.#held.end('ended');
    throw new AuthError('signed_out', message);
  }

  #tokenOf({ access_token: value, expires_in: seconds }: TokenResponse): Token {
    return { value, expiresAt: this.#issuer.clock.now() + seconds * 1000 };
  }
}

function keyOf({ resource, organization }: Wanted): string {
  return `${organization} ${resource ?? ''}`;
}
