import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Value } from 'typebox/value';
import { emit } from '#events';
import { findIdentifier } from '#identifiers';
import { readMigrations } from '#migrations';
import { addTeamMember, amongOperators, installationOf, setUpConsole, TeamRole, workspaceScope } from '#operators';
import { connectAlone } from '#platform/connections.ts';
import { contextOver, systemCtx, type TxCtx } from '#platform/ctx.ts';
import { normalise } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import type { Keyring } from '#platform/keyring.ts';
import { at } from '#platform/scoped.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { openImported } from '#tenancy';
import { type Progress, prepareCopying, type ShowProgress } from './archive.ts';
import { type Archive, openArchive } from './archive-reading.ts';
import type { Source } from './source.ts';
import { checkClaims } from './workspace-claims.ts';
import { type CarriedContent, JOBS, keyringOfFile, WorkspaceManifest } from './workspace-file.ts';
import { addStagedJobs, stageJobs } from './workspace-jobs.ts';
import { SealedRows } from './workspace-rows.ts';
import { type CarriedTable, carriedTables, copyRows, quoted } from './workspace-tables.ts';

type Importing = {
  name: string;
  source: Promise<Source>;
  /** Secret keys of age. */
  keys: readonly string[];
  /** The address of an operator of this installation who becomes an owner of the workspace. */
  owner: string | undefined;
  showProgress: ShowProgress;
};

/** What was imported. */
export type Imported = {
  manifest: WorkspaceManifest;
  rows: number;
  /** Who of the team is an operator here, and who is not. */
  joined: string[];
  missing: string[];
};

type Member = { email: string; role: TeamRole; userId: UserId };

/**
 * Imports a workspace from the file of another installation, in one transaction: before it commits, nothing of it is served. Every table
 * is read again, and compared with the file.
 * @throws StartError if the file does not fit, or if something in it belongs to another workspace here
 */
export async function importWorkspace(system: System, importing: Importing): Promise<Imported> {
  const archive = await openArchive({ ...importing, schema: WorkspaceManifest, what: 'the file of a workspace' });
  const client = await connectAlone(system.databaseUrl, { name: 'latchkey-workspace-import' });
  try {
    await checkVersion(archive.manifest);
    await setUpConsole(system);
    await prepareCopying(client);
    return await importOver(system, client, { archive, importing });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '23505')
      throw new StartError(
        `Something in the file belongs to another workspace of this installation: ${error.detail ?? error.message} Nothing was imported.`,
      );
    throw error;
  } finally {
    archive.zip.close();
    await client.end();
  }
}

/** @throws StartError unless both installations have the same schema */
async function checkVersion({ latchkey, schema }: WorkspaceManifest): Promise<void> {
  const known = (await readMigrations()).at(-1)?.id ?? 0;
  if (schema === known) return;
  throw new StartError(
    `The file is of Latchkey ${latchkey} with schema ${schema}, but this Latchkey has schema ${known}. Bring both installations to the same version, then export again. Nothing was imported.`,
  );
}

type Work = { archive: Archive<WorkspaceManifest>; importing: Importing };

async function importOver(system: System, client: pg.Client, { archive, importing }: Work): Promise<Imported> {
  const { manifest } = archive;
  const { workspace, key } = manifest;
  const from = keyringOfFile(system, key);
  const tables = await carriedTables(client, system, workspace.id);
  checkTables(manifest, tables);
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { tx, committed } = contextOver(
    systemCtx(system, workspaceScope(workspace.id), 'workspace-import', 'workspace-import'),
    client,
  );
  const team = await teamHere(tx, manifest, importing.owner);
  await checkClaims(client, tables, (table) => rowsFor(archive, table, { from, to: system.keyring }));
  const progress = importing.showProgress('Rows imported', rows);
  try {
    await client.query('begin');
    await load(client, archive, { tables, from, to: system.keyring, progress });
    await finish(tx, client, { archive, team, rows });
    await client.query('commit');
  } finally {
    progress.end();
  }
  committed();
  const joined = team.map(({ email }) => email);
  const missing = manifest.team.map(({ email }) => email).filter((email) => !joined.includes(email));
  return { manifest, rows, joined, missing };
}

/** @throws StartError if the file has a table that is not carried here, or lacks one */
function checkTables(manifest: WorkspaceManifest, tables: readonly CarriedTable[]): void {
  const shape = (table: Pick<CarriedTable, 'name' | 'columns'>) => `${table.name} (${table.columns.join(', ')})`;
  const here = new Set(tables.map(shape));
  const there = new Set(manifest.tables.map(shape));
  const different = [...here.symmetricDifference(there)];
  if (different.length > 0)
    throw new StartError(
      `The file has other tables than this installation: ${different.join('; ')}. Nothing was imported.`,
    );
}

/**
 * The team among the operators of this installation.
 * @throws StartError if none of them would own the workspace
 */
