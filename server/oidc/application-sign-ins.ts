import { Value } from 'typebox/value';
import { admit, deviceOfSession } from '#admission';
import { type Application, isFirstParty } from '#applications';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema, type OrganizationId, type SessionId, type UserId } from '#platform/ids.ts';
import { findSession } from '#sessions';
import { CLAIMS, ctxOf, findAccount } from './accounts.ts';
import { grantIn } from './organizations.ts';
import { issuerOf } from './provider.ts';

const UserIdSchema = IdSchema('usr');

/** A person who is signed in at an application that gets no code. */
export type ApplicationSignIn = {
  userId: UserId;
  sessionId: SessionId;
  amr: readonly string[];
  acr: string;
  authTime: Date;
  /** When the session ends. */
  endsAt: Date;
  /** What the application may know about the person. */
  claims: Readonly<Record<string, unknown>>;
};

/** The OAuth scopes that have claims. */
export function scopesOf(claims: readonly string[]): string[] {
  const scopes = Object.keys(CLAIMS).filter((scope) => claims.some((claim) => CLAIMS[scope]?.includes(claim)));
  return [...new Set(['openid', ...scopes])];
}

type At = { application: Application; organizationId: OrganizationId | null; scopes: readonly string[] };

/**
 * The sign-in of the requesting browser at an application, after an authorization request with `response_type=none`.
 * The request brought nothing that proves its result, so everything is decided again: that the session is live, the
 * grant and the consent are, and the person is admitted.
 * @returns undefined if the person has to go through an authorization request
 */
export async function signInAt(
  request: Request,
  reply: Reply,
  { application, organizationId, scopes }: At,
): Promise<ApplicationSignIn | undefined> {
  const { system } = request.server;
  const { provider } = await issuerOf(system, { ...request.address, environment: application.environment });
  const session = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  const { accountId, sessionId, endsAt = 0, acr = 'aal1', amr = [], loginTs = 0 } = session;
  const client = await provider.Client.find(application.clientId);
  if (!client || !sessionId || !Value.Check(UserIdSchema, accountId)) return undefined;
  const ctx = { ...ctxOf(system, application), trace: request.trace };
  const live = await findSession(ctx, sessionId);
  const grant = await grantIn(ctx, { oidc: { client, session, provider } }, organizationId);
  if (!live || endsAt * 1000 <= ctx.now.getTime() || grant?.accountId !== accountId) return undefined;
  const account = await findAccount(system, { client, entities: { Grant: grant } }, accountId);
  if (!account) return undefined;
  const { decision } = await admit(ctx, 'authorize', {
    userId: accountId,
    member: 'active',
    organizationId,
    party: isFirstParty(application) ? 'first' : 'third',
    proof: live,
    device: deviceOfSession(ctx, accountId, live),
    // The grant was given after the person had entered.
    isInside: async () => true,
  });
  if (decision.kind !== 'admitted') return undefined;
  const claims = await account.claims('userinfo', scopes.join(' '), {}, []);
  return { userId: accountId, sessionId, amr, acr, authTime: new Date(loginTs * 1000), endsAt: live.expiresAt, claims };
}
