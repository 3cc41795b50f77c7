import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { pipeLatchkey, runLatchkey } from '#tests/command-line.ts';
import { newEmail, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { emptyDatabase } from '#tests/postgres.ts';

const SECRET = 'the secret of this test installation';

/** Runs without a worker, so that nothing changes by itself. */
let latchkey: TestLatchkey;
let folder: string;
let file: string;
before(async () => {
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_SECRET: SECRET, LATCHKEY_ROLES: 'auth,api' } });
  folder = await mkdtemp(join(tmpdir(), 'latchkey-backup-'));
  file = join(folder, 'latchkey.zip');
});
after(async () => {
  await latchkey.stop();
  await rm(folder, { recursive: true, force: true });
});

const settingsFor = (url: string, secret = SECRET) => ({
  DATABASE_URL: url,
  LATCHKEY_SECRET: secret,
  LATCHKEY_DATA_DIR: join(folder, 'data'),
});
const backedUp = () => settingsFor(latchkey.system.databaseUrl);

/** Request counts are flushed at any time. */
const ASYNCHRONOUS_TABLES = "'status_signals'";

/** Every row of every table, as text. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE' and table_name not in ('applied_migrations', 'schema_migrations', 'migrations', ${ASYNCHRONOUS_TABLES})`,
    );
    const content: Record<string, string[]> = {};
    for (const { name } of tables) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${name} t order by 1 /* all workspaces */`,
      );
      content[name] = rows.map(({ row }) => row);
    }
    return content;
  } finally {
    await client.end();
  }
}

describe('latchkey backup and restore', () => {
  test('backup writes a file that only its owner can read, while Latchkey runs', async () => {
    await register(latchkey, { email: newEmail(), profile: { displayName: 'Tab\there, new\nline and \\ backslash' } });
    const { status, output, errors } = await runLatchkey(['backup', file], backedUp());
    assert.equal(status, 0, errors);
    assert.match(output, /\d+ rows of \d+ tables/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok(!(await readFile(file)).includes(SECRET), 'the secret is not in it');
    const again = await runLatchkey(['backup', file], backedUp());
    assert.equal(again.status, 1);
    assert.match(again.errors, /exists already/);
  });

  test('a restored database has the same rows, and a second restore is refused', async (t) => {
    const target = await emptyDatabase(latchkey.system.databaseUrl);
    t.after(target.drop);
    const restored = await runLatchkey(['restore', file, '--json'], settingsFor(target.url));
    assert.equal(restored.status, 0, restored.errors);
    assert.equal(JSON.parse(restored.output).restored, true);
    assert.deepEqual(await contentOf(target.url), await contentOf(latchkey.system.databaseUrl));
    const again = await runLatchkey(['restore', file], settingsFor(target.url));
    assert.equal(again.status, 1);
    assert.match(again.errors, /holds an installation already/);
  });

  test('--verify restores into a temporary database, and drops it and those that killed processes left', async (t) => {
    const [abandoned, used] = ['latchkey_verify_abandoned', 'latchkey_verify_used'];
    await latchkey.system.pool.query(`create database ${abandoned}`);
    await latchkey.system.pool.query(`create database ${used}`);
    const user = new pg.Client({ connectionString: latchkey.databaseUrl, application_name: used });
    await user.connect();
    t.after(async () => {
      await user.end();
      await latchkey.system.pool.query(`drop database if exists ${used}`);
    });
    const { status, output, errors } = await runLatchkey(['restore', file, '--verify'], backedUp());
    assert.equal(status, 0, errors);
    assert.match(output, /can be restored, and its secrets can be opened/);
    const { rows } = await latchkey.system.pool.query<{ datname: string }>(
      "select datname from pg_database where datname in ('latchkey_verify_abandoned', 'latchkey_verify_used')",
    );
    assert.deepEqual(rows, [{ datname: used }]);
  });

  test('a backup of a newer version is refused in one line, which names that version', async (t) => {
    const newer = await emptyDatabase(latchkey.system.databaseUrl);
    t.after(newer.drop);
    const restored = await runLatchkey(['restore', file], settingsFor(newer.url));
    assert.equal(restored.status, 0, restored.errors);
    const client = new pg.Client({ connectionString: newer.url });
    await client.connect();
    await client.query(
      "insert into applied_migrations (id, name, compatible_since, version) values (9999, 'later', 1, '99.0.0')",
    );
    await client.end();
    const later = join(folder, 'later.zip');
    assert.equal((await runLatchkey(['backup', later], settingsFor(newer.url))).status, 0);
    const refused = await runLatchkey(['restore', later, '--verify'], backedUp());
    assert.equal(refused.status, 1);
    assert.match(refused.errors, /is of Latchkey \d\S* with schema 9999, but this Latchkey knows schemas up to \d+/);
  });

  test('a backup with a key is encrypted, and only that key restores it', async () => {
    const { output } = await runLatchkey(['backup-key'], {});
    const keyed = { ...backedUp(), LATCHKEY_BACKUP_KEY: output };
    const sealed = join(folder, 'sealed.zip.age');
    assert.equal((await runLatchkey(['backup', sealed], keyed)).status, 0);
    assert.match((await readFile(sealed, 'latin1')).slice(0, 30), /^age-encryption\.org\/v1\n/);
    const verified = await runLatchkey(['restore', sealed, '--verify'], keyed);
    assert.equal(verified.status, 0, verified.errors);
    const { output: other } = await runLatchkey(['backup-key'], {});
    for (const [settings, fault] of [
      [backedUp(), /Configure the secret key it was made for: LATCHKEY_BACKUP_KEY/],
      [{ ...backedUp(), LATCHKEY_BACKUP_KEY: other }, /encrypted for another key/],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one command at a time
      const refused = await runLatchkey(['restore', sealed, '--verify'], settings);
      assert.equal(refused.status, 1);
      assert.match(refused.errors, fault);
    }
  });

  test('a backup to standard output holds nothing else', async () => {
    const piped = join(folder, 'piped.zip');
    const { errors, status } = await pipeLatchkey(['backup', '-'], backedUp(), piped);
    assert.equal(status, 0, errors);
    const verified = await runLatchkey(['restore', piped, '--verify'], backedUp());
    assert.equal(verified.status, 0, verified.errors);
  });

  test('a configured secret that encrypts no data key yet does not restore a backup', async () => {
    const url = latchkey.system.databaseUrl;
    const [next, early] = ['the next secret that is not in use', join(folder, 'early.zip')];
    assert.equal((await runLatchkey(['backup', early], settingsFor(url, `${next},${SECRET}`))).status, 0);
    const refused = await runLatchkey(['restore', early, '--verify'], settingsFor(url, next));
    assert.equal(refused.status, 1);
    assert.match(refused.errors, /made with another LATCHKEY_SECRET/);
  });

  test('a damaged backup, or one of another secret, is reported and restores nothing', async (t) => {
    const strange = await runLatchkey(
      ['restore', file, '--verify'],
      settingsFor(latchkey.system.databaseUrl, 'another secret that is just as long as needed'),
    );
    assert.equal(strange.status, 1);
    assert.match(strange.errors, /made with another LATCHKEY_SECRET/);
    const target = await emptyDatabase(latchkey.system.databaseUrl);
    t.after(target.drop);
    const damaged = join(folder, 'damaged.zip');
    const bytes = await readFile(file);
    const middle = Math.floor(bytes.length / 3);
    bytes.fill(0x55, middle, middle + 2_000);
    await writeFile(damaged, bytes);
    const { status, errors } = await runLatchkey(['restore', damaged], settingsFor(target.url));
    assert.equal(status, 1, errors);
    const left = await contentOf(target.url);
    assert.deepEqual([left['public.workspaces'], left['public.users'], left['public.events']], [[], [], []]);
    const good = await runLatchkey(['restore', file], settingsFor(target.url));
    assert.equal(good.status, 0, good.errors);
    assert.match(good.output, /valid again.*latchkey sessions end-all --yes/s);
  });
});
