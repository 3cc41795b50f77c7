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
  const issued = { purpose: 'status-code', record: 'cod_1', code: newCode() } as const;
  assert.match(issued.code, /^\d{8}$/);
  const digest = codeDigest(latchkey.system, issued);
  assert.ok(!digest.equals(createHash('sha256').update(`cod_1${issued.code}`).digest()));
  assert.ok(isCode(latchkey.system, issued, digest));
  for (const other of [{ record: 'cod_2' }, { purpose: 'mfa-code' as const }, { code: '0'.repeat(8) }])
    assert.ok(!isCode(latchkey.system, { ...issued, ...other }, digest), JSON.stringify(other));
});
