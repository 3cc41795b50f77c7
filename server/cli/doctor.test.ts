import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runLatchkey } from '#tests/command-line.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { emptyDatabase } from '#tests/postgres.ts';

const SECRET = 'the secret of this test installation';

let latchkey: TestLatchkey;
let folder: string;
let settings: Record<string, string>;
before(async () => {
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_SECRET: SECRET } });
  folder = await mkdtemp(join(tmpdir(), 'latchkey-doctor-'));
  const { addresses } = latchkey.system.config;
  settings = {
    DATABASE_URL: latchkey.system.databaseUrl,
    LATCHKEY_SECRET: SECRET,
    LATCHKEY_DATA_DIR: folder,
    LATCHKEY_CONSOLE_URL: addresses.console,
    LATCHKEY_TEST_AUTH_URL: addresses.test.auth,
    LATCHKEY_TEST_API_URL: addresses.test.api,
    LATCHKEY_PRODUCTION_AUTH_URL: addresses.production.auth,
    LATCHKEY_PRODUCTION_API_URL: addresses.production.api,
  };
});
after(async () => {
  await latchkey.stop();
  await rm(folder, { recursive: true, force: true });
});

type Finding = { check: string; state: string; found: string; remedy?: string };

async function examine(changes: Record<string, string>): Promise<{ status: number; of: (check: string) => Finding }> {
  const { status, output, errors } = await runLatchkey(['doctor', '--json'], { ...settings, ...changes });
  assert.notEqual(output, '', errors);
  const { findings }: { findings: Finding[] } = JSON.parse(output);
  return {
    status,
    of: (check) => findings.find((finding) => finding.check === check) ?? assert.fail(`${check} in ${output}`),
  };
}

describe('latchkey doctor', () => {
  test('a running installation has no failed check', async () => {
    const { status, of } = await examine({});
    for (const check of ['database', 'schema', 'secret', 'console address', 'test auth', 'test API', 'production API'])
      assert.equal(of(check).state, 'ok', JSON.stringify(of(check)));
    assert.equal(status, 0);
    const told = await runLatchkey(['doctor'], settings);
    assert.match(told.output, /PostgreSQL 1\d.*Nothing is broken\./s);
  });

  test('each fault is reported with its remedy, and the exit code is 1', async () => {
    const { addresses } = latchkey.system.config;
    const { status, of } = await examine({
      LATCHKEY_SECRET: 'a secret that nothing here was sealed with',
      LATCHKEY_TEST_AUTH_URL: addresses.production.auth.replace('localhost', '127.0.0.1'),
      LATCHKEY_TEST_API_URL: 'http://nowhere.invalid',
      LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
      LATCHKEY_MAIL_DKIM: 'shop.invalid:mail:/nowhere/key.pem',
    });
    assert.equal(status, 1);
    assert.match(of('secret').remedy ?? '', /old secret back into LATCHKEY_SECRET/);
    assert.equal(of('test auth').state, 'failed');
    assert.match(of('test API').found, /has no address/);
    assert.match(of('mail').found, /ECONNREFUSED/);
    assert.equal(of('DKIM').state, 'failed');
  });

  test('an unreachable database, an empty one, and a configuration with faults', async (t) => {
    const away = await examine({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    assert.equal(away.status, 1);
    assert.match(away.of('database').remedy ?? '', /No database server responds there/);
    const empty = await emptyDatabase(latchkey.system.databaseUrl);
    t.after(empty.drop);
    const made = await examine({ DATABASE_URL: empty.url });
    assert.match(made.of('schema').found, /none yet/);
    assert.deepEqual(
      [made.of('pooler').found, made.of('connections').state, made.of('TLS').state],
      ['none', 'ok', 'ok'],
    );
    assert.match(made.of('memory').found, /^\d+ MB for \d+ MB of data/);
    const name = new URL(empty.url).pathname.slice(1);
    await latchkey.system.pool.query(`alter database ${name} set default_transaction_read_only = on`);
    const readOnly = await examine({ DATABASE_URL: empty.url });
    assert.equal(readOnly.status, 1);
    assert.match(readOnly.of('database').found, /accepts no writes/);
    const faulty = await examine({ LATCHKEY_MODE: 'prod' });
    assert.equal(faulty.status, 1);
    assert.match(faulty.of('configuration').found, /LATCHKEY_MODE/);
  });
});
