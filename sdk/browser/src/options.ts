import type { User } from './session.ts';
import type { Persistence } from './store.ts';

export type AuthOptions = {
  /** The auth address of the installation, or the project's own, such as `https://auth.example.com`. */
  issuer: string;
  /** The `clientId` of an application of the kind `spa`, which lists the origin of this page. */
  clientId: string;
  /** A redirect address of the application. By default the root of this origin, with a slash. */
  redirectUri?: string;
  /** Where people go after signing out: a registered address. By default {@link redirectUri}. */
  postLogoutRedirectUri?: string;
  /** By default `openid profile email offline_access`. */
  scope?: string;
  /** The identifiers of the APIs that access tokens are for. The first one is the default. */
  resource?: string | readonly string[];
  /** Origins that {@link Auth.fetch} sends tokens to, beside those of this page and of Latchkey. */
  apiOrigins?: readonly string[];
  /** What a reload keeps. By default `memory`. */
  persistence?: Persistence;
  /**
   * Whether a new page asks Latchkey for the session by a redirect without questions, if nothing here has it although somebody was
   * signed in. By default true.
   */
  restore?: boolean;
  /** Whether tokens are bound to a key of this browser (RFC 9449). */
  dpop?: boolean;
};

export type AuthState =
  | { status: 'loading' }
  | {
      status: 'signed-out';
      /** Why, if somebody was signed in, or tried to: `offline` means that it is not known yet. */
      reason?: 'signed_out' | 'ended' | 'offline';
    }
  | {
      status: 'signed-in';
      user: User;
      /** The organization that is worked in, by id or slug. */
      organization: string | null;
      /** False while Latchkey cannot be reached. */
      isOnline: boolean;
    };

/** Which access token is wanted. */
export type TokenOptions = {
  /** The identifier of an API. By default the first one of the settings; empty for Latchkey's own addresses. */
  resource?: string;
  /** Another organization of the person than that of the state. */
  organization?: string;
};
