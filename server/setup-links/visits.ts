import type { Selectable } from 'kysely';
import { projectOf } from '#environments';
import { emit } from '#events';
import { getOrganization, lockOrganization } from '#organizations';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId, ProjectId, SetupLinkId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { Problem, problem } from '#platform/problem.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import { isClosed } from '#tenancy';
import { change, holdLink, naming, type SetupLinkRow } from './setup-links.ts';
import { backedTasks, type Task } from './tasks.ts';

/** The visit of one browser to the pages of a link. */
type SetupVisitsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  setup_link_id: SetupLinkId;
  token_hash: Buffer;
  created_at: Date;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    setup_visits: SetupVisitsTable;
  }
}

/** A visit ends when nothing happens for this long. */
const IDLE_MS = 30 * 60_000;
/** A visit is extended at most this often, so that reading pages rarely writes. */
const EXTENDED_EVERY_MS = 60_000;

/** What a person may do with a link now. */
export type OpenLink = { link: SetupLinkRow; organization: { name: string }; tasks: readonly Task[] };

/**
 * Checks that a link works now: it is open, its project and organization are, and its maker may still do some of its tasks.
 * @param ctx in the project of the link
 * @throws Problem INVALID_TOKEN
 */
export async function requireOpen(ctx: Ctx, link: SetupLinkRow): Promise<OpenLink> {
  const ended = link.revoked_at !== null || link.expires_at <= ctx.now;
  if (ended || (await isClosed(ctx.system, ctx.scope))) throw problem('INVALID_TOKEN');
  const organization = await getOrganization(ctx, link.organization_id);
  const tasks = await transaction(ctx, (tx) => backedTasks(tx, backingOf(link), link.tasks));
  if (organization.status === 'blocked' || tasks.length === 0) throw problem('INVALID_TOKEN');
  return { link, organization, tasks };
}

export function backingOf({ maker, organization_id: organizationId }: SetupLinkRow) {
  return { maker, organizationId };
}

/** The context of a person who works with a link. */
export function ctxOf(ctx: Ctx, { id: setupLinkId, maker }: SetupLinkRow): Ctx {
  return { ...ctx, actor: { kind: 'setup_link', setupLinkId, maker } };
}

/**
 * Begins a visit with an open link.
 * @returns its secret, for the browser
 * @throws Problem INVALID_TOKEN if the link was revoked at the same time
 */
export function beginVisit(ctx: Ctx, link: SetupLinkRow): Promise<string> {
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, link.organization_id);
    const held = await holdLink(tx, naming(link));
    const { routingKey } = await projectOf(tx.system, tx.scope);
    const token = `lkv_${routingKey}_${randomSecret()}`;
    await tx.db
      .insertInto('setup_visits')
      .values({
        ...scopeColumns(tx),
        organization_id: link.organization_id,
        setup_link_id: link.id,
        token_hash: hashSecret(token),
        created_at: tx.now,
        expires_at: endOf(tx.now, link),
      })
      .execute();
    if (held.opened_at === null) await change(tx, held, { opened_at: tx.now });
    await emit(tx, 'organization.setup_link.opened', naming(held));
    return token;
  });
}

function endOf(now: Date, { expires_at }: SetupLinkRow): Date {
  return new Date(Math.min(now.getTime() + IDLE_MS, expires_at.getTime()));
}

type VisitRow = Selectable<SetupVisitsTable>;

/**
 * The link that a browser works with. Served by setup_visits_token and the primary key.
 * @param realm a context in the workspace and environment of the secret
 */
export async function linkOfVisit(realm: Ctx, token: string): Promise<SetupLinkRow | undefined> {
  const visit = await realm.db
    .selectFrom('setup_visits')
    .selectAll()
    .where(acrossProjects(realm))
    .where('token_hash', '=', hashSecret(token))
    .where('expires_at', '>', realm.now)
    .executeTakeFirst();
  const link = visit && (await linkOf(realm, visit));
  if (link && endOf(realm.now, link).getTime() - visit.expires_at.getTime() > EXTENDED_EVERY_MS)
    await extend(realm, visit, endOf(realm.now, link));
  return link;
}

function linkOf(realm: Ctx, { project_id, organization_id, setup_link_id }: VisitRow) {
  return realm.db
    .selectFrom('setup_links')
    .selectAll()
    .where(acrossProjects(realm))
    .where('project_id', '=', project_id)
    .where('organization_id', '=', organization_id)
    .where('id', '=', setup_link_id)
    .executeTakeFirst();
}

async function extend({ system, scope }: Ctx, visit: VisitRow, until: Date): Promise<void> {
  await singleWrite(system, 'count')
    .updateTable('setup_visits')
    .set({ expires_at: until })
    .where(acrossProjects({ scope }))
    .where('token_hash', '=', visit.token_hash)
    .execute();
}

/** Ends the visit of one browser. */
export async function endVisit(ctx: Ctx, token: string): Promise<void> {
  await transaction(ctx, (tx) =>
    tx.db.deleteFrom('setup_visits').where(inScope(tx)).where('token_hash', '=', hashSecret(token)).execute(),
  );
}

/**
 * Runs a change with a link. Locks the organization and the link, so that the link is neither revoked nor loses the task
 * before the change is done.
 * @throws Problem INVALID_TOKEN if the link has ended, AUTHORIZATION_DENIED if it has not the task
 */
export function changeByLink<T>(
  ctx: Ctx,
  { link, task }: { link: SetupLinkRow; task: Task | null },
  work: (tx: TxCtx, held: SetupLinkRow) => Promise<T>,
): Promise<T> {
  return transaction(ctx, async (tx) => {
    const { status } = await lockOrganization(tx, link.organization_id);
    const held = await holdLink(tx, naming(link));
    const tasks = await backedTasks(tx, backingOf(held), held.tasks);
    if (status === 'blocked' || tasks.length === 0) throw problem('INVALID_TOKEN');
    if (task !== null && !tasks.includes(task)) throw problem('AUTHORIZATION_DENIED');
    return work(tx, held);
  });
}

/** Whether an error says that the link has ended. */
export function hasEnded(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'INVALID_TOKEN';
}
