import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compactVerify, exportJWK, generateKeyPair } from 'jose';
import { ProviderKey } from './signing.ts';

async function newKey(algorithm: 'ES256' | 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    id: `key_${algorithm}`,
    algorithm,
    signsFrom: new Date(0),
    retiresAt: null,
    privateKey,
    publicKey,
    publicJwk: await exportJWK(publicKey),
  };
}

describe('a key of ours in the provider', () => {
  // About one ECDSA signature in a hundred has a number that is shorter than the others.
  for (const [algorithm, signatures] of [
    ['ES256', 2_000],
    ['RS256', 3],
  ] as const) {
    test(`${algorithm} signatures are valid for any JOSE library, and the published key contains nothing private`, async () => {
      const key = await newKey(algorithm);
      const signer = new ProviderKey(key);
      const header = Buffer.from(JSON.stringify({ alg: algorithm })).toString('base64url');
      const jws = await Promise.all(
        Array.from({ length: signatures }, async (_, count) => {
          const input = `${header}.${Buffer.from(`message ${count}`).toString('base64url')}`;
          return `${input}.${Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')}`;
        }),
      );
      await Promise.all(jws.map((token) => compactVerify(token, key.publicKey)));
      assert.equal(signer.keyObject().type, 'public');
      assert.deepEqual([signer.kid, signer.alg, signer.use], [key.id, algorithm, 'sig']);
    });
  }
});
