import { Type } from 'typebox';
import { findApplication } from '#applications';
import { findProject } from '#environments';
import { type Ctx, type Environment, NO_PROJECT, type Scope } from '#platform/ctx.ts';
import type { Address, Request } from '#platform/http.ts';
import { IdSchema, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { projectOfLink } from '#proofs';
import { workspaceByRoutingKey } from '#tenancy';

/** The fields that name the project of an unauthenticated request; merge into a body. */
export const scopeFields = {
  clientId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The application that sends the request. It determines the project.',
    }),
  ),
  workspaceId: Type.Optional(IdSchema('wrk')),
  projectId: Type.Optional(IdSchema('prj')),
  environment: Type.Optional(
    Type.Enum(['test', 'production', 'prod'], { description: 'Must be the environment of the address.' }),
  ),
};

type ScopeFields = {
  clientId?: string;
  workspaceId?: WorkspaceId;
  projectId?: ProjectId;
  environment?: 'test' | 'production' | 'prod';
};

/** The environment of the host a request came to. */
export function environmentOf(request: Request): Environment {
  const { environment } = request.server.host;
  if (environment === null) throw new Error('This route must be on a host with an environment.');
  return environment;
}

/** @throws Problem ENVIRONMENT_MISMATCH */
function checkEnvironment(environment: Environment, named: string | undefined): void {
  if (named === undefined || named === environment || (named === 'prod' && environment === 'production')) return;
  throw problem(
    'ENVIRONMENT_MISMATCH',
    `The request names the environment "${named}"; this address serves "${environment}".`,
  );
}

/**
 * The context of a request without a token. Its project is that of the address, or of `clientId`, or of the ids, or the
 * environment's default.
 * @throws Problem CONTEXT_REQUIRED, ENVIRONMENT_MISMATCH, CONTEXT_NOT_ALLOWED for another project than the address's
 */
export async function anonymousCtx(request: Request, fields: ScopeFields): Promise<Ctx> {
  const environment = environmentOf(request);
  checkEnvironment(environment, fields.environment);
  const { system } = request.server;
  const { scope } = request.address;
  const named = Object.keys(fields).some(
    (name) => name === 'clientId' || name === 'workspaceId' || name === 'projectId',
  );
  const ctx = ctxFor(request, scope && !named ? scope : await resolveScope(system, environment, fields));
  return forApplication(ctx, fields.clientId);
}

/** Notes the application that sends a request, and what it wants. Ignores one of another project. */
export async function forApplication(ctx: Ctx, clientId: string | undefined): Promise<Ctx> {
  if (clientId === undefined) return ctx;
  const application = await findApplication(ctx.system, ctx.scope.environment, clientId);
  const isOwn = application?.enabled && application.projectId === ctx.scope.projectId;
  if (!isOwn) return ctx;
  const known = { ...ctx, applicationId: application.id };
  return application.usesDefaultOrganization ? { ...known, wantsDefaultOrganization: true } : known;
}

const ROUTED = /^lk[a-z]_([a-z0-9]{8})_/;

/**
 * The context of a mailed secret, which contains the key of its workspace. The project is looked up with it.
 * @throws Problem INVALID_TOKEN if there is no such workspace
 */
export async function realmOfSecret(request: Request, secret: string): Promise<Ctx> {
  const workspaceId = await workspaceByRoutingKey(request.server.system, ROUTED.exec(secret)?.[1] ?? '');
  if (!workspaceId) throw problem('INVALID_TOKEN');
  return ctxFor(request, { workspaceId, projectId: NO_PROJECT, environment: environmentOf(request) });
}

/**
 * The context of a mailed link: that of its challenge.
 * @throws Problem INVALID_TOKEN
 */
export async function linkCtx(request: Request, token: string): Promise<Ctx> {
  const ctx = await realmOfSecret(request, token);
  const projectId = await projectOfLink(ctx.system, ctx.scope, token);
  if (!projectId) throw problem('INVALID_TOKEN');
  return ctxFor(request, { ...ctx.scope, projectId });
}

/** The context of a proof: a link determines its project; a code belongs to the project that the request names. */
export async function proofCtx(request: Request, fields: ScopeFields & { token?: string }): Promise<Ctx> {
  if (fields.token === undefined) return anonymousCtx(request, fields);
  return forApplication(await linkCtx(request, fields.token), fields.clientId);
}

/**
 * A context in a scope known by other means, such as a refresh token.
 * @throws Problem CONTEXT_NOT_ALLOWED when the address serves another project
 */
export function ctxFor(request: Request, scope: Scope): Ctx {
  const { system } = request.server;
  requireServed(request.address, scope);
  const { trace, address, unit } = request;
  const now = system.clock.now();
  const ctx = { system, scope, actor: { kind: 'anonymous' }, trace, now, authAddress: address.url } as const;
  return unit ? { ...ctx, db: unit.db, unit } : { ...ctx, db: system.db };
}

/**
 * A project's own address serves no other project.
 * @throws Problem CONTEXT_NOT_ALLOWED
 */
export function requireServed({ scope: served }: Address, { workspaceId, projectId }: Scope): void {
  if (!served) return;
  const same = projectId === served.projectId || projectId === NO_PROJECT;
  if (workspaceId !== served.workspaceId || !same)
    throw problem('CONTEXT_NOT_ALLOWED', 'This address serves one project, and the request belongs to another.');
}

async function resolveScope(
  system: System,
  environment: Environment,
  { clientId, workspaceId, projectId }: ScopeFields,
): Promise<Scope> {
  if (clientId !== undefined) {
    const application = await findApplication(system, environment, clientId);
    if (!application?.enabled)
      throw problem(
        'CONTEXT_REQUIRED',
        `There is no application with this clientId in the environment "${environment}".`,
      );
    return { workspaceId: application.workspaceId, projectId: application.projectId, environment };
  }
  if ((workspaceId === undefined) !== (projectId === undefined))
    throw problem('CONTEXT_REQUIRED', 'Send workspaceId and projectId together; one of them is missing.');
  const lookup =
    workspaceId !== undefined && projectId !== undefined
      ? { environment, workspaceId, projectId }
      : ({ environment, default: true } as const);
  const project = await findProject(system, lookup);
  if (!project) throw problem('CONTEXT_REQUIRED');
  return { workspaceId: project.workspaceId, projectId: project.projectId, environment };
}
