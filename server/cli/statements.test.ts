import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { part as billingPart } from '#billing';
import { runLatchkey } from '#tests/command-line.ts';
import { managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const ADDON = '/v1/admin/billing/addons/sms';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const run = async (...words: string[]) => {
  const { status, output, errors } = await runLatchkey(['statements', ...words], {
    DATABASE_URL: latchkey.databaseUrl,
    LATCHKEY_SECRET: 'a secret of the tests that is long enough',
    LATCHKEY_DATA_DIR: latchkey.system.config.dataDir,
  });
  return { status, output: output + errors };
};

test('BL-8 the operator lists statements to be paid by hand and marks one as paid; repeating changes nothing', async () => {
  const token = await managementToken(latchkey, undefined, 'production');
  const post = (path: string, body: Record<string, unknown>) =>
    latchkey.api(ADDON + path, { token, body }, 'production');
  await post('/subscribe', { tierId: 'starter' });
  await post('/cancel', { atPeriodEnd: false });
  await billingPart.sweeps.issueStatements(latchkey.system);
  const list = async () => (await latchkey.api(`${ADDON}/statements`, { token }, 'production')).body.items;
  const [statement] = await list();
  const shown = await run('list');
  assert.equal(shown.status, 0, shown.output);
  const [heading, ...statements] = shown.output.trim().split('\n');
  assert.match(heading ?? '', /^statement +workspace +project +period +total +due$/);
  const [line, ...more] = statements.filter((text) => text.startsWith(`${statement.id}  `));
  assert.ok(line?.includes('9.00 USD'), shown.output);
  assert.deepEqual(more, []);

  const asJson = await run('list', '--json');
  assert.deepEqual(
    JSON.parse(asJson.output)
      .statements.filter(({ id }: { id: string }) => id === statement.id)
      .map(({ id, total }: { id: string; total: number }) => [id, total]),
    [[statement.id, 900]],
  );

  const paid = await run('paid', statement.id);
  assert.deepEqual(paid, { status: 0, output: `${statement.id} is paid.\n` });
  const [{ paidAt }] = await list();
  assert.ok(paidAt);
  await run('paid', statement.id);
  assert.equal((await list())[0].paidAt, paidAt);
  const { rows } = await latchkey.system.pool.query(
    `select data from events where type = 'billing.addon.payment_received' and workspace_id = $1`,
    [latchkey.demo.workspaceId],
  );
  assert.deepEqual(
    rows.map(({ data }) => data.amount),
    [900],
  );
});

test('BL-8 an unknown or missing statement is explained', async () => {
  const unknown = await run('paid', 'stm_01kaz3w9hqf8p9n2m4v5x6y7z8');
  assert.equal(unknown.status, 1);
  assert.match(unknown.output, /There is no unpaid statement "stm_01kaz3w9hqf8p9n2m4v5x6y7z8"/);
  const none = await run('paid');
  assert.equal(none.status, 2);
  assert.match(none.output, /missing required argument 'id'/);
});
