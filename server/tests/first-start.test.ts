import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { startLatchkey } from '#hosts';
import { loadConfig } from '#platform/config.ts';
import { allWorkspaces } from '#tenancy';
import { freePortBase } from './ports.ts';
import { emptyDatabase } from './postgres.ts';

test('several processes that start at once on an empty database: each is ready, and there is one demo', async (t) => {
  const database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-first-'));
  const told: string[] = [];
  const start = async () => {
    const config = loadConfig({
      DATABASE_URL: database.url,
      LATCHKEY_PORT_BASE: String(await freePortBase()),
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_ROLES: 'api',
      LATCHKEY_LOG_LEVEL: 'silent',
      LATCHKEY_DATABASE_STATEMENT_SECONDS: '120',
      LATCHKEY_DATABASE_LOCK_SECONDS: '120',
    });
    const log = pino({ level: 'silent' });
    return startLatchkey({
      config,
      databaseUrl: database.url,
      secrets: config.secrets,
      log,
      progress: (line) => told.push(line),
      testPasswordCost: { memoryCost: 8, timeCost: 1 },
    });
  };
  const all = await Promise.all([start(), start(), start()]);
  t.after(async () => {
    await Promise.all(all.map(({ stop }) => stop()));
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  assert.equal(all.filter(({ demo }) => demo !== null).length, 1);
  const [first] = all;
  assert.ok(first);
  assert.equal((await allWorkspaces(first.system.db)).length, 2, 'that of the console and that of the demo');
  const waited = told.filter((line) => line.startsWith('Waiting for'));
  assert.ok(waited.length > 0, 'who waits says for what');
});
