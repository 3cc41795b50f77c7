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

/** Something was sealed with a secret that the configuration does not have. */
export class UnknownSecretError extends Error {
  override readonly name = 'UnknownSecretError';
}

/**
 * Keys derived from the installation's secrets (`LATCHKEY_SECRET`; the first encrypts, all decrypt), one per purpose.
 * A value is bound to its purpose and to the record it belongs to, so it can't be moved to another row.
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

  /** Names of the secrets, which tell nothing of them: what was sealed says which it needs. */
  get secretIds(): readonly string[] {
    return this.#masters.map(({ id }) => id);
  }

  /** Encrypts with AES-256-GCM. @param purpose what kind of secret @param record the id of the row it is stored in */
  seal(plaintext: string, purpose: string, record: string): string {
    const [master] = this.#masters;
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key(master, purpose), iv).setAAD(Buffer.from(record));
    const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `k1.${master.id}.${Buffer.concat([iv, sealed]).toString('base64url')}`;
  }

  /** @throws UnknownSecretError; Error when the value was sealed for another purpose or record, or was altered */
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

  /** A keyed digest (HMAC-SHA256) that only this installation can make. */
  tag(text: string, purpose: string): Buffer {
    return createHmac('sha256', this.#key(this.#masters[0], purpose)).update(text).digest();
  }

  /**
   * {@link tag} by every secret, the newest first: to find what was kept under an older one. The last is by the oldest, and so the
   * same for as long as that is configured, whatever is put in front of it.
   */
  tags(text: string, purpose: string): Buffer[] {
    return this.#masters.map((master) => createHmac('sha256', this.#key(master, purpose)).update(text).digest());
  }

  /** Checks a digest made by {@link tag}, also one made with an older secret, in constant time. */
  checkTag(text: string, purpose: string, tag: Buffer): boolean {
    return this.tags(text, purpose).some((made) => made.length === tag.length && timingSafeEqual(made, tag));
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

/** SHA-256 of a high-entropy secret, as it is stored (RFC 6819 §5.1.4.1.3; ASVS 11.4). */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** 256 random bits in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
