import { Value } from 'typebox/value';
import { findProject } from '#environments';
import { type Ctx, type Environment, NO_PROJECT, type Scope } from '#platform/ctx.ts';
import { type App, addressOf, type Request } from '#platform/http.ts';
import { IdSchema, type WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { RoutePermission } from '#platform/route.ts';
import type { System } from '#platform/system.ts';
import { isClosed } from '#tenancy';
import { installationOf } from './installation.ts';
import { operatorPermissions } from './operator-permissions.ts';
import { checkCsrfToken, findOperatorSession, type OperatorSession } from './operator-sessions.ts';
import { requireStepUp } from './step-up.ts';
import { permissionsForInstallation, permissionsOfTeamRole } from './team-roles.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The operator's session, on console routes that require one. */
    operator: OperatorSession;
  }
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];
const WorkspaceIdSchema = IdSchema('wrk');
const ProjectIdSchema = IdSchema('prj');

/**
 * Authenticates every request of an operator before its input is parsed: the session; for changes, the page that sent
 * it; the workspace, project and environment in its headers; and the permission its route declares.
 */
export function addOperatorAuthentication(app: App): void {
  app.decorateRequest('operator');
  app.addHook('onRequest', (request, _reply, done) => {
    const permission = request.route?.permission;
    if (permission === undefined || permission === 'public') return done();
    authenticate(request, permission).then(() => done(), done);
  });
}

async function authenticate(request: Request, permission: Exclude<RoutePermission, 'public'>): Promise<void> {
  const { system } = request.server;
  const workspaceId = placeIn(request, 'workspaceId');
  const named = Value.Check(WorkspaceIdSchema, workspaceId) ? workspaceId : null;
  const session = await findOperatorSession({ system, cookies: request.cookies }, named);
  if (session === 'none') throw problem('AUTHENTICATION_REQUIRED', 'Sign in to the console.');
  if (session === 'expired') throw problem('SESSION_EXPIRED', 'Sign in to the console again.');
  if (!SAFE.includes(request.method)) requireConsolePage(request, session);
  request.operator = session;
  if (permission === 'operator') {
    request.ctx = contextOf(
      request,
      installationOf(system).scope,
      permissionsForInstallation(session.installationRole),
    );
    return;
  }
  const kind = { builtIn: named === installationOf(system).scope.workspaceId };
  if (workspaceId === undefined) throw problem('CONTEXT_REQUIRED', 'Send the header X-Workspace-Id.');
  const permissions = permissionsIn(system, session, kind);
  if (!permissions.includes(permission))
    throw problem('AUTHORIZATION_DENIED', {
      detail: `Your role in this workspace, ${session.role}, does not grant "${permission}".`,
      extensions: { requiredPermission: permission },
    });
  if (!request.route?.whenClosed) await requireOpen(system, named);
  requireStepUp(request, session);
  const scope = await scopeOf(request, named);
  request.ctx = contextOf(request, scope, await operatorPermissions({ system, scope }, session));
}

/** @throws Problem MEMBERSHIP_REQUIRED, both for another team's workspace and for one that does not exist */
function permissionsIn(
  system: System,
  { role, installationRole }: OperatorSession,
  kind: { builtIn: boolean },
): string[] {
  if (role === null) throw problem('MEMBERSHIP_REQUIRED', 'You are not in the team of this workspace.');
  return [...permissionsOfTeamRole(system, role, kind), ...permissionsForInstallation(installationRole)];
}

/** @throws Problem CONFLICT */
async function requireOpen(system: System, workspaceId: WorkspaceId | null): Promise<void> {
  if (workspaceId !== null && (await isClosed(system, { workspaceId })))
    throw problem('CONFLICT', 'The workspace will be deleted. An owner can restore it.');
}

/**
 * The browser attaches cookies whichever page sends the request. A page of the console is recognised by its origin and
 * by the CSRF token it has read (ASVS 3.5.1).
 * @throws Problem ORIGIN_NOT_ALLOWED, CSRF_TOKEN_INVALID
 */
function requireConsolePage(request: Request, session: OperatorSession): void {
  const { system, host } = request.server;
  const { origin } = request.headers;
  if (origin !== addressOf(system, host))
    throw problem(
      'ORIGIN_NOT_ALLOWED',
      `Changes are accepted only from pages of the console. Received the origin ${origin ?? '(none)'}.`,
    );
  if (!checkCsrfToken(system, session, header(request, 'x-csrf-token') ?? '')) throw problem('CSRF_TOKEN_INVALID');
}

/** A scope without a project, for events of the workspace itself. */
export function workspaceScope(workspaceId: WorkspaceId): Scope {
  return { workspaceId, projectId: NO_PROJECT, environment: 'production' };
}

async function scopeOf(request: Request, workspaceId: WorkspaceId | null): Promise<Scope> {
  if (workspaceId === null) throw problem('CONTEXT_REQUIRED');
  if (request.route?.level === 'workspace') return workspaceScope(workspaceId);
  const projectId = placeIn(request, 'projectId');
  const environment = environmentIn(placeIn(request, 'environment'));
  if (projectId === undefined || environment === undefined)
    throw problem('CONTEXT_REQUIRED', 'Send the headers X-Project-Id and X-Environment (test or production).');
  const lookup = Value.Check(ProjectIdSchema, projectId) ? { workspaceId, projectId, environment } : undefined;
  const project = lookup && (await findProject(request.server.system, lookup));
  if (!project) throw problem('NOT_FOUND', 'There is no such project in this workspace.');
  return { workspaceId, projectId: project.projectId, environment };
}

function environmentIn(text: string | undefined): Environment | undefined {
  if (text === 'prod') return 'production';
  return text === 'test' || text === 'production' ? text : undefined;
}

const HEADERS = { workspaceId: 'x-workspace-id', projectId: 'x-project-id', environment: 'x-environment' } as const;

/** The value of a request's scope header. */
function placeIn(request: Request, what: keyof typeof HEADERS): string | undefined {
  const scopeIn = request.route?.scopeIn;
  const named = scopeIn === 'query' ? undefined : header(request, HEADERS[what]);
  if (named !== undefined || scopeIn === undefined) return named;
  const value: unknown = Object(request.query)[what];
  return typeof value === 'string' ? value : undefined;
}

function header(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function contextOf(request: Request, scope: Scope, permissions: readonly string[]): Ctx {
  const { system } = request.server;
  return {
    system,
    db: system.db,
    scope,
    actor: { kind: 'operator', userId: request.operator.userId, sessionId: request.operator.sessionId, permissions },
    trace: request.trace,
    now: system.clock.now(),
  };
}
