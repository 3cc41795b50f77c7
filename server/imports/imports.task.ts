import type { Task } from 'graphile-worker';
import { sql } from 'kysely';
import { Compile } from 'typebox/compile';
import { emitAll, type NewEvent } from '#events';
import { ownersOfIdentifiers } from '#identifiers';
import { identitiesInBulk } from '#linked-identities';
import { authorityNow, insertMembers, lockRoles, membershipsByUser, outgrewEstimate } from '#members';
import { importedMemberships } from '#organizations';
import { createUsers, type NewPerson } from '#people';
import { type Ctx, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { isRaceLost, mayPassLater } from '#platform/db.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import { type MemberId, newId, type RoleId, type UserId } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { addJob } from '#platform/jobs.ts';
import type { System } from '#platform/system.ts';
import { isClosed, projectNames } from '#tenancy';
import { noteWouldBeMembers, wouldBeMembers } from './import-dry-runs.ts';
import { faultsOfOwners, type KnownLinks, type Link, linkKey, linksOf } from './import-links.ts';
import {
  countOrganizations,
  type Joined,
  type KnownOrganizations,
  lockOrganizationsOf,
  membershipsOf,
  planOrganizations,
} from './import-organizations.ts';
import { type ReadRow, readRow } from './import-rows.ts';
import { type ClaimedChunk, claimChunk, finishChunk, type ImportId, ImportWork, type RowResult } from './imports.ts';

/** How long a job works before it yields to others and continues later. */
const TURN_MS = 1_000;
const PUT_OFF_MS = 10 * 60_000;
/** Retries after a concurrent registration or import of the same person, who is found on the next read. */
const TRIES = 5;

const work = Compile(ImportWork);

/** Processes an import chunk by chunk. Each chunk is atomic and processed exactly once, even across crashes. */
export function importTask(system: System): Task {
  return async (payload, { job }) => {
    const { importId, ...scope } = work.Parse(payload);
    const ctx = systemCtx(system, scope, 'import', `import-${job.id}`);
    if (await isClosed(system, scope)) return putOff(ctx, importId);
    const until = performance.now() + TURN_MS;
    let more = true;
    // biome-ignore lint/performance/noAwaitInLoops: chunks follow one another
    while (more && performance.now() < until) more = await importChunk(ctx, importId);
    if (more) await transaction(ctx, (tx) => addJob(tx, 'import_members', { ...scope, importId }, { priority: 10 }));
  };
}

/**
 * Postpones an import into a closed project until the project is restored; if it was removed, the job finds nothing to
 * do.
 */
async function putOff(ctx: Ctx, importId: ImportId): Promise<void> {
  const found = await projectNames(ctx, [ctx.scope.projectId]);
  if (found.size === 0) return;
  const runAt = new Date(ctx.now.getTime() + PUT_OFF_MS);
  await transaction(ctx, (tx) => addJob(tx, 'import_members', { ...tx.scope, importId }, { priority: 10, runAt }));
}

/**
 * Imports the next chunk.
 * @returns false when none is left
 */
export async function importChunk(ctx: Ctx, importId: ImportId): Promise<boolean> {
  await tellPlanner(ctx);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: one try after the other
      return await transaction({ ...ctx, now: ctx.system.clock.now() }, (tx) => importClaimed(tx, importId));
    } catch (error) {
      if (isRaceLost(error) && attempt < TRIES) continue;
      if (mayPassLater(error)) throw error;
      ctx.system.log.warn({ err: error, importId }, 'a chunk of an import failed; its rows are imported one by one');
      return await transaction({ ...ctx, now: ctx.system.clock.now() }, (tx) => importOneByOne(tx, importId));
    }
  }
}

/**
 * Analyses the tables before rows are looked up in them, unless the planner's estimates are about right. Autovacuum
 * does so only after a minute; until then, plans would be based on nearly empty tables. It skips
 * a table that another lane analyses, or on which an upgrade builds an index: waiting for the lock would fail the chunk.
 */
