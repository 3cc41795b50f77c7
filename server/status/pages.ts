import { sql } from 'kysely';
import { addressesOf } from '#domains';
import { findProject } from '#environments';
import { type Ctx, type Environment, type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Address } from '#platform/http.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';

/** Pages of the installation have their environment as key, and those of projects the project with it. */
export type PageKey = Environment | `${ProjectId}-${Environment}`;

/**
 * The columns that every row of a page has. `environment` is the key of the page: earlier versions ask for the rows of
 * `test` and `production`, so they neither see nor change pages of projects (docs/decisions/0290). `workspace_id` is empty
 * for pages of the installation.
 */
export type OfPage = { workspace_id: WorkspaceId | ''; environment: PageKey };

/** A status page. Code that has one may read its rows; `findPublished` and `managedPage` say who gets which. */
export type StatusPage = {
  key: PageKey;
  workspaceId: WorkspaceId | '';
  environment: Environment;
  /** The last part of the address of a project's page; null for the installation, whose page is `/status`. */
  slug: string | null;
  /** The origin of the domain at which the page is shown, as if it were the only one; null at the address with its slug. */
  domain: string | null;
  /** An unpublished page is shown to nobody, and tells nobody anything. */
  published: boolean;
  /** Who sees it: everybody who has its address, or active members of its project who are signed in. */
  audience: Audience;
};
export type Audience = 'public' | 'members';

/** A board as it is stored. A page for members is `shown_to_members` instead of `published`, so that earlier versions show it to nobody. */
type PageRow = OfPage & { slug: string | null; published: boolean; audience: Audience; shown_to_members: boolean };

/** The columns from which `pageOfRow` makes a page. */
export const PAGE_COLUMNS = [
  'workspace_id',
  'environment',
  'slug',
  'published',
  'audience',
  'shown_to_members',
] as const;

/** A context with the page that the work is about. Its scope is the project whose events, mails and texts are used. */
export type PageCtx = Ctx & { page: StatusPage };
export type PageTx = TxCtx & { page: StatusPage };
/** What reading the rows of a page takes. */
export type PageDb = Pick<PageCtx, 'db' | 'page'>;

/** Runs `work` in one transaction, as `transaction` does. */
export function pageTransaction<T>(ctx: PageCtx | PageTx, work: (tx: PageTx) => Promise<T>): Promise<T> {
  const { page } = ctx;
  return transaction(ctx, (tx) => work({ ...tx, page }));
}

/** SQL: the condition for the rows of a page. */
export function inPage({ workspaceId, key }: Pick<StatusPage, 'workspaceId' | 'key'>) {
  return sql<boolean>`workspace_id = ${workspaceId} and environment = ${key}`;
}

/** The columns of a new row of a page. */
export function ofPage({ workspaceId, key }: StatusPage): OfPage {
  return { workspace_id: workspaceId, environment: key };
}

/** The installation's page of an environment. */
export function installationPage(environment: Environment): StatusPage {
  return {
    key: environment,
    workspaceId: '',
    environment,
    slug: null,
    domain: null,
    published: true,
    audience: 'public',
  };
}

/** The key of a project's own page. */
export function keyOf({ projectId, environment }: Pick<Scope, 'projectId' | 'environment'>): PageKey {
  return `${projectId}-${environment}`;
}

/** The project and environment of the key of a project's page. */
export function partsOf(key: string): Pick<Scope, 'projectId' | 'environment'> {
  const [id = '', environment] = key.split('-');
  return { projectId: `prj_${id.slice(4)}`, environment: environment === 'test' ? 'test' : 'production' };
}

/** The project that keeps the installation's page of an environment: its default project. Null while there is none. */
async function keeperOf(system: System, environment: Environment): Promise<Scope | null> {
  const project = await findProject(system, { environment, default: true });
  return project ? { workspaceId: project.workspaceId, projectId: project.projectId, environment } : null;
}

/** True for the project that keeps the installation's page. */
async function keepsInstallation(system: System, { workspaceId, projectId, environment }: Scope): Promise<boolean> {
  const keeper = await keeperOf(system, environment);
  return keeper?.workspaceId === workspaceId && keeper.projectId === projectId;
}

