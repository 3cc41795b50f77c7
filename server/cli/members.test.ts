import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const ENTRY = fileURLToPath(new URL('../latchkey.mjs', import.meta.url));

let latchkey: TestLatchkey;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-cli-'));
  latchkey = await startTestLatchkey();
});
after(async () => {
  await latchkey.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the command on the database of the running Latchkey. */
function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      DATABASE_URL: latchkey.databaseUrl,
      LATCHKEY_DATA_DIR: folder,
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
    },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += String(chunk);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })));
}

test('latchkey import dry-runs, imports, and latchkey export writes the members back', async () => {
  const file = join(folder, 'people.csv');
  await writeFile(file, 'email,displayName\ncli.one@example.com,One\ncli.two@example.com,Two\nnonsense,Three\n');
  const dry = await run('import', file, '--dry-run', '--json');
  assert.equal(dry.code, 1, dry.stderr);
  const planned = JSON.parse(dry.stdout);
  assert.deepEqual([planned.dryRun, planned.rows, planned.created, planned.failed], [true, 3, 2, 1]);
  assert.equal(planned.report[0].row, 3);
  const [project] = latchkey.demo.projects;
  const done = await run('import', file, '--workspace', latchkey.demo.workspaceId, '--project', project?.id ?? '');
  assert.match(done.stdout, /3 rows, 2 created, 0 joined, 0 unchanged, 1 failed\.\n {2}row 3: \/email/, done.stderr);
  const out = join(folder, 'members.ndjson');
  const exported = await run('export', out, '--json');
  assert.deepEqual(JSON.parse(exported.stdout), { file: out, rows: 3 }, exported.stderr);
  assert.equal((await stat(out)).mode & 0o777, 0o600);
  const rows = (await readFile(out, 'utf8')).trim().split('\n');
  assert.deepEqual(
    rows.map((row) => JSON.parse(row).email),
    ['owner@demo.example', 'cli.one@example.com', 'cli.two@example.com'],
  );
  assert.equal((await run('export')).stdout.trim().split('\n').length, 3);
});

test('faults are explained', async () => {
  const unknown = await run('export', '--workspace', 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8', '--project', 'prj_nothing');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no such project in this installation\./);
  const nothing = await run('import');
  assert.match(nothing.stderr, /missing required argument 'file'/);
  const settings = join(folder, 'settings.json');
  await writeFile(settings, '{}');
  for (const words of [
    ['--config', settings, 'keys', 'list', '--json'],
    [`--config=${settings}`, 'keys', 'list', '--json'],
    ['keys', 'list', '--json', '--config', settings],
  ]) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
    const listed = await run(...words);
    assert.equal(JSON.parse(listed.stdout).keys.length, 4, `${words.join(' ')}: ${listed.stderr}`);
  }
  const away = join(folder, 'away.ndjson');
  assert.equal((await run('import', away)).stderr.trim(), `${away} can not be read (ENOENT).`);
  await writeFile(away, '');
  assert.equal((await run('export', away)).stderr.trim(), `${away} is there already. Name a new file.`);
});
