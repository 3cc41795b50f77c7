import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyring, UnknownSecretError } from './keyring.ts';

const [oldest, older, newest] = ['the oldest of the secrets', 'one that came after it', 'the newest of the secrets'];
const before = new Keyring([older, oldest]);
const after = new Keyring([newest, older, oldest]);

test('with a new secret in front, old seals open and old tags verify; without the old secret they do not', () => {
  const sealed = before.seal('a secret', 'purpose', 'record');
  assert.equal(after.open(sealed, 'purpose', 'record'), 'a secret');
  assert.throws(() => new Keyring([newest]).open(sealed, 'purpose', 'record'), UnknownSecretError);
  const tag = before.tag('text', 'purpose');
  assert.equal(after.checkTag('text', 'purpose', tag), true);
  for (const [text, purpose] of [
    ['text', 'another'],
    ['another', 'purpose'],
  ] as const)
    assert.equal(after.checkTag(text, purpose, tag), false);
  assert.equal(new Keyring([newest]).checkTag('text', 'purpose', tag), false);
});

test('tags of every secret: the first is the current one, the last stays the same when secrets are added', () => {
  const [first, second, last] = after.tags('text', 'purpose');
  assert.deepEqual(first, after.tag('text', 'purpose'));
  assert.deepEqual([second, last], before.tags('text', 'purpose'));
});
