import { type Static, Type } from 'typebox';
import { knownAccessToken } from '#access-tokens';
import { projectOf } from '#environments';
import { usersById } from '#people';
import { type Ctx, type CustomerActor, customerOf, type Environment } from '#platform/ctx.ts';
import { feedCache } from '#platform/feed-cache.ts';
import type { EarlyForm, EarlyResponse } from '#platform/http-early.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { standingIn } from '#platform/standing.ts';
import type { System } from '#platform/system.ts';
import { findSession } from '#sessions';
import { findMember } from './members.ts';

const Context = Type.Object({
  user: Type.Object({
    id: IdSchema('usr'),
    email: nullable(Type.String()),
    emailVerified: Type.Boolean(),
    phone: nullable(Type.String()),
    phoneVerified: Type.Boolean(),
    username: nullable(Type.String()),
    displayName: nullable(Type.String()),
  }),
  membership: Type.Object({
    id: IdSchema('mem'),
    status: Type.String(),
    roles: Type.Array(Type.String()),
    joinedAt: Instant,
  }),
  workspace: Type.Object({ id: IdSchema('wrk'), name: Type.String() }),
  project: Type.Object({ id: IdSchema('prj'), name: Type.String() }),
  organization: nullable(
    Type.Object(
      {
        id: IdSchema('org'),
        name: Type.String(),
        slug: nullable(Type.String()),
        roles: Type.Array(Type.String()),
        permissions: Type.Array(Type.String(), { description: 'What the roles grant in this organization.' }),
      },
      { description: 'The organization that the session is in.' },
    ),
  ),
  environment: Type.Enum(['test', 'production']),
  session: Type.Object({
    id: IdSchema('ses'),
    amr: Type.Array(Type.String()),
    acr: Type.String(),
    authTime: Instant,
    createdAt: Instant,
    expiresAt: Instant,
  }),
});
type Context = Static<typeof Context>;

export const contextRoutes: Routes = [
  get('/v1/me/context', {
    permission: 'customer',
    summary: 'Read my context',
    responses: { 200: Context },
    problems: ['MEMBERSHIP_REQUIRED', 'NOT_FOUND'],
    early:
      ({ system, host: { environment } }) =>
      (request) =>
        environment === null ? undefined : knownContext(system, environment, request),
    handler: async (request, reply) => {
      const { ctx } = request;
      const actor = customerOf(ctx);
      // Not cached, because a change of an organization or its roles affects the contexts of many people.
      if (actor.organizationId) return readContext(ctx, actor);
      const { context, body } = await contexts(request.server.system, ctx);
      // Serialised once per session and change, not on every request.
      reply.type('application/json; charset=utf-8').serializer(() => body);
      return context;
    },
  }),
];

const HEADERS = { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' };
const BEARER = /^bearer /i;

/** The context of a session, if memory has it and vouches for it. */
function knownContext(
  system: System,
  environment: Environment,
  { authorization = '' }: EarlyForm,
): EarlyResponse | undefined {
  if (!BEARER.test(authorization)) return undefined;
  const token = knownAccessToken(system, environment, authorization.slice('bearer '.length));
  if (token?.kind !== 'customer' || token.claims.org_id !== undefined) return undefined;
  const known = contexts.known(system, token.claims.entryId);
  return known && { body: known.body, headers: HEADERS };
}

async function readContext(ctx: Ctx, actor: CustomerActor): Promise<Context> {
  const [users, member, session, project] = await Promise.all([
    usersById(ctx, [actor.userId]),
    findMember(ctx, actor.userId),
    findSession(ctx, actor.sessionId),
    projectOf(ctx.system, ctx.scope),
  ]);
  const user = users.get(actor.userId);
  if (!user || !session) throw problem('NOT_FOUND');
  if (!member) throw problem('MEMBERSHIP_REQUIRED');
  const { userId, locale: _locale, ...rest } = user;
  return {
    user: { id: userId, ...rest },
    membership: { id: member.id, status: member.status, roles: member.roles, joinedAt: member.joinedAt },
    workspace: { id: project.workspaceId, name: project.workspaceName },
    project: { id: project.projectId, name: project.projectName },
    organization: await organizationOf(ctx, actor),
    environment: project.environment,
    session: {
      id: actor.sessionId,
      amr: session.amr,
      acr: session.acr,
      authTime: session.authTime.toISOString(),
      createdAt: session.createdAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
    },
  };
}

/** @throws Problem SESSION_REVOKED when the person is no longer in the organization */
async function organizationOf(ctx: Ctx, { userId, organizationId }: CustomerActor): Promise<Context['organization']> {
  if (!organizationId) return null;
  const standing = await standingIn(ctx, { organizationId, userId });
  if (!standing) throw problem('SESSION_REVOKED');
  const { id, name, slug, roles, permissions } = standing;
  return { id, name, slug, roles, permissions };
}

type Remembered = { context: Context; body: string };

/**
 * Serialised contexts by scope entry, because a context is specific to a person and a project. Invalidated by any
 * change to the person, the membership, the roles or the project.
 */
const contexts = feedCache({
  topics: ['user', 'project', 'member'],
  drops: ({ topic, key }, _entryId, { context }: Remembered) => {
    if (topic === 'user') return context.user.id === key;
    if (topic === 'project') return key === '*' || context.project.id === key;
    const [project, user] = key.split('/');
    return context.project.id === project && (user === '*' || context.user.id === user);
  },
  keyOf: (ctx: Ctx) => customerOf(ctx).entryId,
  load: async (_system, ctx): Promise<Remembered> => {
    const context = await readContext(ctx, customerOf(ctx));
    return { context, body: JSON.stringify(context) };
  },
  // Each takes about a kilobyte.
  max: 20_000,
});
