import { oidc } from './oidc.ts';

/** What is stored about a connection of a kind: what administrators see, and what is sealed. */
export type Stored = { configuration: Record<string, unknown>; secret: string | null };

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
   * Merges what an administrator writes with what is stored.
   * @param before null: the connection is new
   * @throws Problem VALIDATION_FAILED
   */
  merge: (before: Stored | null, written: unknown) => Stored;
  /**
   * The party that vouches for people, such as an issuer. Accounts belong to it: when it changes, nobody is linked.
   */
  authority: (configuration: Record<string, unknown>) => string;
  /** The names of attributes that the kind expects. */
  attributes: AttributeNames;
};

/** The kinds of connections. */
export const KINDS = { oidc } as const satisfies Record<string, Kind>;
export type ConnectionKind = keyof typeof KINDS;

export const connectionKinds = Object.keys(KINDS).filter((kind): kind is ConnectionKind => kind in KINDS);
