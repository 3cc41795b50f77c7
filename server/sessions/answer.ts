import { type Static, Type } from 'typebox';
import { signAccessToken } from '#access-tokens';
import { projectOf } from '#environments';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { standingIn } from '#platform/standing.ts';
import type { IssuedSession } from './refresh-tokens.ts';
import type { ScopeEntry } from './sessions.ts';

/** The response of every sign-in, refresh and switch-context. Token fields are named as in RFC 6749 §5.1. */
export const SessionResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    refresh_token: Type.String(),
    refresh_expires_in: Type.Integer({ description: 'Seconds.' }),
    session: Type.Object(
      {
        id: IdSchema('ses'),
        userId: IdSchema('usr'),
        workspaceId: IdSchema('wrk'),
        projectId: IdSchema('prj'),
        environment: Type.Enum(['test', 'production']),
        organizationId: nullable(IdSchema('org')),
        amr: Type.Array(Type.String()),
        acr: Type.String(),
        authTime: Instant,
        expiresAt: Instant,
      },
      { title: 'Session' },
    ),
  },
  { title: 'SessionTokens' },
);
export type SessionResponse = Static<typeof SessionResponse>;

/** Signs an access token for the entry and builds the session response. */
export async function sessionResponse(ctx: Ctx, { entry, refresh, claims }: IssuedSession): Promise<SessionResponse> {
  const { workspaceId, environment } = ctx.scope;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const iat = Math.floor(ctx.now.getTime() / 1000);
  // An access token never outlives its session.
  const organization = await organizationClaims(ctx, entry);
  const endsAt = Math.floor(entry.expiresAt.getTime() / 1000);
  const exp = Math.min(iat + settings.accessTokenSeconds, endsAt, organization.endsAt);
  const { entryId, sessionId, userId, projectId, organizationId, amr, acr, authTime, expiresAt } = entry;
  const access = await signAccessToken(ctx, {
    ...claims,
    iat,
    exp,
    sub: userId,
    sid: sessionId,
    entryId,
    workspaceId,
    projectId,
    environment,
    amr,
    acr,
    auth_time: Math.floor(authTime.getTime() / 1000),
    ...organization.claims,
  });
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: exp - iat,
    refresh_token: refresh.token,
    refresh_expires_in: Math.floor((refresh.expiresAt.getTime() - ctx.now.getTime()) / 1000),
    session: {
      id: sessionId,
      userId,
      workspaceId,
      projectId,
      environment,
      organizationId,
      amr,
      acr,
      authTime: authTime.toISOString(),
      expiresAt: expiresAt.toISOString(),
    },
  };
}

/**
 * The claims about the organization of an entry, and until when its policy lets the proof count, in seconds.
 * @throws Problem SESSION_REVOKED when the person is no longer in the organization
 */
async function organizationClaims(ctx: Ctx, { organizationId, userId, version, authTime }: ScopeEntry) {
  if (organizationId === null) return { claims: {}, endsAt: Number.POSITIVE_INFINITY };
  const standing = await standingIn(ctx, { organizationId, userId });
  if (standing?.status !== 'active') throw problem('SESSION_REVOKED', { extensions: { organizationId } });
  const { name, slug, roles, policy } = standing;
  const claims = {
    entryVersion: version,
    org_id: organizationId,
    org_name: name,
    ...(slug !== null && { org_slug: slug }),
    org_roles: roles,
  };
  return { claims, endsAt: Math.floor(authTime.getTime() / 1000) + policy.sessionAbsoluteSeconds };
}
