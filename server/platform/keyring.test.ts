import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keyring, type KeyState, newDataKey, UnknownKeyError } from './keyring.ts';

const [OLD, NEW] = ['the secret that came first', 'the secret that replaces it'];
const [first, second] = [newDataKey(), newDataKey()];

/** A key ring with data keys in these states, the newest first, all of them encrypted with the newest secret. */
function ringWith(states: KeyState[], secrets = [OLD]): Keyring {
  const ring = new Keyring(secrets, ['purpose']);
  const keys = states.length === 1 ? [first] : [second, first];
  ring.load(
    keys.map((key, index) => ({ id: key.id, wrapped: ring.wrap(key, 'newest'), state: states[index] ?? 'active' })),
  );
  return ring;
}

describe('the key ring', () => {
  test('opens what another process with the same keys sealed, for the same purpose and record only', () => {
    const sealed = ringWith(['active']).seal('a secret', 'purpose', 'record');
    assert.equal(ringWith(['active']).open(sealed, 'purpose', 'record'), 'a secret');
    assert.throws(() => ringWith(['active']).open(sealed, 'other', 'record'), /authenticate/);
    assert.throws(() => ringWith(['active']).open(sealed, 'purpose', 'other'), /authenticate/);
    const [, , body = ''] = sealed.split('.');
    for (const forged of ['', 'k1', `k1.${first.id}.`, `k1.${first.id}.${body.slice(0, 8)}`, `k2.${first.id}.${body}`])
      assert.throws(() => ringWith(['active']).open(forged, 'purpose', 'record'), forged);
  });

  test('reads what versions before data keys made with a secret', () => {
    const ring = new Keyring([OLD], ['purpose']);
    ring.load(ring.secretsAsKeys.map((key) => ({ id: key.id, wrapped: ring.wrap(key, 'newest'), state: 'active' })));
    const sealed = 'k1.a65ffbbe.9fuEq-0exi__zl_xQWIeDOiTzGRHtXOhl-KXZYzCU07Tw4gBgbuecYvjjToK2IT2PmkNxS1YgZRWtw';
    assert.equal(ring.open(sealed, 'purpose', 'record'), 'a secret of the version before');
    const tag = Buffer.from('jwE2ak6ZrdVnbcqLos7dVf2fk22OoLqFIitfX5WFQmw', 'base64url');
    assert.equal(ring.checkTag('text', 'purpose', tag), true);
    assert.deepEqual(ring.lastingTag('text', 'purpose'), tag);
  });

  test('refuses a purpose that no part declares, and anything before its keys are read', () => {
    assert.throws(() => ringWith(['active']).seal('a secret', 'unheard of', 'record'), /Part\.sealed/);
    const empty = new Keyring([OLD], ['purpose']);
    for (const use of [
      () => empty.seal('a secret', 'purpose', 'record'),
      () => empty.open('k1.00000000.AAAA', 'purpose', 'record'),
      () => empty.tag('text', 'purpose'),
      () => empty.checkTag('text', 'purpose', Buffer.alloc(32)),
    ])
      assert.throws(use, { name: 'KeysNotReadError', code: '57P03' });
  });

  test('the next key opens but does not seal, a former one opens, a retired one only lets its values be sealed again', () => {
    const byFirst = ringWith(['active']).seal('a secret', 'purpose', 'record');
    assert.deepEqual(ringWith(['next', 'active']).keyIds, [first.id, second.id]);
    assert.equal(
      ringWith(['active']).open(ringWith(['next', 'active']).seal('x', 'purpose', 'r'), 'purpose', 'r'),
      'x',
    );
    const bySecond = ringWith(['active', 'former']).seal('a secret', 'purpose', 'record');
    assert.equal(ringWith(['next', 'active']).open(bySecond, 'purpose', 'record'), 'a secret');
    assert.equal(ringWith(['active', 'former']).open(byFirst, 'purpose', 'record'), 'a secret');
    const after = ringWith(['active', 'retired']);
    assert.throws(() => after.open(byFirst, 'purpose', 'record'), UnknownKeyError);
    const again = after.sealAgain(byFirst, 'purpose', 'record');
    assert.equal(after.open(again, 'purpose', 'record'), 'a secret');
    assert.equal(after.sealAgain(again, 'purpose', 'record'), again);
    assert.throws(() => after.sealAgain(byFirst, 'purpose', 'other'), /authenticate/);
  });

  test('tags of retired keys count only where values outlive their key', () => {
    const tag = ringWith(['active']).tag('text', 'purpose');
    const former = ringWith(['active', 'former']);
    const retired = ringWith(['active', 'retired']);
    assert.equal(former.checkTag('text', 'purpose', tag), true);
    assert.equal(former.checkTag('text', 'other', tag), false);
    assert.equal(retired.checkTag('text', 'purpose', tag), false);
    assert.equal(retired.checkTag('text', 'purpose', Buffer.alloc(0)), false);
    assert.equal(retired.checkLastingTag('text', 'purpose', tag), true);
    assert.equal(retired.checkLastingTag('other', 'purpose', tag), false);
    assert.deepEqual(retired.tags('text', 'purpose'), [retired.tag('text', 'purpose'), tag]);
    for (const ring of [former, retired, ringWith(['next', 'active'])])
      assert.deepEqual(ring.lastingTag('text', 'purpose'), tag);
  });

  test('data keys open with the secret that encrypts them, under their own id only', () => {
    const old = new Keyring([OLD], []);
    const both = new Keyring([NEW, OLD], []);
    const fresh = new Keyring([NEW], []);
    const stored = { id: first.id, wrapped: both.wrap(first, 'oldest'), state: 'active' } as const;
    assert.equal(both.isWrappedByNewest(stored.wrapped), false);
    for (const ring of [old, both]) ring.load([stored]);
    assert.throws(() => fresh.load([stored]), {
      name: 'UnknownKeyError',
      message: /LATCHKEY_SECRET is not the secret/,
    });
    const again = { ...stored, wrapped: both.wrapAgain(stored) };
    assert.equal(both.isWrappedByNewest(again.wrapped), true);
    fresh.load([again]);
    assert.throws(() => old.load([again]), UnknownKeyError);
    assert.deepEqual(old.keyIds, [first.id], 'the keys stay');
    assert.throws(() => both.load([{ ...again, id: second.id }]), /authenticate/);
    assert.throws(() => both.load([{ ...again, wrapped: 'nonsense' }]), UnknownKeyError);
  });
});
