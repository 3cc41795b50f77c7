import { KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { ExternalSigningKey } from 'oidc-provider';
import { type SigningKey, signEs256 } from '#keys';

const signElsewhere = promisify(sign);

/**
 * A signing key as the provider uses it: the private part stays in the key set. ES256 signs synchronously, which takes
 * less time than a thread switch. RS256 takes about a millisecond, so it signs on another thread.
 */
export class ProviderKey extends ExternalSigningKey {
  readonly #key: SigningKey;
  readonly #private: KeyObject;

  constructor(key: SigningKey) {
    super();
    this.#key = key;
    this.#private = KeyObject.from(key.privateKey);
  }

  override get kid(): string {
    return this.#key.id;
  }

  override get alg(): string {
    return this.#key.algorithm;
  }

  override keyObject(): KeyObject {
    return KeyObject.from(this.#key.publicKey);
  }

  override sign(data: Uint8Array): Uint8Array | Promise<Uint8Array> {
    if (this.#key.algorithm === 'ES256') return signEs256(this.#private, data);
    return signElsewhere('sha256', data, this.#private);
  }
}

/**
 * Sorts keys so that the provider, which uses the first match, finds current keys first, newest first, then those
 * published ahead.
 */
export function inSigningOrder(keys: readonly SigningKey[], now: Date): SigningKey[] {
  const ahead = keys.filter(({ signsFrom }) => signsFrom > now);
  return [...keys.filter(({ signsFrom }) => signsFrom <= now), ...ahead];
}

/**
 * When the published keys change next, in milliseconds since the epoch: a key starts to sign, or ends. Infinity when
 * none will.
 */
export function nextChange(keys: readonly SigningKey[], now: Date): number {
  const instants = keys.flatMap(({ signsFrom, retiresAt }) => (retiresAt ? [signsFrom, retiresAt] : [signsFrom]));
  return Math.min(...instants.filter((instant) => instant > now).map((instant) => instant.getTime()));
}
