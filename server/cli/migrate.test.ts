import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { readMigrations } from '#migrations';
import { recordMigration } from '#platform/applied-migrations.ts';
import { migrate } from '#platform/migrate.ts';
import { runLatchkey } from '#tests/command-line.ts';
import { emptyDatabase } from '#tests/postgres.ts';
import { blockersOf } from './doctor-upgrade.ts';
import { planMigrations } from './migration-plan.ts';

/** The schema of version 0.1.0. */
const RELEASED = 38;

const migrations = await readMigrations();
const pending = migrations.filter(({ id }) => id > RELEASED).length;
const newest = migrations.at(-1)?.id ?? 0;

let settings: Record<string, string>;
let client: pg.Client;
let drop: () => Promise<void>;
before(async () => {
  const database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
  drop = database.drop;
  settings = {
    DATABASE_URL: database.url,
    LATCHKEY_SECRET: 'a secret of the tests that is long enough',
    LATCHKEY_DATA_DIR: await mkdtemp(join(tmpdir(), 'latchkey-plan-')),
  };
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
after(async () => {
  await client.end();
  await drop();
  await rm(settings['LATCHKEY_DATA_DIR'] ?? '', { recursive: true });
});

async function json(command: string[], changes: Record<string, string> = {}) {
  const { status, output, errors } = await runLatchkey([...command, '--json'], { ...settings, ...changes });
  assert.notEqual(output, '', errors);
  return { status, body: JSON.parse(output) };
}

describe('an upgrade, before it happens', () => {
  test('all migrations are pending in an empty database, and nothing else is checked', async () => {
    const { body } = await json(['migrate', '--plan']);
    assert.equal(body.migrations.length, migrations.length);
    const { status, body: checked } = await json(['upgrade-check']);
    assert.deepEqual([status, checked.findings.length], [0, 1]);
    assert.match(checked.findings[0].found, /^none yet/);
  });

  test('the plan from the schema of version 0.1.0 shows statements, locks and times, and changes nothing', async () => {
    await migrate(settings['DATABASE_URL'] ?? '', () => undefined, RELEASED);
    // A table of 40,000 rows.
    await client.query("update pg_class set reltuples = 40000 where relname = 'applications'");
    const { body } = await json(['migrate', '--plan']);
    assert.deepEqual(
      body.migrations.map(({ id }: { id: number }) => id),
      migrations.filter(({ id }) => id > RELEASED).map(({ id }) => id),
    );
    const claims = body.migrations.find(({ name }: { name: string }) => name === 'id-token-claims');
    assert.deepEqual(claims.statements.at(-1), {
      sql: "update applications set id_token_claims = 'scopes'",
      locks: [{ table: 'applications', mode: 'RowExclusiveLock' }],
      seconds: 2,
    });
    const { output } = await runLatchkey(['migrate', '--plan'], settings);
    assert.match(
      output,
      /^42 id-token-claims: earlier versions keep serving\n {2}It blocks applications \(neither reads nor writes\), and takes about 2 s\.\n\n {4}alter table applications\n/m,
    );
    assert.match(output, /\n {4}update applications set id_token_claims = 'scopes'; -- about 2 s\n/);
    assert.match(
      output,
      /\n76 indexes-of-large-tables: earlier[^\n]*\n {2}It runs outside of a transaction, [^\n]*\n {2}It blocks no requests, /,
    );
    assert.match(output, /\n53 invitations-to-organizations[^\n]*\n[^\n]* invitations \(neither reads nor writes\)/);
    assert.equal(
      (await client.query('select count(*)::integer as n from schema_migrations')).rows[0].n,
      migrations.length - pending,
    );
  });

  test('upgrade-check names what is pending, who can serve, who may not migrate and what is in the way', async (t) => {
    const { status, body } = await json(['upgrade-check']);
    assert.equal(status, 0);
    assert.match(body.findings[0].found, new RegExp(`${pending} migrations.*know schema ${RELEASED} keep serving`));
    assert.equal(body.findings.length, 1);

    const url = new URL(settings['DATABASE_URL'] ?? '');
    const role = `serve_${crypto.randomUUID().replaceAll('-', '')}`;
    await client.query(`create role ${role} login password 'x'; grant usage on schema public to ${role}`);
    await client.query(`grant select on all tables in schema public to ${role}`);
    t.after(() => client.query(`drop owned by ${role}; drop role ${role}`));
    url.username = role;
    url.password = 'x';
    const other = await json(['upgrade-check'], { DATABASE_URL: url.href });
    assert.match(other.body.findings[1].found, new RegExp(`^${role} does not own the tables$`));

    const planner = new pg.Client({ connectionString: settings['DATABASE_URL'] });
    await planner.connect();
    t.after(() => planner.end());
    const plan = await planMigrations(planner, migrations);
    assert.deepEqual(await blockersOf(planner, plan, 0), []);
    await client.query('begin; select 1 from invitations /* all workspaces */');
    const [blocker] = await blockersOf(planner, plan, 0);
    await client.query('commit');
    assert.match(blocker?.found ?? '', /uses invitations since \d+ s$/);
  });

  test('a schema that needs a newer version fails the check, and migrate --plan refuses it', async () => {
    await migrate(settings['DATABASE_URL'] ?? '', () => undefined);
    const now = await json(['upgrade-check']);
    assert.equal(now.status, 0);
    assert.match(
      now.body.findings[0].found,
      new RegExp(`^${newest} of Latchkey [\\d.]+; versions that know schema ${RELEASED} or newer can serve$`),
    );
    assert.match((await runLatchkey(['migrate', '--plan'], settings)).output, /^Nothing is pending\.$/m);
    await client.query("insert into backfills (name, rows_done, rows_total) values ('folded-names', 40, 100)");
    const open = await json(['upgrade-check']);
    assert.equal(open.body.findings[1].found, 'The worker fills folded-names: 40 of about 100 rows.');
    assert.match(
      (await runLatchkey(['migrate', '--plan'], settings)).output,
      /40 of about 100 rows\.\nNothing is pending/,
    );
    await client.query('delete from backfills');
    await recordMigration(client, { id: 9001, name: 'contracts', compatibleSince: 9000, backfill: null });
    const { status, body } = await json(['upgrade-check']);
    assert.equal(status, 1);
    assert.match(body.findings[0].found, /^9001 of Latchkey .* 9000 is needed$/);
    const refused = await runLatchkey(['migrate', '--plan'], settings);
    assert.deepEqual([refused.status, refused.errors.split('\n').length], [1, 2]);
    assert.match(refused.errors, /^The database has schema 9001/);
  });
});
