import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import { baseBackup } from '#tests/base-backup.ts';
import { runLatchkey, spawnLatchkey } from '#tests/command-line.ts';
import { eventually, newEmail, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

/**
 * Recovery to a point in time, as docs/operations.md describes it, and backups that are killed or find the disk full.
 * They need a PostgreSQL of their own. `npm run test:backup`.
 */
const SECRET = 'the secret of this test installation';
const ENTRY = resolve(import.meta.dirname, '../../latchkey.mjs');

let folder: string;
let server: EmbeddedPostgres;
let latchkey: TestLatchkey;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-recovery-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'archive'));
  // Started by root, the server runs as another user.
  await chmod(join(folder, 'archive'), 0o777);
  server = await startPostgres('first', [
    'archive_mode=on',
    `archive_command=test ! -f ${folder}/archive/%f && cp %p ${folder}/archive/%f`,
  ]);
  latchkey = await startTestLatchkey({
    databaseUrl: server.url,
    settings: { LATCHKEY_SECRET: SECRET, LATCHKEY_ROLES: 'auth,api' },
  });
});
after(async () => {
  await latchkey.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function startPostgres(name: string, settings: string[]): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir: join(folder, name),
    port: 0,
    database: 'latchkey',
    progress: () => undefined,
    flags: settings.flatMap((setting) => ['-c', setting]),
  });
}

const settingsFor = (url: string) => ({
  DATABASE_URL: url,
  LATCHKEY_SECRET: SECRET,
  LATCHKEY_DATA_DIR: join(folder, 'data'),
});

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

describe('recovery to a point in time', () => {
  test('restores what was stored before the time, and nothing that was stored after it', async () => {
    const [kept, lost] = [newEmail(), newEmail()];
    await mkdir(join(folder, 'second'));
    await copyFile(join(folder, 'first/postgres-password'), join(folder, 'second/postgres-password'));
    await baseBackup(server.url, {
      from: join(folder, 'first/postgres'),
      to: join(folder, 'second/postgres'),
      files: { 'recovery.signal': '' },
    });
    await register(latchkey, { email: kept });
    const time = await connected(latchkey.databaseUrl, async (client) => {
      const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now');
      return rows[0]?.now ?? '';
    });
    await register(latchkey, { email: lost });
    await connected(server.url, (client) => client.query('delete from sessions /* all workspaces */'));
    const segment = await connected(server.url, async (client) => {
      const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
      return rows[0]?.name ?? '';
    });
    await eventually(async () => {
      const { rows } = await connected(server.url, (client) =>
        client.query<{ name: string }>('select last_archived_wal as name from pg_stat_archiver'),
      );
      assert.ok((rows[0]?.name ?? '') >= segment, `${segment} is not archived yet`);
    });
    const recovered = await startPostgres('second', [
      `restore_command=cp ${folder}/archive/%f %p`,
      `recovery_target_time=${time}`,
      'recovery_target_action=promote',
      'hot_standby=off',
    ]);
    try {
      await connected(recovered.url, async (client) => {
        const { rows } = await client.query<{ email: string }>(
          'select value as email from identifiers where value = any($1) /* all workspaces */',
          [[kept, lost]],
        );
        assert.deepEqual(rows, [{ email: kept }]);
        const { rows: sessions } = await client.query('select from sessions /* all workspaces */');
        assert.ok(sessions.length > 0);
      });
      const doctor = await runLatchkey(['doctor', '--json'], settingsFor(recovered.url));
      const { findings }: { findings: { check: string; state: string }[] } = JSON.parse(doctor.output);
      for (const check of ['database', 'schema', 'secret'])
        assert.equal(findings.find((finding) => finding.check === check)?.state, 'ok', check);
      const ended = await runLatchkey(['sessions', 'end-all', '--yes', '--json'], settingsFor(recovered.url));
      assert.equal(ended.status, 0, ended.errors);
    } finally {
      await recovered.stop();
    }
  });
});

describe('latchkey backup', () => {
  test('a killed backup leaves no file under its name, and the next one succeeds', async () => {
    const file = join(folder, 'killed.zip');
    await connected(server.url, (client) =>
      client.query('create table ballast as select md5(n::text) from generate_series(1, 2000000) n'),
    );
    const child = spawn(process.execPath, [ENTRY, 'backup', file], {
      env: { PATH: process.env['PATH'], ...settingsFor(server.url) },
      stdio: 'ignore',
    });
    await eventually(async () => assert.ok((await readdir(folder)).includes('killed.zip.partial')));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(!(await readdir(folder)).includes('killed.zip'));
    await connected(server.url, (client) => client.query('drop table ballast'));
    const again = await spawnLatchkey(['backup', file], settingsFor(server.url));
    assert.equal(again.status, 0, again.errors);
    assert.ok(!(await readdir(folder)).includes('killed.zip.partial'));
  });

  test('a backup to a full disk fails, and says so', async () => {
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [ENTRY, 'backup', '-'], {
      env: { PATH: process.env['PATH'], ...settingsFor(server.url) },
      stdio: ['ignore', full.fd, 'pipe'],
    });
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const [status] = await once(child, 'close');
    await full.close();
    assert.notEqual(status, 0);
    assert.match(errors, /ENOSPC|no space left/);
  });
});
