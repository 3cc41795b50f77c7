import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { membersById } from '#members';
import { clientsOfSessions } from '#oidc';
import { CountryOfAddress } from '#platform/countries.ts';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { IdSchema, type SessionId } from '#platform/ids.ts';
import { openCursor, type Page, PageOf, PageQuery, pageOf } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { del, get, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { revokeEntries, sessionsOfProject } from '#sessions';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const SessionRef = Type.Object({ sessionId: IdSchema('ses') });

const AdminSession = Type.Object(
  {
    id: IdSchema('ses'),
    userId: IdSchema('usr'),
    amr: Type.Array(Type.String()),
    acr: Type.String(),
    authTime: Instant,
    createdAt: Instant,
    lastSeenAt: Instant,
    expiresAt: Instant,
    ip: nullableText,
    userAgent: nullableText,
    country: CountryOfAddress,
    organizationIds: Type.Array(IdSchema('org'), {
      description: 'The organizations of the project that the session is in.',
    }),
    clientIds: Type.Array(Type.String(), {
      description: 'The applications of the project that use it through the OpenID provider.',
    }),
  },
  { title: 'MemberSession' },
);
type AdminSession = Static<typeof AdminSession>;

const Query = Type.Object({
  ...PageQuery.properties,
  memberId: Type.Optional(IdSchema('mem')),
});

/** Sessions in a project, for administrators. */
export const adminSessionRoutes: Routes = [
  get('/v1/admin/sessions', {
    permission: 'sessions:read',
    summary: 'List live sessions',
    query: Query,
    responses: { 200: PageOf(AdminSession) },
    problems: ['INVALID_CURSOR', 'NOT_FOUND'],
    handler: (request) => listProjectSessions(request.ctx, request.query),
  }),
  get('/v1/admin/sessions/:sessionId', {
    permission: 'sessions:read',
    etag: { without: ['lastSeenAt'] },
    summary: 'Read a live session',
    params: SessionRef,
    responses: { 200: AdminSession },
    problems: ['NOT_FOUND'],
    handler: (request) => getProjectSession(request.ctx, request.params.sessionId),
  }),
  del('/v1/admin/sessions/:sessionId', {
    permission: 'sessions:revoke',
    stepUp: false,
    summary: 'End a session in this project',
    description: 'The person is signed out of this project immediately; the session continues in other projects.',
    params: SessionRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => endProjectSession(request.ctx, request.params.sessionId),
  }),
];

async function listProjectSessions(
  ctx: Ctx,
  { limit, cursor, memberId }: Static<typeof Query>,
): Promise<Page<AdminSession>> {
  const list = memberId === undefined ? 'sessions' : `sessions ${memberId}`;
  const before =
    cursor === undefined ? undefined : Value.Parse(SessionRef.properties.sessionId, openCursor(ctx, list, cursor));
  const userId = memberId === undefined ? undefined : found((await membersById(ctx, [memberId]))[0]).userId;
  const rows = await sessionsOfProject(ctx, { limit: limit + 1, before, userId });
  const page = pageOf(ctx, rows, { list, limit, keyOf: ({ id }) => id });
  return { items: await withClients(ctx, page.rows), nextCursor: page.nextCursor };
}

async function withClients(ctx: Ctx, sessions: Omit<AdminSession, 'clientIds'>[]): Promise<AdminSession[]> {
  const clients = await clientsOfSessions(
    ctx,
    sessions.map(({ id }) => id),
    ctx.scope.projectId,
  );
  return sessions.map((session) => ({ ...session, clientIds: clients.get(session.id) ?? [] }));
}

/** @throws Problem NOT_FOUND */
async function getProjectSession(ctx: Ctx, sessionId: SessionId): Promise<AdminSession> {
  const [session] = await withClients(ctx, await sessionsOfProject(ctx, { limit: 1, only: sessionId }));
  if (!session) throw problem('NOT_FOUND');
  return session;
}

/** @throws Problem NOT_FOUND */
async function endProjectSession(ctx: Ctx, sessionId: SessionId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const ended = await revokeEntries(tx, { sessionId }, 'administrator');
    if (ended === 0) throw problem('NOT_FOUND');
  });
}
