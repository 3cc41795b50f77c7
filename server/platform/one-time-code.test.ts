import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { codeDigest, isCode, newCode } from './one-time-code.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

test('a code is eight digits, and its digest depends on the secret of the installation', () => {
  const made = { purpose: 'status-code', record: 'cod_1', code: newCode() } as const;
  assert.match(made.code, /^\d{8}$/);
  const digest = codeDigest(latchkey.system, made);
  assert.ok(!digest.equals(createHash('sha256').update(`cod_1${made.code}`).digest()));
  assert.ok(isCode(latchkey.system, made, digest));
  for (const other of [{ record: 'cod_2' }, { purpose: 'mfa-code' as const }, { code: '0'.repeat(8) }])
    assert.ok(!isCode(latchkey.system, { ...made, ...other }, digest), JSON.stringify(other));
});
