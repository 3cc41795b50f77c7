import { KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { ExternalSigningKey } from 'oidc-provider';
import { type SigningKey, signEs256 } from '#keys';

const signElsewhere = promisify(sign);

/**
 * One of our signing keys as the provider uses it: the private part stays in the key set.
 * ES256 is signed at once: it takes less time than handing it to another thread and back. RS256 takes about a millisecond,
 * so it does not hold up other requests.
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

/** The keys in the order in which the provider takes the first that fits: those that sign now, newest first, then those published ahead. */
export function inSigningOrder(keys: readonly SigningKey[], now: Date): SigningKey[] {
  const ahead = keys.filter(({ signsFrom }) => signsFrom > now);
  return [...keys.filter(({ signsFrom }) => signsFrom <= now), ...ahead];
}

/** When the published keys change next, in milliseconds since the epoch: one begins to sign, or ends; Infinity when none will. */
export function nextChange(keys: readonly SigningKey[], now: Date): number {
  const instants = keys.flatMap(({ signsFrom, retiresAt }) => (retiresAt ? [signsFrom, retiresAt] : [signsFrom]));
  return Math.min(...instants.filter((instant) => instant > now).map((instant) => instant.getTime()));
}
