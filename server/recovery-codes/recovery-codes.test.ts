import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemCtx, transaction } from '#platform/ctx.ts';
import { Keyring } from '#platform/keyring.ts';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { newRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

test('a recovery code works once, also after the installation’s secret was changed', async () => {
  const [older, newer] = ['the older secret, which is long enough', 'the newer secret, which is long enough'];
  const { userId } = (await register(latchkey)).session;
  const { scope } = await latchkey.inProject(async (tx) => tx);
  const under = <T>(secrets: string[], work: (tx: Parameters<typeof newRecoveryCodes>[0]) => Promise<T>) =>
    transaction(systemCtx({ ...latchkey.system, keyring: new Keyring(secrets) }, scope, 'test', 'test'), work);
  const [first, second] = await under([older], (tx) => newRecoveryCodes(tx, userId));
  assert.ok(first && second);
  const use = (code: string, secrets: string[]) => under(secrets, (tx) => useRecoveryCode(tx, userId, code));
  assert.equal(await use(first, [newer]), false);
  assert.equal(await use(first.toUpperCase(), [newer, older]), true);
  assert.equal(await use(first, [newer, older]), false);
  assert.equal(await use(second, [older]), true);
});
