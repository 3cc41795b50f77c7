import { Type } from 'typebox';
import { emit } from '#events';
import { usersById } from '#people';
import { cookieName, cookieOptions } from '#platform/cookies.ts';
import { transaction } from '#platform/ctx.ts';
import { html, sendPage } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { revokeSessions } from '#sessions';
import { Workspace, workspacesById } from '#tenancy';
import { CALLBACK_PATH, installationCtx, installationOf } from './installation.ts';
import {
  csrfTokenOf,
  endOperatorSession,
  type OperatorSession,
  operatorCookie,
  startOperatorSession,
} from './operator-sessions.ts';
import { isSetUp } from './set-up.ts';
import { beginSignIn, finishSignIn, ReturnTo } from './sign-in.ts';
import { stepUpSecondsLeft } from './step-up.ts';
import { teamsOf } from './team.ts';
import { permissionsForInstallation, permissionsOfTeamRole, TeamRole } from './team-roles.ts';

const SIGN_IN = '/console/v1/sign-in';

/** How long an operator may take at the sign-in pages. */
const AWAY_SECONDS = 3_600;

const Permissions = Type.Array(Type.String());
const nullableText = Type.Union([Type.String(), Type.Null()]);
const Addresses = Type.Object({ auth: Type.String(), api: Type.String() });

const Session = Type.Object({
  operator: Type.Object({ userId: IdSchema('usr'), email: nullableText, displayName: nullableText }),
  csrfToken: Type.String({ description: 'Sent with every change as `X-CSRF-Token`.' }),
  authTime: Instant,
  stepUpSeconds: Type.Integer({
    description: 'How long operations marked `x-step-up` need no further sign-in, from this response on.',
  }),
  expiresAt: Instant,
  mode: Type.Enum(['development', 'production']),
  installation: Type.Object({
    workspaceId: IdSchema('wrk'),
    role: Type.Union([TeamRole, Type.Null()]),
    permissions: Permissions,
  }),
  workspaces: Type.Array(
    Type.Object({
      id: IdSchema('wrk'),
      name: Type.String(),
      role: TeamRole,
      permissions: Permissions,
      deletesAt: Workspace.properties.deletesAt,
    }),
  ),
  addresses: Type.Object({ test: Addresses, production: Addresses }),
});

/** The cookie that keeps the state of the sign-in while the operator is at the sign-in pages. */
function awayCookie({ address }: Request): string {
  return cookieName(address, 'console', 'sign-in');
}

export const sessionRoutes: Routes = [
  get(SIGN_IN, {
    permission: 'public',
    counted: 'begin',
    summary: 'Start a sign-in',
    description: 'Open in a browser: goes to the sign-in pages, and returns to `returnTo` with the session.',
    query: Type.Object({
      returnTo: Type.Unsafe<string>({ ...ReturnTo, default: '/console/' }),
      stepUp: Type.Boolean({
        default: false,
        description: 'Asks for authentication again, before a dangerous action.',
      }),
      loginHint: Type.Optional(
        Type.String({ minLength: 1, maxLength: 254, description: 'The address to sign in with, which is filled in.' }),
      ),
    }),
    handler: async (request, reply) => {
      const { system } = request.server;
      if (!(await isSetUp(installationCtx(system, 'console')))) return reply.redirect('/console/setup', 303);
      const { url, kept } = await beginSignIn(system, request.query);
      reply.setCookie(awayCookie(request), kept, { ...cookieOptions(request.address, 'lax'), maxAge: AWAY_SECONDS });
      return reply.redirect(url, 303);
    },
  }),
  get(CALLBACK_PATH, {
    permission: 'public',
    handler: (request, reply) => arrive(request, reply),
  }),
  get('/console/v1/session', {
    permission: 'operator',
    summary: 'Read your session',
    responses: { 200: Session },
    handler: ({ server, operator }) => describeSession(server.system, operator),
  }),
  post('/console/v1/session/sign-out', {
    permission: 'operator',
    stepUp: false,
    summary: 'Sign out',
    description: 'Ends the session here and at the auth host.',
    responses: { 204: Type.Null() },
    handler: async (request, reply) => {
      const { ctx, operator } = request;
      await transaction(ctx, async (tx) => {
        await revokeSessions(tx, operator.userId, { only: operator.sessionId }, 'logout');
        await emit(tx, 'user.logout', { userId: operator.userId, everywhere: false });
      });
      reply.clearCookie(operatorCookie(ctx.system), cookieOptions(request.address, 'strict'));
    },
  }),
];

async function arrive(request: Request, reply: Reply): Promise<Reply> {
  const { system } = request.server;
  try {
    const query = request.url.slice(request.url.indexOf('?'));
    const { returnTo, ...arrived } = await finishSignIn(system, query, request.cookies[awayCookie(request)] ?? '');
    const before = request.cookies[operatorCookie(system)];
    const secret = await transaction(installationCtx(system, 'console'), async (tx) => {
      if (before !== undefined) await endOperatorSession(tx, before);
      return startOperatorSession(tx, arrived);
    });
    reply.clearCookie(awayCookie(request), cookieOptions(request.address, 'lax'));
    // No Max-Age: the browser deletes the cookie when it is closed, the server ends the session when it expires.
    // SameSite=Strict: the page itself needs no session, and its calls come from the same site.
    reply.setCookie(operatorCookie(system), secret, cookieOptions(request.address, 'strict'));
    return reply.redirect(returnTo, 303);
  } catch (error) {
    request.log.info({ err: error }, 'a sign-in to the console failed');
    return sendPage(reply, {
      title: 'Not signed in',
      status: 400,
      body: html`<div class="narrow card"><h1>Not signed in</h1><p>The sign-in was cancelled, took too long, or was started in another browser.</p><p><a href="${SIGN_IN}">Try again</a></p></div>`,
    });
  }
}

async function describeSession(system: Request['server']['system'], operator: OperatorSession) {
  const { scope } = installationOf(system);
  const [people, teams] = await Promise.all([
    usersById({ db: system.db, scope }, [operator.userId]),
    teamsOf(system, operator.userId),
  ]);
  const person = people.get(operator.userId);
  const installationRole = teams.get(scope.workspaceId) ?? null;
  const forAll = permissionsForInstallation(installationRole);
  const workspaces = (await workspacesById(system.db, [...teams.keys()])).flatMap(({ id, name, deletesAt }) => {
    const role = teams.get(id);
    const kind = { builtIn: id === scope.workspaceId };
    return role
      ? [{ id, name, role, permissions: [...permissionsOfTeamRole(system, role, kind), ...forAll], deletesAt }]
      : [];
  });
  const { addresses, mode } = system.config;
  return {
    operator: { userId: operator.userId, email: person?.email ?? null, displayName: person?.displayName ?? null },
    csrfToken: csrfTokenOf(system, operator),
    authTime: operator.authTime.toISOString(),
    stepUpSeconds: stepUpSecondsLeft(system, operator),
    expiresAt: operator.expiresAt.toISOString(),
    mode,
    installation: { workspaceId: scope.workspaceId, role: installationRole, permissions: [...forAll] },
    workspaces,
    addresses: { test: addresses.test, production: addresses.production },
  };
}
