import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemCtx, transaction } from '#platform/ctx.ts';
import { Keyring, newDataKey } from '#platform/keyring.ts';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { newRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

test('a recovery code works once, also after its data key was retired', async () => {
  const { userId } = (await register(latchkey)).session;
  const { scope } = await latchkey.inProject(async (tx) => tx);
  // As in a workspace from before workspaces had keys of their own.
  await latchkey.system.pool.query('delete from workspace_tag_keys where workspace_id = $1', [scope.workspaceId]);
  const [older, newer] = [newDataKey(), newDataKey()];
  const under = <T>(keys: (typeof older)[], work: (tx: Parameters<typeof newRecoveryCodes>[0]) => Promise<T>) => {
    const keyring = new Keyring(['a secret that is long enough'], []);
    const stored = keys.map((key) => ({ id: key.id, wrapped: keyring.wrap(key, 'newest') }));
    keyring.load(stored.map((key, index) => ({ ...key, state: index === 0 ? 'active' : 'retired' })));
    return transaction(systemCtx({ ...latchkey.system, keyring }, scope, 'test', 'test'), work);
  };
  const [first, second] = await under([older], (tx) => newRecoveryCodes(tx, userId));
  assert.ok(first && second);
  const use = (code: string, keys: (typeof older)[]) => under(keys, (tx) => useRecoveryCode(tx, userId, code));
  assert.equal(await use(first, [newer]), false);
  assert.equal(await use(first.toUpperCase(), [newer, older]), true);
  assert.equal(await use(first, [newer, older]), false);
  assert.equal(await use(second, [older]), true);
});
