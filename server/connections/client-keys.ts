import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** The one algorithm that every identity provider with private_key_jwt takes (OpenID Connect Core §15.1). */
const SIGNED_BY = 'RS256';

/** A public key of ours, as in a JWKS. */
export const PublicKey = Type.Object({
  kty: Type.Literal('RSA'),
  n: Type.String(),
  e: Type.String(),
  kid: Type.String(),
  use: Type.Literal('sig'),
  alg: Type.Literal(SIGNED_BY),
});
type PublicKey = Static<typeof PublicKey>;

/** A new key: the public part, and the private one in PEM. */
export const NewClientKey = Type.Object({ publicKey: PublicKey, privateKey: Type.String() });
export type NewClientKey = Static<typeof NewClientKey>;

/** The keys of a connection in their order: the first signs. */
export type ClientKeys = { publicKeys: readonly PublicKey[]; privateKeys: readonly string[] };

const generated = promisify(generateKeyPair);

export async function newClientKey(): Promise<NewClientKey> {
  const { publicKey, privateKey } = await generated('rsa', { modulusLength: 2_048 });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    publicKey: Value.Parse(PublicKey, { ...jwk, kid, use: 'sig', alg: SIGNED_BY }),
    privateKey: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
  };
}

/** @param keys as they are stored */
export function privateKeysIn(keys: string | null): string[] {
  return Value.Parse(Type.Array(Type.String()), JSON.parse(keys ?? '[]'));
}
