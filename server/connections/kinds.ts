import type { Ctx } from '#platform/ctx.ts';
import { oidc } from './oidc.ts';
import { saml } from './saml.ts';

/**
 * What is stored about a connection of a kind: what administrators see, and what is sealed. `keys` are apart from the
 * secret, because an earlier version would send what it finds there to the identity provider.
 */
export type Stored = { configuration: Record<string, unknown>; secret: string | null; keys: string | null };

/** The names of the attributes in which an identity provider describes a person. */
export type AttributeNames = {
  email: string;
  givenName: string;
  familyName: string;
  displayName: string;
  groups: string;
};

/** What the model of connections needs of a kind. How people sign in through it stands in `#federation`. */
export type Kind = {
  /**
   * What takes long or calls out, before the change becomes a transaction.
   * @param before null: the connection is new
   * @returns what `merge` gets
   * @throws Problem VALIDATION_FAILED
   */
  prepare?: (ctx: Pick<Ctx, 'system'>, before: Stored | null, written: unknown) => Promise<unknown>;
  /**
   * Merges what an administrator writes with what is stored.
   * @param before null: the connection is new
   * @throws Problem VALIDATION_FAILED
   */
  merge: (before: Stored | null, written: unknown, prepared: unknown) => Stored;
  /**
   * The party that vouches for people, such as an issuer. Accounts belong to it: when it changes, nobody is linked.
   */
  authority: (configuration: Record<string, unknown>) => string;
  /** The names of attributes that the kind expects. */
  attributes: AttributeNames;
};

/** The kinds of connections. */
export const KINDS = { oidc, saml } as const satisfies Record<string, Kind>;
export type ConnectionKind = keyof typeof KINDS;

export const connectionKinds = Object.keys(KINDS).filter((kind): kind is ConnectionKind => kind in KINDS);
