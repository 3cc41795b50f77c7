import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { nextRandom } from './randomness.ts';

type Key = { id: string; material: Buffer };

/**
 * - `next`: every process learns of it before it seals anything.
 * - `active`: seals and tags. There is one.
 * - `former`: opens what it sealed.
 * - `retired`: opens nothing; `latchkey keys reseal` has sealed its values again.
 */
export type KeyState = 'next' | 'active' | 'former' | 'retired';

/** A data key as the database stores it. */
export type StoredKey = { id: string; wrapped: string; state: KeyState };

/** What a sealed value is bound to: the kind of value, and the row that stores it. */
type Binding = { purpose: string; record: string };

/** A value was sealed with a key or secret that this process does not have. */
export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
}

/** The database has been away since the start, so its keys were not read. */
class KeysNotReadError extends Error {
  override readonly name = 'KeysNotReadError';
  /** As for a server that starts: the same may succeed later. */
  readonly code = '57P03';
}

const WRAPPED = 'data-key';

/**
 * The data keys of the installation, which encrypt values at rest, and the secrets (`LATCHKEY_SECRET`) that encrypt
 * these keys in the database. Of each key, a key per purpose is derived. A sealed value names its key and is bound to
 * its purpose and its record, so it can't be moved to another row.
 */
export class Keyring {
  readonly #secrets: readonly [Key, ...Key[]];
  readonly #purposes: ReadonlySet<string>;
  /** The newest first. */
  #keys: readonly (Key & { state: KeyState })[] = [];
  /** Key objects, because Node.js takes four times as long for a key that is a buffer. */
  readonly #derived = new Map<string, KeyObject>();

  /**
   * @param secrets the newest first
   * @param purposes those that a part declares in `sealed`
   */
  constructor(secrets: readonly string[], purposes: Iterable<string>) {
    const [newest, ...others] = secrets.map((secret) => ({
      id: hash('sha256', `id:${secret}`, 'hex').slice(0, 8),
      material: Buffer.from(secret),
    }));
    if (!newest) throw new Error('The key ring needs at least one secret.');
    this.#secrets = [newest, ...others];
    this.#purposes = new Set(purposes);
  }

  /** Identifiers of the secrets, which reveal nothing about them; the newest first. */
  get secretIds(): readonly string[] {
    return this.#secrets.map(({ id }) => id);
  }

  /** The secrets as the keys they were before there were data keys; the newest first. */
  get secretsAsKeys(): readonly Key[] {
    return this.#secrets;
  }

  /** The id of the key that seals, and that of the next, if there is one. Empty before the keys are read. */
  get keyIds(): readonly string[] {
    const idOf = (wanted: KeyState) => this.#keys.filter(({ state }) => state === wanted).map(({ id }) => id);
    return [...idOf('active'), ...idOf('next')];
  }

  /**
   * Replaces the data keys.
   * @param stored the newest first
   * @throws UnknownKeyError if they were wrapped by a secret that is not configured; the keys stay as they are
   */
  load(stored: readonly StoredKey[]): void {
    this.#keys = stored.map(({ id, wrapped, state }) => ({ id, state, material: this.#unwrap(id, wrapped) }));
  }

  /** Encrypts a data key for the database, with the newest of the secrets or the oldest. */
  wrap({ id, material }: Key, by: 'newest' | 'oldest'): string {
    const secret = by === 'newest' ? this.#secrets[0] : (this.#secrets.at(-1) ?? this.#secrets[0]);
    return this.#encrypt(secret, material.toString('base64url'), { purpose: WRAPPED, record: id });
  }

  /** True if a data key of the database is encrypted with the newest secret. */
  isWrappedByNewest(wrapped: string): boolean {
    return keyIdOf(wrapped) === this.#secrets[0].id;
  }

