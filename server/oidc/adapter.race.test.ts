import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { oidcCleanup, RecordAdapter } from './adapter.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

test('OA-2 only one of fifty parallel redemptions of one code succeeds', async () => {
  const codes = new RecordAdapter(latchkey.system, 'https://issuer.example', 'AuthorizationCode');
  await codes.upsert('code-1', { accountId: 'usr_1', grantId: 'grant-1' }, 60);
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => codes.consume('code-1')));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.ok((await codes.find('code-1'))?.consumed);
});

test('records are found by id, uid and user code, within their issuer, until they expire or their grant is revoked', async () => {
  const [here, elsewhere] = ['https://issuer.example', 'https://other.example'].map(
    (issuer) => new RecordAdapter(latchkey.system, issuer, 'DeviceCode'),
  );
  assert.ok(here && elsewhere);
  await here.upsert('device-1', { uid: 'uid-1', userCode: 'ABCD', grantId: 'grant-2', scope: 'openid' }, 60);
  assert.equal((await here.find('device-1'))?.['scope'], 'openid');
  assert.ok(await here.findByUid('uid-1'));
  assert.ok(await here.findByUserCode('ABCD'));
  assert.equal(await elsewhere.find('device-1'), undefined);
  await here.revokeByGrantId('grant-2');
  assert.equal(await here.find('device-1'), undefined);
  await here.upsert('device-2', {}, 60);
  clock.advance(60_000);
  assert.equal(await here.find('device-2'), undefined);
  await oidcCleanup(latchkey.system);
  const { rowCount } = await latchkey.system.pool.query(`select from oidc_records where model = 'DeviceCode'`);
  assert.equal(rowCount, 0);
});

test('bearer credentials cannot be read from the database, and are restored completely', async () => {
  for (const model of ['AccessToken', 'AuthorizationCode', 'DeviceCode', 'RefreshToken']) {
    const records = new RecordAdapter(latchkey.system, 'https://issuer.example', model);
    const jti = `secret-of-${model}`;
    const payload = { jti, kind: model, userCode: model, grantId: 'grant-3' };
    // biome-ignore lint/performance/noAwaitInLoops: one model after the other
    await records.upsert(jti, payload, 60);
    assert.deepEqual(await records.find(jti), payload);
    assert.deepEqual(await records.findByUserCode(model), payload);
    await records.upsert(jti, { ...payload, scope: 'openid' }, 60);
    assert.equal((await records.find(jti))?.['scope'], 'openid');
  }
  const { rows } = await latchkey.system.pool.query<{ stored: string }>(
    'select oidc_records::text as stored from oidc_records',
  );
  assert.ok(rows.length >= 4);
  for (const { stored } of rows) assert.ok(!stored.includes('secret-of-'), stored);
});