async function tellPlanner(ctx: Ctx): Promise<void> {
  await transaction(ctx, async (tx) => {
    if (!(await outgrewEstimate(tx))) return;
    const tables = tx.system.parts.flatMap(({ imported = [] }) => imported);
    await sql`analyze (skip_locked) ${sql.join(tables.map((table) => sql.table(table)))}`.execute(tx.db);
  });
}

/**
 * Imports the next chunk row by row: a row that fails is reported and does not stop the others.
 * @returns false when no chunk is left
 */
async function importOneByOne(tx: TxCtx, importId: ImportId): Promise<boolean> {
  const chunk = await claimChunk(tx, importId);
  if (!chunk) return false;
  const results: RowResult[] = [];
  for (const [index, line] of chunk.lines.entries()) {
    const row = { ...chunk, lines: [line], firstRow: chunk.firstRow + index };
    // biome-ignore lint/performance/noAwaitInLoops: rows follow one another on one connection
    results.push(...(await inSavepoint(tx, row.firstRow, () => importRows(tx, importId, row))));
  }
  await finishChunk(ownCtx(tx, importId, chunk), importId, chunk.number, results);
  return true;
}

/** Imports one row in a savepoint. An error undoes only this row and is reported, unless a retry may succeed. */
async function inSavepoint(tx: TxCtx, row: number, work: () => Promise<RowResult[]>): Promise<RowResult[]> {
  await sql`savepoint import_row`.execute(tx.db);
  try {
    const results = await work();
    await sql`release savepoint import_row`.execute(tx.db);
    return results;
  } catch (error) {
    if (mayPassLater(error)) throw error;
    await sql`rollback to savepoint import_row`.execute(tx.db);
    tx.system.log.warn({ err: error, row }, 'a row of an import failed');
    return [{ row, outcome: 'failed', errors: [{ pointer: '', message: 'could not be imported' }] }];
  }
}

/** A context with the import's creator as actor, and the permissions they have now. */
function ownCtx(tx: TxCtx, importId: ImportId, { actor }: Pick<ClaimedChunk, 'actor'>): TxCtx {
  return { ...tx, actor, trace: { ...tx.trace, correlationId: importId } };
}

/** @returns false when no chunk is left */
async function importClaimed(tx: TxCtx, importId: ImportId): Promise<boolean> {
  const chunk = await claimChunk(tx, importId);
  if (!chunk) return false;
  await finishChunk(ownCtx(tx, importId, chunk), importId, chunk.number, await importRows(tx, importId, chunk));
  return true;
}

/** @returns the result of each row, in order */
async function importRows(tx: TxCtx, importId: ImportId, chunk: ClaimedChunk): Promise<RowResult[]> {
  const own = ownCtx(tx, importId, chunk);
  const read = chunk.lines.map((line, index) => readRow(chunk.firstRow + index, line));
  const rows = read.flatMap((row) => ('record' in row ? [row] : []));
  const plan = chunk.dryRun
    ? await imagine(own, importId, rows)
    : (await planRows(own, rows, await linksOf(own, rows))).plan;
  if (!chunk.dryRun) await carryOut(own, plan);
  const results = new Map(plan.map(({ row, outcome, errors }) => [row, { row, outcome, errors }]));
  for (const row of read)
    if ('errors' in row) results.set(row.row, { row: row.row, outcome: 'failed', errors: row.errors });
  return [...results.values()].sort((a, b) => a.row - b.row);
}

/** A row and the planned action. */
type Planned = RowResult & {
  read: ReadRow;
  userId: UserId;
  memberId: MemberId;
  roleIds: RoleId[];
  /** The organizations that the person joins. */
  joins: readonly Joined[];
  /** The accounts at identity providers that a new person gets. */
  links: readonly Link[];
  /** The row's identifiers that belong to the person already. */
  named: NormalisedIdentifier[];
};

