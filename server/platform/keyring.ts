import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

type Master = { id: string; key: Buffer };

/** A value was sealed with a secret that is not in the configuration. */
export class UnknownSecretError extends Error {
  override readonly name = 'UnknownSecretError';
}

/**
 * Keys derived from the installation's secrets (`LATCHKEY_SECRET`; the first encrypts, all decrypt), one per purpose.
 * A sealed value is bound to its purpose and its record, so it can't be moved to another row.
 */
export class Keyring {
  readonly #masters: readonly [Master, ...Master[]];
  readonly #derived = new Map<string, Buffer>();

  constructor(secrets: readonly string[]) {
    const [first, ...rest] = secrets.map((secret) => ({
      id: createHash('sha256').update(`id:${secret}`).digest('hex').slice(0, 8),
      key: Buffer.from(secret),
    }));
    if (!first) throw new Error('The key ring needs at least one secret.');
    this.#masters = [first, ...rest];
  }

  /** Identifiers of the secrets, which reveal nothing about them. Every sealed value names the secret it needs. */
  get secretIds(): readonly string[] {
    return this.#masters.map(({ id }) => id);
  }

  /**
   * Encrypts with AES-256-GCM.
   * @param purpose the kind of secret
   * @param record the id of the row that stores it
   */
  seal(plaintext: string, purpose: string, record: string): string {
    const [master] = this.#masters;
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key(master, purpose), iv).setAAD(Buffer.from(record));
    const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `k1.${master.id}.${Buffer.concat([iv, sealed]).toString('base64url')}`;
  }

  /** @throws UnknownSecretError; Error if the value was sealed for another purpose or record, or was altered */
  open(sealed: string, purpose: string, record: string): string {
    const [version, id, body] = sealed.split('.');
    const master = this.#masters.find((candidate) => candidate.id === id);
    if (version !== 'k1' || !master || !body)
      throw new UnknownSecretError(
        `A sealed ${purpose} was made with a secret that is not configured; add the old secret to LATCHKEY_SECRET.`,
      );
    const bytes = Buffer.from(body, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key(master, purpose), bytes.subarray(0, 12)).setAAD(
      Buffer.from(record),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  }

  /** A keyed digest (HMAC-SHA256) that only this installation can compute. */
  tag(text: string, purpose: string): Buffer {
    return createHmac('sha256', this.#key(this.#masters[0], purpose)).update(text).digest();
  }

  /**
   * {@link tag} with every secret, the newest first, to find values stored under an older secret. The last uses the
   * oldest secret, so it stays the same when newer secrets are added.
   */
  tags(text: string, purpose: string): Buffer[] {
    return this.#masters.map((master) => createHmac('sha256', this.#key(master, purpose)).update(text).digest());
  }

  /** Verifies a digest of {@link tag} in constant time, also one made with an older secret. */
  checkTag(text: string, purpose: string, tag: Buffer): boolean {
    return this.tags(text, purpose).some(
      (candidate) => candidate.length === tag.length && timingSafeEqual(candidate, tag),
    );
  }

  #key(master: Master, purpose: string): Buffer {
    const name = `${master.id}/${purpose}`;
    const known = this.#derived.get(name);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', master.key, 'latchkey', purpose, 32));
    this.#derived.set(name, key);
    return key;
  }
}

/** SHA-256 of a high-entropy secret, the form in which it is stored (RFC 6819 §5.1.4.1.3; ASVS 11.4). */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** 256 random bits in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