  /** Encrypts a data key of the database with the newest secret instead. */
  wrapAgain({ id, wrapped }: Pick<StoredKey, 'id' | 'wrapped'>): string {
    return this.wrap({ id, material: this.#unwrap(id, wrapped) }, 'newest');
  }

  /**
   * Encrypts with AES-256-GCM.
   * @param purpose the kind of secret; a part declares it in `sealed`
   * @param record the id of the row that stores it
   */
  seal(plaintext: string, purpose: string, record: string): string {
    if (!this.#purposes.has(purpose))
      throw new Error(`No part declares where values sealed for "${purpose}" are kept: see Part.sealed.`);
    return this.#encrypt(this.#active, plaintext, { purpose, record });
  }

  /** @throws UnknownKeyError; Error if the value was sealed for another purpose or record, or was altered */
  open(sealed: string, purpose: string, record: string): string {
    const key = this.#valid.find(({ id }) => id === keyIdOf(sealed));
    if (!key)
      throw new UnknownKeyError(`A sealed ${purpose} was made with the key ${keyIdOf(sealed)}, which is unknown.`);
    return this.#decrypt(key, sealed, { purpose, record });
  }

  /**
   * The same value, sealed with the active key; also for a value of a retired key.
   * @throws UnknownKeyError; Error if the value was sealed for another purpose or record, or was altered
   */
  sealAgain(sealed: string, purpose: string, record: string): string {
    const key = this.#keys.find(({ id }) => id === keyIdOf(sealed));
    if (!key) throw new UnknownKeyError(`The key ${keyIdOf(sealed)} is unknown.`);
    return key.state === 'active'
      ? sealed
      : this.seal(this.#decrypt(key, sealed, { purpose, record }), purpose, record);
  }

  /** A keyed digest (HMAC-SHA256) that only this installation can compute. */
  tag(text: string, purpose: string): Buffer {
    return this.#tag(this.#active, text, purpose);
  }

  /** Verifies a digest of {@link tag} in constant time. Retired keys do not count. */
  checkTag(text: string, purpose: string, tag: Buffer): boolean {
    return isOneOf(
      tag,
      this.#valid.map((key) => this.#tag(key, text, purpose)),
    );
  }

  /** {@link tag} with every key, the active one first, also with retired ones: for values that outlive their key. */
  tags(text: string, purpose: string): Buffer[] {
    const others = this.#read.filter(({ state }) => state !== 'active');
    return [this.#active, ...others].map((key) => this.#tag(key, text, purpose));
  }

  /** {@link tag} with the oldest key, which stays the same whatever keys are added or retired. */
  lastingTag(text: string, purpose: string): Buffer {
    return this.#tag(this.#read.at(-1) ?? this.#active, text, purpose);
  }

  /** The keys with which {@link tag} and {@link lastingTag} make tags for a purpose, and those whose tags {@link tags} has besides. */
  tagKeys(purpose: string): { active: Buffer; oldest: Buffer; others: Buffer[] } {
    const active = this.#active;
    return {
      active: this.#derive(active, purpose).export(),
      oldest: this.#derive(this.#read.at(-1) ?? active, purpose).export(),
      others: this.#read.filter((key) => key !== active).map((key) => this.#derive(key, purpose).export()),
    };
  }

  /** Verifies a digest of {@link tag} in constant time, also of a retired key. */
  checkLastingTag(text: string, purpose: string, tag: Buffer): boolean {
    return isOneOf(tag, this.tags(text, purpose));
  }

  get #read() {
    if (this.#keys.length === 0) throw new KeysNotReadError('The data keys have not been read yet.');
    return this.#keys;
  }

  get #valid() {
    return this.#read.filter(({ state }) => state !== 'retired');
  }

  get #active(): Key {
    const active = this.#read.find(({ state }) => state === 'active');
    if (!active) throw new Error('No data key is active.');
    return active;
  }

  #unwrap(id: string, wrapped: string): Buffer {
    const secret = this.#secrets.find((candidate) => candidate.id === keyIdOf(wrapped));
    if (!secret)
      throw new UnknownKeyError(
        `LATCHKEY_SECRET is not the secret of this database: its data keys were sealed with the secret ${keyIdOf(wrapped)}, and LATCHKEY_SECRET holds ${this.secretIds.join(', ')}. Configure the secret that the database was used with.`,
      );
    return Buffer.from(this.#decrypt(secret, wrapped, { purpose: WRAPPED, record: id }), 'base64url');
  }

  #encrypt(key: Key, plaintext: string, { purpose, record }: Binding): string {
    const iv = nextRandom(12);
    const cipher = createCipheriv('aes-256-gcm', this.#derive(key, purpose), iv).setAAD(Buffer.from(record));
    const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `k1.${key.id}.${Buffer.concat([iv, sealed]).toString('base64url')}`;
  }

  #decrypt(key: Key, sealed: string, { purpose, record }: Binding): string {
    const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#derive(key, purpose), bytes.subarray(0, 12), {
      authTagLength: 16,
    }).setAAD(Buffer.from(record));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  }

  #tag(key: Key, text: string, purpose: string): Buffer {
    return createHmac('sha256', this.#derive(key, purpose)).update(text).digest();
  }

  #derive({ id, material }: Key, purpose: string): KeyObject {
    const name = `${id}/${purpose}`;
    const known = this.#derived.get(name);
    if (known) return known;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', material, 'latchkey', purpose, 32)));
    this.#derived.set(name, key);
    return key;
  }
}

/** A new data key of 256 bits. */
export function newDataKey(): Key {
  return { id: randomBytes(4).toString('hex'), material: randomBytes(32) };
}

/** The id of the key, or secret, that sealed a value; empty if nothing sealed it. */
function keyIdOf(sealed: string): string {
  return /^k1\.([0-9a-f]{8})\./.exec(sealed)?.[1] ?? '';
}

function isOneOf(tag: Buffer, candidates: readonly Buffer[]): boolean {
  return candidates.some((candidate) => candidate.length === tag.length && timingSafeEqual(candidate, tag));
}

/** SHA-256 of a high-entropy secret, the form in which it is stored (RFC 6819 §5.1.4.1.3; ASVS 11.4). */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** 256 random bits in base64url. */
export function randomSecret(): string {
  return nextRandom(32).toString('base64url');
}
