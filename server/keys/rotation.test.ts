import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { eventually, managementToken, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { rotateDueKeys, rotateKeys, rotateKeysNow } from './rotation.ts';

const DAY_MS = 86_400_000;
const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const published = async () =>
  (await latchkey.auth('/connect/jwks')).body.keys.map(({ kid, alg }: { kid: string; alg: string }) => `${alg} ${kid}`);
const signingKid = async () => decodeProtectedHeader(await managementToken(latchkey)).kid;

describe('the rotation of signing keys', () => {
  test('does nothing while the keys are young, in any process', async () => {
    const before = await published();
    await Promise.all(Array.from({ length: 5 }, () => rotateDueKeys(latchkey.system)));
    assert.deepEqual(await published(), before);
    assert.equal(before.length, 2);
  });

  test('publishes the next key of each algorithm ahead, once; signs with it later; finally drops the old one', async () => {
    const old = await signingKid();
    clock.advance(89 * DAY_MS);
    await Promise.all(Array.from({ length: 5 }, () => rotateDueKeys(latchkey.system)));
    await eventually(async () => assert.equal((await published()).length, 4));
    assert.equal(await signingKid(), old);
    const early = await managementToken(latchkey);
    clock.advance(2 * DAY_MS);
    const next = await signingKid();
    assert.notEqual(next, old);
    assert.ok(
      (await published()).some((key: string) => key.endsWith(String(old))),
      'tokens of the old key can be checked',
    );
    assert.equal((await latchkey.api('/v1/admin/roles', { token: early })).status, 401, 'that one is two days old');
    clock.advance(DAY_MS + 1_000);
    assert.ok(!(await published()).some((key: string) => key.endsWith(String(old))));
    assert.equal((await published()).length, 2);
    assert.equal(await signingKid(), next);
  });

  test('can be started manually', async () => {
    const [before, rotated] = [await published(), await rotateKeys(latchkey.system, 'test')];
    assert.equal(rotated.length, 2);
    await eventually(async () => assert.equal((await published()).length, before.length + 2));
  });
});

describe('an emergency rotation', () => {
  // Two keys of one instant have no defined order.
  beforeEach(() => clock.advance(1_000));

  test('signs with new keys at once; earlier keys still verify what they signed', async () => {
    const [old, token] = [await signingKid(), await managementToken(latchkey)];
    await rotateKeysNow(latchkey.system, 'test', []);
    await eventually(async () => assert.notEqual(await signingKid(), old));
    assert.ok((await published()).some((key: string) => key.endsWith(String(old))));
    assert.equal((await latchkey.api('/v1/admin/roles', { token })).status, 200);
  });

  test('refuses every token that a retired key signed, also one that was accepted a moment before', async () => {
    const [old, token] = [String(await signingKid()), await managementToken(latchkey)];
    assert.equal((await latchkey.api('/v1/admin/roles', { token })).status, 200);
    await rotateKeysNow(latchkey.system, 'test', [old]);
    await eventually(async () => {
      const refused = await latchkey.api('/v1/admin/roles', { token });
      assert.equal(refused.status, 401, refused.text);
    });
    assert.ok(!(await published()).some((key: string) => key.endsWith(old)));
    assert.equal((await latchkey.api('/v1/admin/roles', { token: await managementToken(latchkey) })).status, 200);
  });

  test('drops keys published ahead, which never sign', async () => {
    const ahead = await rotateKeys(latchkey.system, 'test');
    clock.advance(1_000);
    await rotateKeysNow(latchkey.system, 'test', []);
    await eventually(async () =>
      assert.ok((await published()).every((key: string) => !ahead.some((id) => key.endsWith(id)))),
    );
    const signs = await signingKid();
    clock.advance(2 * DAY_MS);
    assert.equal(await signingKid(), signs);
  });
});