/** Plans rows of a dry run as if the rows before them had been imported. */
async function imagine(tx: TxCtx, importId: ImportId, rows: readonly ReadRow[]): Promise<Planned[]> {
  const links = await linksOf(tx, rows);
  const keys = [...links.of.values()].flatMap((of) => of.links.map(linkKey));
  const before = await wouldBeMembers(tx, importId, [...rows.flatMap(keysOf), ...keys]);
  const { plan, owners } = await planRows(tx, rows, links, before);
  const entering = new Set(plan.flatMap(({ outcome, userId }) => (isEntering(outcome) ? [userId] : [])));
  await noteWouldBeMembers(tx, importId, new Map([...owners].filter(([, userId]) => entering.has(userId))));
  return plan;
}

function isEntering(outcome: Planned['outcome']): boolean {
  return outcome === 'created' || outcome === 'joined';
}

/** @param before extra identifier → user entries that are not in the database (dry run); all of them are members */
async function planRows(
  tx: TxCtx,
  rows: readonly ReadRow[],
  links: KnownLinks,
  before: ReadonlyMap<string, UserId> = new Map(),
): Promise<{ plan: Planned[]; owners: ReadonlyMap<string, UserId> }> {
  const named = await lockOrganizationsOf(tx, rows);
  const identifiers = rows.flatMap((row) => row.identifiers);
  const owners = new Map([...before, ...links.owners, ...(await ownersOfIdentifiers(tx, identifiers))]);
  const owning = await membershipsByUser(tx, [...new Set(owners.values())]);
  const memberIds = new Map([...owning].map(([userId, { id }]) => [userId, id]));
  const memberships = await membershipsOf(tx, named, [...memberIds.values()]);
  const members = new Set([...memberIds.keys(), ...before.values()]);
  const may = await authorityNow(tx, tx.actor, 'member.import');
  const roles = await grantableRoles(tx, rows, (grants) => may?.covers(grants) ?? false);
  const organizations = { ...named, memberships };
  const known = { owners, members, memberIds, organizations, links: links.of, roles, allowed: may !== null };
  return { plan: rows.map((read) => planRow(tx, read, known)), owners };
}

function keysOf({ identifiers }: ReadRow): string[] {
  return identifiers.map(({ kind, value }) => `${kind} ${value}`);
}

type Known = {
  /** By kind and value; rows of the same chunk are added as they are planned. */
  owners: Map<string, UserId>;
  members: Set<UserId>;
  /** Rows of the same chunk are added as they are planned. */
  memberIds: Map<UserId, MemberId>;
  organizations: KnownOrganizations;
  links: KnownLinks['of'];
  roles: ReadonlyMap<string, RoleId | 'denied'>;
  /** Whether the import's creator may still import. */
  allowed: boolean;
};

function planRow(tx: TxCtx, read: ReadRow, all: Known): Planned {
  const { owners, members, memberIds, roles, allowed } = all;
  const keys = keysOf(read);
  const { links, errors: faultsOfLinks } = all.links.get(read) ?? { links: [], errors: [] };
  const linkKeys = links.map(linkKey);
  // A row without identifiers is about the person who has its accounts at identity providers.
  const known = ownersOf(keys.length > 0 ? keys : linkKeys, owners);
  const userId = known[0] ?? newId('usr', tx.now);
  const memberId = memberIds.get(userId) ?? newId('mem', tx.now);
  const organizations = planOrganizations(read, memberId, all.organizations);
  const wanted = (read.record.roles ?? []).map((key) => ({ key, role: roles.get(key) }));
  const errors = [
    ...(allowed ? [] : [{ pointer: '', message: 'the person who started the import may no longer import members' }]),
    ...(known.length > 1 ? [{ pointer: '', message: 'has identifiers of several accounts' }] : []),
    ...wanted.flatMap(({ key, role }) => faultOfRole(key, role)),
    ...organizations.errors,
    ...faultsOfLinks,
    ...faultsOfOwners(links, userId, owners),
  ];
  const base = {
    row: read.row,
    read,
    userId,
    memberId,
    joins: organizations.joins,
    links,
    named: read.identifiers.filter(({ kind, value }) => owners.get(`${kind} ${value}`) === userId),
    roleIds: wanted.flatMap(({ role }) => (role && role !== 'denied' ? [role] : [])),
    errors,
  };
  if (errors.length > 0) return { ...base, joins: [], outcome: 'failed' };
  const outcome = known.length === 0 ? 'created' : members.has(userId) ? 'unchanged' : 'joined';
  if (outcome === 'created') for (const key of [...keys, ...linkKeys]) owners.set(key, userId);
  members.add(userId);
  memberIds.set(userId, memberId);
  countOrganizations(base.joins, memberId, all.organizations);
  return { ...base, outcome };
}

