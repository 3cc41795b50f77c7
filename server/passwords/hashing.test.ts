import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Problem } from '#platform/problem.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { hashPassword, verifyPassword } from './hashing.ts';

describe('password hashing', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey({ passwordCost: 'full' });
  });
  after(() => latchkey.stop());

  test('PW-8 hashes are Argon2id with 19 MiB, two passes and a 128-bit salt of their own', async () => {
    const [one, two] = await Promise.all([
      hashPassword(latchkey, 'the same password'),
      hashPassword(latchkey, 'the same password'),
    ]);
    const salt = (phc: string) =>
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]+)\$[A-Za-z0-9+/]{43}$/.exec(phc)?.[1] ?? '';
    assert.ok(Buffer.from(salt(one), 'base64').length >= 16);
    assert.notEqual(salt(one), salt(two));
  });

  test('PW-2 every character of a long password counts, also after the 72nd byte', async () => {
    const base = 'ä'.repeat(63);
    const hash = await hashPassword(latchkey, `${base}x`);
    assert.equal(await verifyPassword(latchkey, hash, `${base}x`), true);
    assert.equal(await verifyPassword(latchkey, hash, `${base}y`), false);
    assert.equal(await verifyPassword(latchkey, hash, base), false);
  });

  test('PW-2 the same characters typed as other code points are the same password', async () => {
    const hash = await hashPassword(latchkey, 'caf\u00e9 am Morgen trinken');
    assert.equal(await verifyPassword(latchkey, hash, 'cafe\u0301 am Morgen trinken'), true);
  });

  test('PW-8 a flood waits in a bounded queue; requests beyond it are told to retry later', async () => {
    const results = await Promise.allSettled(Array.from({ length: 560 }, () => verifyPassword(latchkey, null, 'x')));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    assert.ok(refused.length > 0 && refused.length < 100, `${refused.length} refused`);
    for (const reason of refused) assert.ok(reason instanceof Problem && reason.code === 'SERVICE_UNAVAILABLE');
    assert.equal(await verifyPassword(latchkey, null, 'x'), false);
  });
});
