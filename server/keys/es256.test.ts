import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, importJWK, jwtVerify } from 'jose';
import { signCompact } from './es256.ts';

test('a thousand signatures, of integers of every length, verify in another library', async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const publicKey = await importJWK(await exportJWK(pair.publicKey), 'ES256');
  const tokens = Array.from({ length: 1_000 }, (_, index) =>
    signCompact({ id: 'key-1', privateKey: pair.privateKey }, 'at+jwt', { index }),
  );
  const verified = await Promise.all(tokens.map((token) => jwtVerify(token, publicKey, { typ: 'at+jwt' })));
  assert.deepEqual(
    verified.map(({ payload, protectedHeader }) => [payload['index'], protectedHeader.kid]),
    tokens.map((_, index) => [index, 'key-1']),
  );
});
