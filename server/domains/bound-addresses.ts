import { sql } from 'kysely';
import type { Environment, Scope, TxCtx } from '#platform/ctx.ts';
import { feedCache } from '#platform/feed-cache.ts';
import type { Address, FindAddress } from '#platform/http.ts';
import type { OrganizationId, ProjectId, WorkspaceId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { System, SystemInTx } from '#platform/system.ts';
import { CLOSING_TOPIC, isClosed } from '#tenancy';
import type { Purpose } from './domains.ts';

/** The addresses that a scope has besides the environment's own, oldest first; without those of its organizations. */
type Addresses = Readonly<Record<Purpose, readonly string[]>>;

/** What a host serves; null: nothing. */
type Bound = { scope: Scope; organizationId: OrganizationId | null; purposes: readonly Purpose[] } | null;

type Row = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId | null;
  host: string;
  purpose: Purpose;
};

/** The address of a bound host: like the environment's own, with another host name; https if TLS ends here. */
export function boundUrl(
  { config }: SystemInTx,
  { environment, purpose, host }: { environment: Environment; purpose: Purpose; host: string },
): string {
  if (config.acme) return `https://${host}`;
  const url = new URL(purpose === 'status' ? config.addresses.status : config.addresses[environment][purpose]);
  url.hostname = host;
  return url.origin;
}

/**
 * Finds addresses of one kind that projects have bound: on verified domains only, effective as soon as they change. A domain
 * that has another purpose beside that of a status page serves none: only earlier versions bind such.
 * @param environment null: of both
 */
export function boundAddresses(system: System, kind: Purpose, environment: Environment | null): FindAddress {
  const addressOf = (host: string, bound: Bound): Address | undefined => {
    if (!bound?.purposes.includes(kind) || (kind === 'status' && bound.purposes.length > 1)) return undefined;
    const { scope, organizationId } = bound;
    if (environment !== null && scope.environment !== environment) return undefined;
    return { url: boundUrl(system, { environment: scope.environment, purpose: kind, host }), scope, organizationId };
  };
  return (host) => {
    const found = boundHosts(system, host);
    return found instanceof Promise ? found.then((bound) => addressOf(host, bound)) : addressOf(host, found);
  };
}

/** What a host serves, of any kind and environment. */
export async function boundHost(system: System, host: string): Promise<Bound> {
  return boundHosts(system, host);
}

/**
 * All addresses of a scope besides the environment's own. Those of organizations are not among them: their
 * owners decide where these lead, so the project trusts no page there.
 */
export function addressesOf(system: SystemInTx, scope: Scope): Addresses | Promise<Addresses> {
  return boundScopes(system, scope);
}

/**
 * The auth address that mails, tokens and passkeys name: the request's, if it serves the scope; otherwise the project's
 * first custom address, or else the environment's.
 */
export async function authAddressOf({
  system,
  scope,
  authAddress,
}: Pick<TxCtx, 'system' | 'scope' | 'authAddress'>): Promise<string> {
  const common = system.config.addresses[scope.environment].auth;
  if (authAddress === common) return common;
  if (authAddress !== undefined && (await isOfOrganization(system, scope, authAddress))) return authAddress;
  const { auth } = await addressesOf(system, scope);
  return auth.find((own) => own === authAddress) ?? auth[0] ?? common;
}

/** Whether an address to which a request was sent belongs to an organization of the project. */
async function isOfOrganization(
  system: SystemInTx,
  { projectId, environment }: Scope,
  address: string,
): Promise<boolean> {
  const bound = await boundHosts(system, new URL(address).hostname);
  if (!bound || bound.organizationId === null) return false;
  return bound.scope.projectId === projectId && bound.scope.environment === environment;
}

/** What hosts serve. Bounded, because callers can send any number of hosts. Served by domains_verified. */
const boundHosts = feedCache({
  topics: ['domain', CLOSING_TOPIC],
  keyOf: (host: string) => host,
  load: async (system, host): Promise<Bound> => {
    const { rows } = await sql<Row>`
      select d.workspace_id, d.project_id, d.environment, d.organization_id, d.host, b.purpose
      from domains d join domain_bindings b on b.workspace_id = d.workspace_id and b.domain_id = d.id
      where d.host = ${host} and d.status = 'verified' /* all workspaces */`.execute(system.lookups);
    const [first] = rows;
    const isServed =
      first && !(await isClosed(system, { workspaceId: first.workspace_id, projectId: first.project_id }));
    return isServed
      ? {
          scope: { workspaceId: first.workspace_id, projectId: first.project_id, environment: first.environment },
          organizationId: first.organization_id,
          purposes: rows.map(({ purpose }) => purpose),
        }
      : null;
  },
  max: 10_000,
});

/** The addresses of scopes. Served by domains_of_scope. */
const boundScopes = feedCache({
  topics: ['domain', CLOSING_TOPIC],
  keyOf: ({ workspaceId, projectId, environment }: Scope) => `${workspaceId}/${projectId}/${environment}`,
  load: async (system, scope): Promise<Addresses> => {
    const rows = await system.lookups
      .selectFrom('domains as d')
      .innerJoin('domain_bindings as b', (join) =>
        join.onRef('b.workspace_id', '=', 'd.workspace_id').onRef('b.domain_id', '=', 'd.id'),
      )
      .select(['d.host', 'b.purpose'])
      .where(inScope({ scope }, 'd'))
      .where('d.organization_id', 'is', null)
      .where('d.status', '=', 'verified')
      .orderBy('b.created_at')
      .orderBy('d.id')
      .execute();
    const { environment } = scope;
    const urls = (purpose: Purpose) =>
      rows.filter((row) => row.purpose === purpose).map(({ host }) => boundUrl(system, { environment, purpose, host }));
    return { auth: urls('auth'), api: urls('api'), status: urls('status') };
  },
  max: 10_000,
});
