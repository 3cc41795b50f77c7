import { Value } from 'typebox/value';
import { addressesOf } from '#domains';
import { findProject } from '#environments';
import type { Environment, Scope } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import type { SystemInTx } from '#platform/system.ts';
import type { Application } from './applications.ts';

const PREFIX = 'account.';
const [WorkspaceRef, ProjectRef] = [IdSchema('wrk'), IdSchema('prj')];
/**
 * Cached per state of a project and its addresses, because the provider creates a client per state of an application.
 */
const made = new WeakMap<object, Application>();

/** The client id of a project's account page. It signs people in like any application, but is in no table. */
export function accountPageId({ workspaceId, projectId }: Scope): string {
  return `${PREFIX}${workspaceId}.${projectId}`;
}

/** True for the client id of an account page. */
export function isAccountPage(clientId: string): boolean {
  return clientId.startsWith(PREFIX);
}

/**
 * The account page of a project, as an application.
 * @returns undefined when there is no such project
 */
export async function accountPage(
  system: SystemInTx,
  environment: Environment,
  clientId: string,
): Promise<Application | undefined> {
  const [workspaceId, projectId] = clientId.slice(PREFIX.length).split('.');
  if (!Value.Check(WorkspaceRef, workspaceId) || !Value.Check(ProjectRef, projectId)) return undefined;
  const project = await findProject(system, { environment, workspaceId, projectId });
  if (!project) return undefined;
  const own = await addressesOf(system, { workspaceId, projectId, environment });
  const addresses = [system.config.addresses[environment].auth, ...own.auth];
  const redirectUris = addresses.flatMap((auth) => [`${auth}/account/return`, `${auth}/account/linked`]);
  const known = made.get(project);
  if (known?.redirectUris.join() === redirectUris.join()) return known;
  const application = describe(project, clientId, redirectUris);
  made.set(project, application);
  return application;
}

function describe(project: Scope & { projectName: string }, clientId: string, redirectUris: string[]): Application {
  const { workspaceId, projectId, environment, projectName } = project;
  return {
    id: 'app_account',
    clientId,
    workspaceId,
    projectId,
    environment,
    kind: 'spa',
    name: projectName,
    redirectUris,
    origins: [],
    permissions: [],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    firstParty: true,
    subjectType: 'public',
    jwks: null,
    profile: 'oauth',
    pkce: 'required',
    idTokenClaims: 'requested',
    usesDefaultOrganization: false,
    apis: [],
    dpopBound: false,
    grants: [],
    accessTokenSeconds: null,
    refreshTokenSeconds: null,
    enabled: true,
    tokensEndedAt: null,
    signInsEndedAt: null,
    secretHashes: [],
    saml: null,
    signInOnly: true,
    selfRegistered: false,
  };
}
