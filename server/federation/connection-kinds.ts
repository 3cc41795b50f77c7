import type { ConnectionKind, UsableConnection } from '#connections';
import type { Ctx } from '#platform/ctx.ts';
import type { SamlSession } from '#single-logout';
import { oidcConnections } from './oidc-connections.ts';
import { samlConnections } from './saml-connections.ts';
import type { UpstreamRequest } from './upstream.ts';

/** What the identity provider of a connection says about a person. */
export type Asserted = {
  subject: string;
  attributes: Record<string, unknown>;
  /** The attributes as they were sent, to be shown. */
  received: Record<string, string[]>;
  /** Whether the provider says that the address is verified; null: it says nothing. */
  emailVerified: boolean | null;
  /** The session at the identity provider, if it can end ours. */
  session: SamlSession | null;
};

/** How people sign in through connections of a kind. */
export type ConnectionFlow = {
  /** The address of the sign-in page of the identity provider. */
  start: (ctx: Ctx, connection: UsableConnection, request: UpstreamRequest & { callback: string }) => Promise<string>;
  /**
   * Reads and checks what the browser brought back.
   * @param returned the callback address with the parameters of the identity provider
   * @param message what the identity provider posted to the callback address
   * @throws Error that names the failed check
   */
  finish: (
    ctx: Ctx,
    connection: UsableConnection,
    visit: { request: UpstreamRequest; returned: URL; message: string | null },
  ) => Promise<Asserted>;
  /** Checks that the identity provider responds as configured; signs nobody in. */
  test: (ctx: Ctx, connection: UsableConnection) => Promise<{ ok: boolean; detail: string }>;
};

export const CONNECTION_FLOWS: Readonly<Record<ConnectionKind, ConnectionFlow>> = {
  oidc: oidcConnections,
  saml: samlConnections,
};