function ownersOf(keys: readonly string[], owners: ReadonlyMap<string, UserId>): UserId[] {
  return [...new Set(keys.flatMap((key) => owners.get(key) ?? []))];
}

function faultOfRole(key: string, role: RoleId | 'denied' | undefined) {
  if (role === undefined) return [{ pointer: '/roles', message: `"${key}" is not a role of this project` }];
  if (role === 'denied')
    return [{ pointer: '/roles', message: `"${key}" grants permissions that the importer does not have` }];
  return [];
}

/** The roles that rows name, by key: the id, or that the role grants more than the importer has. */
async function grantableRoles(
  tx: TxCtx,
  rows: readonly ReadRow[],
  may: (grants: readonly string[]) => boolean,
): Promise<Map<string, RoleId | 'denied'>> {
  const keys = [...new Set(rows.flatMap(({ record }) => record.roles ?? []))];
  const roles = new Map<string, RoleId | 'denied'>();
  for (const { id, key, permissions } of await lockRoles(tx, keys, 'skip'))
    roles.set(key, may(permissions) ? id : 'denied');
  return roles;
}

/** Writes the new people, memberships and roles, and an event for each: a fixed number of statements. */
async function carryOut(tx: TxCtx, plan: readonly Planned[]): Promise<void> {
  await joinProject(tx, plan);
  await importedMemberships.insert(
    tx,
    plan.flatMap(({ joins, memberId, userId }) => joins.map((joined) => ({ ...joined, memberId, userId }))),
  );
}

async function joinProject(tx: TxCtx, plan: readonly Planned[]): Promise<void> {
  const created = plan.filter(({ outcome }) => outcome === 'created');
  const entering = plan.filter(({ outcome }) => isEntering(outcome));
  if (entering.length === 0) return;
  if (created.length > 0)
    await createUsers(
      tx,
      created.map(({ userId, read }) => personOf(tx, userId, read)),
    );
  await insertMembers(
    tx,
    entering.map(({ memberId: id, userId, roleIds, outcome, named, read: { record } }) => {
      const { status = 'active', metadata = {} } = record;
      return { id, userId, status, metadata, roleIds, named: outcome === 'joined' ? named : null };
    }),
  );
  await emitAll(tx, entering.flatMap(eventsOf));
  await identitiesInBulk.insert(
    tx,
    created.flatMap(({ userId, links }) => links.map((link) => ({ ...link, userId }))),
  );
}

function personOf(tx: TxCtx, id: UserId, { identifiers, record }: ReadRow): NewPerson {
  return {
    id,
    identifiers,
    passwordHash: record.passwordHash ?? null,
    profile: record,
    customData: record.customData ?? {},
    createdAt: record.createdAt === undefined ? tx.now : instantOf(record.createdAt),
  };
}

function eventsOf({ outcome, userId, memberId, read }: Planned): NewEvent[] {
  const email = read.identifiers.find(({ kind }) => kind === 'email')?.value ?? null;
  return [
    ...(outcome === 'created' ? [{ type: 'user.created' as const, data: { userId, email } }] : []),
    { type: 'membership.created' as const, data: { memberId, userId } },
  ];
}
