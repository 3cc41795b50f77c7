import { sql } from 'kysely';
import type { Environment, Scope, TxCtx } from '#platform/ctx.ts';
import type { Address, FindAddress } from '#platform/http.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { perSystem, type System, type SystemInTx } from '#platform/system.ts';
import { CLOSING_TOPIC, isOpen } from '#tenancy';
import type { Purpose } from './domains.ts';

/** The addresses of one kind that a scope has besides the environment's own, oldest first. */
type Addresses = Readonly<Record<Purpose, readonly string[]>>;

/** What a host name serves; null: nothing. */
type Bound = { scope: Scope; purposes: readonly Purpose[] } | null;

type Row = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  host: string;
  purpose: Purpose;
};

/** The address of a bound host: as the environment's own, under another name; https where TLS ends here. */
export function boundUrl(
  { config }: SystemInTx,
  { environment, purpose, host }: { environment: Environment; purpose: Purpose; host: string },
): string {
  if (config.acme) return `https://${host}`;
  const url = new URL(config.addresses[environment][purpose]);
  url.hostname = host;
  return url.origin;
}

/** Finds the addresses that projects have bound on hosts of a kind: verified domains only, effective as soon as they change. */
export function boundAddresses(system: System, kind: Purpose, environment: Environment): FindAddress {
  const addressOf = (host: string, bound: Bound): Address | undefined =>
    bound?.scope.environment === environment && bound.purposes.includes(kind)
      ? { url: boundUrl(system, { environment, purpose: kind, host }), scope: bound.scope }
      : undefined;
  return (host) => {
    const found = boundHosts(system).find(host);
    return found instanceof Promise ? found.then((bound) => addressOf(host, bound)) : addressOf(host, found);
  };
}

/** What a host name serves, of any kind and environment. */
export async function boundHost(system: System, host: string): Promise<Bound> {
  return boundHosts(system).find(host);
}

/** Every auth and API address a scope can be reached at besides the environment's own. */
export function addressesOf(system: SystemInTx, scope: Scope): Addresses | Promise<Addresses> {
  return boundHosts(system).ofScope(scope);
}

/**
 * The auth address that mails, tokens and passkeys name: the one the request came to where it serves the scope; otherwise the
 * project's first own one, or else the environment's.
 */
export async function authAddressOf({
  system,
  scope,
  authAddress,
}: Pick<TxCtx, 'system' | 'scope' | 'authAddress'>): Promise<string> {
  const common = system.config.addresses[scope.environment].auth;
  if (authAddress === common) return common;
  const { auth } = await addressesOf(system, scope);
  return auth.find((own) => own === authAddress) ?? auth[0] ?? common;
}

/** Strangers can name any number of hosts. */
const REMEMBERED = 10_000;

class BoundHosts {
  readonly #system: System;
  readonly #hosts = new Map<string, Bound>();
  readonly #scopes = new Map<string, Addresses>();
  #generation = 0;

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: async () => this.#forget(),
        onChange: ({ topic }) => {
          if (topic === 'domain' || topic === CLOSING_TOPIC) this.#forget();
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'domain cache'));
  }

  find(host: string): Bound | Promise<Bound> {
    const known = this.#system.feed.live ? this.#hosts.get(host) : undefined;
    return known === undefined ? this.#load(host) : known;
  }

  /** Served by domains_verified. */
  async #load(host: string): Promise<Bound> {
    const generation = this.#generation;
    const { rows } = await sql<Row>`
      select d.workspace_id, d.project_id, d.environment, d.host, b.purpose
      from domains d join domain_bindings b on b.workspace_id = d.workspace_id and b.domain_id = d.id
      where d.host = ${host} and d.status = 'verified' and ${isOpen('d')} /* all workspaces */`.execute(
      this.#system.lookups,
    );
    const [first] = rows;
    const bound: Bound = first
      ? {
          scope: { workspaceId: first.workspace_id, projectId: first.project_id, environment: first.environment },
          purposes: rows.map(({ purpose }) => purpose),
        }
      : null;
    if (this.#hosts.size >= REMEMBERED) this.#hosts.clear();
    // A change heard while reading may not be in what was read.
    if (generation === this.#generation) this.#hosts.set(host, bound);
    return bound;
  }

  ofScope(scope: Scope): Addresses | Promise<Addresses> {
    const key = `${scope.workspaceId}/${scope.projectId}/${scope.environment}`;
    const known = this.#system.feed.live ? this.#scopes.get(key) : undefined;
    return known ?? this.#loadScope(key, scope);
  }

  /** Served by domains_of_scope. */
  async #loadScope(key: string, { workspaceId, projectId, environment }: Scope): Promise<Addresses> {
    const generation = this.#generation;
    const rows = await this.#system.lookups
      .selectFrom('domains as d')
      .innerJoin('domain_bindings as b', (join) =>
        join.onRef('b.workspace_id', '=', 'd.workspace_id').onRef('b.domain_id', '=', 'd.id'),
      )
      .select(['d.host', 'b.purpose'])
      .where('d.workspace_id', '=', workspaceId)
      .where('d.project_id', '=', projectId)
      .where('d.environment', '=', environment)
      .where('d.status', '=', 'verified')
      .orderBy('b.created_at')
      .orderBy('d.id')
      .execute();
    const urls = (purpose: Purpose) =>
      rows
        .filter((row) => row.purpose === purpose)
        .map(({ host }) => boundUrl(this.#system, { environment, purpose, host }));
    const addresses = { auth: urls('auth'), api: urls('api') };
    if (this.#scopes.size >= REMEMBERED) this.#scopes.clear();
    if (generation === this.#generation) this.#scopes.set(key, addresses);
    return addresses;
  }

  #forget(): void {
    this.#generation += 1;
    this.#hosts.clear();
    this.#scopes.clear();
  }
}

const boundHosts = perSystem((system) => new BoundHosts(system));
