import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runLatchkey, spawnLatchkey } from '#tests/command-line.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

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

const settings = () => ({
  DATABASE_URL: latchkey.databaseUrl,
  LATCHKEY_DATA_DIR: folder,
  LATCHKEY_SECRET: 'a secret of the tests that is long enough',
});
/** Runs the command on the database of the running Latchkey. */
const run = (...words: string[]) => runLatchkey(words, settings());

test('latchkey import dry-runs, imports, and latchkey export writes the members back', async () => {
  const file = join(folder, 'people.csv');
  await writeFile(file, 'email,displayName\ncli.one@example.com,One\ncli.two@example.com,Two\nnonsense,Three\n');
  const dry = await run('import', file, '--dry-run', '--json');
  assert.equal(dry.status, 1, dry.errors);
  const planned = JSON.parse(dry.output);
  assert.deepEqual([planned.dryRun, planned.rows, planned.created, planned.failed], [true, 3, 2, 1]);
  assert.equal(planned.report[0].row, 3);
  const [project] = latchkey.demo.projects;
  const done = await run('import', file, '--workspace', latchkey.demo.workspaceId, '--project', project?.id ?? '');
  assert.match(done.output, /3 rows, 2 created, 0 joined, 0 unchanged, 1 failed\.\n {2}row 3: \/email/, done.errors);
  const out = join(folder, 'members.ndjson');
  const exported = await run('export', out, '--json');
  assert.deepEqual(JSON.parse(exported.output), { file: out, rows: 3 }, exported.errors);
  assert.equal((await stat(out)).mode & 0o777, 0o600);
  const rows = (await readFile(out, 'utf8')).trim().split('\n');
  assert.deepEqual(
    rows.map((row) => JSON.parse(row).email),
    ['owner@demo.example', 'cli.one@example.com', 'cli.two@example.com'],
  );
  assert.equal((await run('export')).output.trim().split('\n').length, 3);
});

test('faults are explained', async () => {
  const unknown = await run('export', '--workspace', 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8', '--project', 'prj_nothing');
  assert.equal(unknown.status, 1);
  assert.match(unknown.errors, /There is no such project in this installation\./);
  const nothing = await run('import');
  assert.match(nothing.errors, /missing required argument 'files'/);
  const away = join(folder, 'away.ndjson');
  assert.equal((await run('import', away)).errors.trim(), `${away} cannot be read (ENOENT).`);
  await writeFile(away, '');
  assert.equal((await run('export', away)).errors.trim(), `${away} exists already. Name a new file.`);
});

test('a configuration file is named before or after the command', async () => {
  const file = join(folder, 'settings.json');
  await writeFile(file, JSON.stringify(settings()));
  for (const words of [
    ['--config', file, 'migrate', '--json'],
    [`--config=${file}`, 'migrate', '--json'],
    ['migrate', '--json', '--config', file],
  ]) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
    const migrated = await spawnLatchkey(words, {});
    assert.ok(JSON.parse(migrated.output).schema >= 12, `${words.join(' ')}: ${migrated.errors}`);
  }
});