async function teamHere(tx: TxCtx, { team }: WorkspaceManifest, owner: string | undefined): Promise<Member[]> {
  const wanted = new Map(team.map(({ email, role }) => [normalise(email).value, Value.Parse(TeamRole, role)]));
  if (owner !== undefined) wanted.set(normalise(owner).value, 'owner');
  const members: Member[] = [];
  for (const [email, role] of wanted) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    const found = await findIdentifier(amongOperators(tx), normalise(email));
    if (found?.verified) members.push({ email, role, userId: found.userId });
  }
  if (owner !== undefined && !members.some(({ email }) => email === normalise(owner).value))
    throw new StartError(`There is no operator ${owner} in this installation. Invite them in the console first.`);
  if (!members.some(({ role }) => role === 'owner'))
    throw new StartError('No owner of the workspace is an operator of this installation. Name one: --owner EMAIL.');
  return members;
}

type Keys = { from: Keyring; to: Keyring };

/** The rows of a table in the file, sealed for this installation; null if there are none. */
async function rowsFor(
  { zip, entries }: Archive<WorkspaceManifest>,
  table: CarriedTable,
  keys: Keys,
  advance: (rows: number) => void = () => undefined,
) {
  const entry = entries.get(`${table.name}.copy`);
  if (!entry) throw new StartError(`The file lacks the rows of ${table.name}: it is damaged. Nothing was imported.`);
  const rows = new SealedRows({
    columns: table.columns.length,
    sealed: table.sealed,
    ...keys,
    keepsRecords: false,
    lenient: false,
    advance,
  });
  const content = await zip.openReadStreamPromise(entry);
  content.once('error', (error) => rows.destroy(error));
  return content.pipe(rows);
}

async function load(
  client: pg.Client,
  archive: Archive<WorkspaceManifest>,
  { tables, progress, ...keys }: Keys & { tables: readonly CarriedTable[]; progress: Progress },
): Promise<void> {
  const written = new Map(archive.manifest.tables.map((table) => [table.name, table]));
  for (const table of tables) {
    const expected = written.get(table.name);
    if (!expected) continue;
    // biome-ignore lint/performance/noAwaitInLoops: referenced tables first, on one connection
    const rows = await rowsFor(archive, table, keys, progress.advance);
    const columns = table.columns.map(quoted).join(', ');
    const loading = client.query(copyFrom(`copy public.${table.name} (${columns}) from stdin`));
    try {
      await pipeline(rows, loading);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === '23505') throw error;
      throw new StartError(
        `The rows of ${table.name} do not load: ${error instanceof Error ? error.message : error}. Nothing was imported.`,
      );
    }
    check(expected, { rows: loading.rowCount, fingerprint: rows.fingerprint }, 'The file is damaged');
  }
  // Foreign keys and triggers of this installation must not have changed what was loaded. As many rows are of the workspace as were loaded,
  // so none is of another one: who makes a file can forge a fingerprint, but not this number.
  for (const table of tables) {
    const expected = written.get(table.name);
    const resealing = {
      columns: table.columns.length,
      sealed: table.sealed,
      from: keys.to,
      to: null,
      keepsRecords: false,
    };
    const stored = new SealedRows({ ...resealing, lenient: true, advance: () => undefined });
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    await pipeline(
      client.query(copyTo(copyRows(table))),
      stored,
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    );
    if (expected) check(expected, stored, 'The database does not hold what was loaded');
  }
}

type Found = { rows: number; fingerprint: string };

/** @throws StartError */
function check({ name, rows, fingerprint }: CarriedContent, found: Found, fault: string): void {
  if (found.rows === rows && found.fingerprint === fingerprint) return;
  throw new StartError(`${fault}: ${name} has ${found.rows} rows of ${rows}, or other ones. Nothing was imported.`);
}

type Finishing = { archive: Archive<WorkspaceManifest>; team: readonly Member[]; rows: number };

/** What belongs to the import besides the rows: jobs, team, and the records in both logs. */
async function finish(tx: TxCtx, client: pg.Client, { archive, team, rows }: Finishing): Promise<void> {
  const { workspace, jobs, createdAt } = archive.manifest;
  const entry = archive.entries.get(JOBS);
  if (!entry) throw new StartError('The file lacks its jobs: it is damaged. Nothing was imported.');
  const copy = await stageJobs(client);
  await pipeline(await archive.zip.openReadStreamPromise(entry), client.query(copyFrom(copy)));
  const added = await addStagedJobs(client, workspace.id);
  if (added !== jobs)
    throw new StartError(`The file is damaged: it has ${added} jobs of ${jobs}. Nothing was imported.`);
  await openImported(tx);
  // biome-ignore lint/performance/noAwaitInLoops: one connection
  for (const { userId, role } of team) await addTeamMember(tx, userId, role);
  const operators = workspaceScope(installationOf(tx.system).scope.workspaceId);
  const data = {
    workspaceId: workspace.id,
    name: workspace.name,
    exportedAt: createdAt,
    rows,
  };
  await emit(tx, 'workspace.imported', data);
  await emit(at(tx, operators), 'workspace.imported', data);
}