/** The page that a project manages: the installation's for the default project, otherwise its own; null while it has none. */
export async function pageOf({ system, db, scope }: Pick<Ctx, 'system' | 'db' | 'scope'>): Promise<StatusPage | null> {
  if (await keepsInstallation(system, scope)) return installationPage(scope.environment);
  const { workspaceId, environment } = scope;
  const own = { key: keyOf(scope), workspaceId, environment };
  const row = await db.selectFrom('status_boards').select(PAGE_COLUMNS).where(inPage(own)).executeTakeFirst();
  return row ? pageOfRow(row) : null;
}

/**
 * The one rule about who manages which page. Callers have checked the permission in the project.
 * @throws Problem NOT_FOUND while the project has no page
 */
export async function managedPage(ctx: Ctx): Promise<PageCtx> {
  const page = await pageOf(ctx);
  if (!page) throw problem('NOT_FOUND', 'The project has no status page yet. PUT /v1/admin/status/page makes one.');
  return { ...ctx, page };
}

/** The project whose events, mails and texts a page uses; null while there is none, or it is closed. */
export async function scopeOf(system: System, { key, workspaceId, environment }: StatusPage): Promise<Scope | null> {
  if (workspaceId === '') return keeperOf(system, environment);
  const scope = { workspaceId, ...partsOf(key) };
  return (await findProject(system, scope)) ? scope : null;
}

/** A context with the system as actor, in the project of a page; null while there is none. */
export async function pageCtx(system: System, page: StatusPage, name: string): Promise<PageCtx | null> {
  const scope = await scopeOf(system, page);
  return scope && { ...systemCtx(system, scope, name, crypto.randomUUID()), page };
}

/** The page of a key; undefined for an unknown one. Served by the primary key. */
export async function findPage(system: System, key: string): Promise<StatusPage | undefined> {
  if (key === 'test' || key === 'production') return installationPage(key);
  const row = await system.db
    .selectFrom('status_boards')
    .select(PAGE_COLUMNS)
    .where(sql<boolean>`environment = ${key} and workspace_id <> ''`)
    .executeTakeFirst();
  return row && pageOfRow(row);
}

/** The page that a board belongs to. */
export function pageOfRow({
  environment: key,
  workspace_id: workspaceId,
  slug,
  audience,
  ...row
}: PageRow): StatusPage {
  if (key === 'test' || key === 'production') return installationPage(key);
  const { environment } = partsOf(key);
  const published = row.published || row.shown_to_members;
  return { key, workspaceId, environment, slug, domain: null, published, audience };
}

/** True if a page is shown to its audience: it is published, and its project is neither closed nor keeps the installation's page. */
export async function isShown(system: System, page: StatusPage): Promise<boolean> {
  if (page.slug === null) return true;
  const scope = page.published ? await scopeOf(system, page) : null;
  return scope !== null && !(await keepsInstallation(system, scope));
}

/** The page of the project of a domain, at that domain. One that is not shown is the same as none. */
export async function findPublishedAt(
  system: System,
  { url, scope }: Pick<Address, 'url' | 'scope'>,
): Promise<StatusPage | undefined> {
  const page = scope && (await findPage(system, keyOf(scope)));
  return page && (await isShown(system, page)) ? { ...page, domain: url } : undefined;
}

/** A page at the domain that its project has bound first; at its own address while there is none. For what leads to a page. */
export async function atItsDomain<Page extends StatusPage>(system: System, page: Page): Promise<Page> {
  const scope = page.slug === null ? null : await scopeOf(system, page);
  const [domain = null] = scope ? (await addressesOf(system, scope)).status : [];
  return { ...page, domain };
}

/**
 * The page of an address. One that is not shown is the same as an unknown one. Served by status_boards_slug.
 */
export async function findPublished(system: System, slug: string): Promise<StatusPage | undefined> {
  const row = await system.db
    .selectFrom('status_boards')
    .select(PAGE_COLUMNS)
    .where(sql<boolean>`slug = ${slug} and workspace_id <> ''`)
    .executeTakeFirst();
  const page = row && pageOfRow(row);
  return page && (await isShown(system, page)) ? page : undefined;
}
