import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, test } from 'node:test';
import { from as copyFrom } from 'pg-copy-streams';
import { ZipFile } from 'yazl';
import { rowsCarried } from '#platform/carriage.ts';
import { type Ran, spawnLatchkey } from '#tests/command-line.ts';
import { newEmail, type TestLatchkey } from '#tests/harness.ts';
import { tablesWith, tenantTables } from '#tests/tenant-rows.ts';
import { type Installations, type OwnedTenant, startInstallations } from '#tests/workspace-moves.ts';
import { openArchive } from './archive-reading.ts';
import { encrypted, newBackupKey } from './encryption.ts';
import { fileSource } from './source.ts';
import { WorkspaceManifest } from './workspace-file.ts';
import { addStagedJobs, stageJobs } from './workspace-jobs.ts';
import { SealedRows } from './workspace-rows.ts';

let installations: Installations;
let source: TestLatchkey;
let target: TestLatchkey;
before(async () => {
  installations = await startInstallations();
  ({ source, target } = installations);
});
after(() => installations.stop());

async function expectRefusal(running: Promise<Ran>, reason: RegExp): Promise<void> {
  const { status, errors } = await running;
  assert.equal(status, 1, errors);
  assert.match(errors, reason);
}

describe('what the commands refuse', () => {
  let tenant: OwnedTenant;
  let file: string;
  before(async () => {
    tenant = await installations.ownedTenant('refused');
    file = await installations.exported(tenant.scope);
  });
  const expectNothing = async () => assert.deepEqual(await tablesWith(target.system.pool, tenant.scope), []);
  const importing = (path = file, ...options: string[]) =>
    installations.command(target, 'import', path, ...(options.length > 0 ? options : ['--owner', tenant.operator]));

  test('the workspace of the operators, one that is not there, and closing a default workspace', async () => {
    const { rows } = await source.system.pool.query('select workspace_id from console_installation');
    const file = installations.newFile();
    await expectRefusal(
      installations.command(source, 'export', rows[0].workspace_id, file),
      /belongs to the installation/,
    );
    const nobody = 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8';
    await expectRefusal(installations.command(source, 'export', nobody, file), /There is no workspace/);
    await expectRefusal(installations.command(source, 'export', 'acme', file), /not the id of a workspace/);
    const { workspaceId } = source.demo;
    await expectRefusal(
      installations.command(source, 'export', workspaceId, file, '--close'),
      /cannot be closed: .* default/,
    );
  });

  test('a file of another schema, another key, a damaged one, and one that is none', async () => {
    await source.system.pool.query(
      "insert into applied_migrations (id, name, applied_at, version) values (9999, 'later', now(), '9.0.0')",
    );
    const later = await installations
      .exported(tenant.scope)
      .finally(() => source.system.pool.query('delete from applied_migrations where id = 9999'));
    await expectRefusal(importing(later), /schema 9999, but this Latchkey has schema \d+/);
    const other = installations.newFile();
    const { shared } = await newBackupKey();
    await installations.command(source, 'export', tenant.scope.workspaceId, other, '--key', shared);
    await expectRefusal(importing(other), /encrypted for another key/);
    const cut = await installations.exported(tenant.scope);
    await truncate(cut, 40_000);
    await expectRefusal(importing(cut), /end is missing/);
    const none = installations.newFile();
    await writeFile(none, 'nothing of the kind');
    await expectRefusal(importing(none), /is not the file of a workspace/);
    await expectNothing();
  });

  test('an owner who is no operator here, and a team of which nobody is', async () => {
    await expectRefusal(importing(file, '--owner', newEmail()), /There is no operator/);
    await expectRefusal(importing(file, '--json'), /Name one: --owner/);
  });

  test('a routing key that another workspace has, naming it', async () => {
    const { pool } = target.system;
    const taken = await source.system.pool.query<{ routing_key: string }>(
      'select routing_key from workspaces where id = $1',
      [tenant.scope.workspaceId],
    );
    const { routing_key: theirs } = taken.rows[0] ?? {};
    const { workspaceId } = target.demo;
    const before = await pool.query<{ routing_key: string }>('select routing_key from workspaces where id = $1', [
      workspaceId,
    ]);
    await pool.query('update workspaces set routing_key = $1 where id = $2', [theirs, workspaceId]);
    await expectRefusal(importing(), new RegExp(`same routing_key in workspaces: ${theirs}\\. Nothing was imported`));
    await pool.query('update workspaces set routing_key = $1 where id = $2', [
      before.rows[0]?.routing_key,
      workspaceId,
    ]);
    await expectNothing();
  });

  test('rows and jobs of another workspace in a file that was made by hand', async () => {
    const { workspaceId } = target.demo;
    const own = tenant.scope.workspaceId;
    const rows = await tampered(file, 'projects.copy', (content) => content.replace(own, workspaceId));
    await expectRefusal(importing(rows), /The file is damaged: projects/);
    const counted = await tampered(
      file,
      'projects.copy',
      (content) => `${content}${content.replace(own, workspaceId).replace('prj_', 'prj_0')}`,
      {
        recount: true,
      },
    );
    await expectRefusal(importing(counted), /does not hold what was loaded: projects/);
    const job = { identifier: 'unlink_issuers', payload: { workspaceId, issuers: [own] } };
    const jobs = await tampered(file, 'jobs.copy', (content) => `${content}${escaped(job)}\n`);
    await expectRefusal(importing(jobs), /a job that does not belong to its workspace/);
    await expectNothing();
  });

  test('jobs of other workspaces, those that would replace such a job, and kinds that stay', async () => {
    const { workspaceId } = target.demo;
    const own = tenant.scope.workspaceId;
    const client = await target.system.pool.connect();
    const adding = async (job: object) => {
      await client.query('begin');
      const copy = await stageJobs(client);
      await pipeline(Readable.from([`${escaped(job)}\n`]), client.query(copyFrom(copy)));
      return addStagedJobs(client, own).finally(() => client.query('rollback'));
    };
    const theirs = { identifier: 'sync_payment', payload: { scope: { workspaceId: own } } };
    assert.equal(await adding(theirs), 1);
    for (const job of [
      { ...theirs, payload: { scope: { workspaceId }, workspace: own } },
      { identifier: 'deliver_webhooks', payload: [{ workspaceId: own }, { workspaceId }] },
      { ...theirs, key: `remove_scope ${workspaceId} ` },
      { identifier: 'order_certificates', payload: { workspaceId: own } },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection
      await assert.rejects(adding(job), /a job that does not belong to its workspace/);
    }
    client.release();
  });

  test('a second import of the same file at the same time', async () => {
    const args = ['workspace', 'import', file, '--owner', tenant.operator];
    const settings = installations.settingsOf(target);
    const results = await Promise.all([spawnLatchkey(args, settings), spawnLatchkey(args, settings)]);
    assert.deepEqual(results.map(({ status }) => status).sort(), [0, 1]);
    assert.match(results.map(({ errors }) => errors).join(), /Nothing was imported/);
    assert.ok((await tablesWith(target.system.pool, tenant.scope)).length > 0);
  });
});

/** A job in the text format of COPY. Ids are written with an escape of JSON, which a comparison of texts overlooks. */
function escaped(job: object): string {
  return JSON.stringify(job).replaceAll('wrk_', String.raw`\\u0077rk_`);
}

/** Writes a file again with other content of an entry, as somebody with the key of the file could. */
async function tampered(
  file: string,
  name: string,
  change: (content: string) => string,
  { recount = false } = {},
): Promise<string> {
  const { zip, entries, manifest } = await openArchive({
    name: file,
    source: fileSource(file),
    keys: [installations.key.secret],
    schema: WorkspaceManifest,
    what: 'a file',
  });
  const made = new ZipFile();
  // The manifest is the last entry.
  for (const [entryName, entry] of entries) {
    // biome-ignore lint/performance/noAwaitInLoops: one entry after the other
    let content = await text(await zip.openReadStreamPromise(entry));
    if (entryName === name) content = change(content);
    if (entryName === name && recount)
      Object.assign(manifest.tables.find((table) => `${table.name}.copy` === name) ?? {}, await counted(content));
    if (entryName === 'manifest.json') content = JSON.stringify(manifest);
    made.addBuffer(Buffer.from(content), entryName);
  }
  made.end();
  const out = installations.newFile();
  await pipeline(await encrypted(Readable.from(made.outputStream), installations.key.shared), createWriteStream(out));
  return out;
}

/** What a manifest says about rows without sealed values. */
async function counted(content: string): Promise<{ rows: number; fingerprint: string }> {
  const { keyring } = target.system;
  const rows = new SealedRows({
    ...{ columns: 1, sealed: [], from: keyring, to: keyring },
    ...{ keepsRecords: false, lenient: false, advance: () => undefined },
  });
  await pipeline(
    Readable.from([Buffer.from(content)]),
    rows,
    new Writable({ write: (_chunk, _encoding, done) => done() }),
  );
  return { rows: rows.rows, fingerprint: rows.fingerprint };
}

describe('the list of carried tables', () => {
  /** The tables of tenants for which no part says what happens to their rows. */
  const forgotten = async () => {
    const { pool, parts } = source.system;
    const { rows } = await pool.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'workspace_id'`,
    );
    const named = new Set(rows.map(({ name }) => name));
    const declared = new Set(parts.flatMap(({ carriage = {} }) => Object.keys(carriage)));
    const removed = parts.flatMap(({ removals = [] }) => removals.flatMap(({ tables }) => tables));
    return [...new Set<string>([...(await tenantTables(pool)), ...removed])].filter(
      (table) => !declared.has(table) && rowsCarried(parts, table, named.has(table)) === null,
    );
  };

  test('has every table of a tenant; one without workspace_id that no part declares is noticed', async () => {
    assert.deepEqual(await forgotten(), []);
    await source.system.pool.query('create table overlooked (project_id text not null)');
    assert.deepEqual(await forgotten(), ['overlooked']);
    await source.system.pool.query('drop table overlooked');
  });

  test('a table that a later version adds is exported and imported without being listed', async () => {
    const tenant = await installations.ownedTenant('later');
    const table = 'create table added_later (workspace_id text not null, note text)';
    await Promise.all([source, target].map(({ system }) => system.pool.query(table)));
    await source.system.pool.query("insert into added_later values ($1, E'a tab\\t, a line\\n and a \\\\')", [
      tenant.scope.workspaceId,
    ]);
    const { status, errors } = await installations.command(
      target,
      'import',
      await installations.exported(tenant.scope),
      '--owner',
      tenant.operator,
    );
    assert.equal(status, 0, errors);
    const { rows } = await target.system.pool.query('select note from added_later');
    assert.deepEqual(rows, [{ note: 'a tab\t, a line\n and a \\' }]);
    await Promise.all([source, target].map(({ system }) => system.pool.query('drop table added_later')));
  });
});
