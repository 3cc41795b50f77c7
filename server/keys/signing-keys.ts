import { type CryptoKey, exportJWK, exportPKCS8, generateKeyPair, importJWK, importPKCS8, type JWK } from 'jose';
import { sql } from 'kysely';
import { type Environment, environments, type TxCtx } from '#platform/ctx.ts';
import type { Json, ReadDb } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { newId } from '#platform/ids.ts';
import { UnknownKeyError } from '#platform/keyring.ts';
import { perSystem, type System } from '#platform/system.ts';
import { openDataKeys } from './data-keys.ts';

/** ES256 for Latchkey's own access tokens; RS256 for id tokens, because every client library supports it. */
export const algorithms = ['ES256', 'RS256'] as const;
export type Algorithm = (typeof algorithms)[number];

type SigningKeysTable = {
  environment: Environment;
  id: string;
  algorithm: Algorithm;
  public_jwk: Json<JWK>;
  private_sealed: string;
  created_at: Date;
  signs_from: Date;
  retires_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    signing_keys: SigningKeysTable;
  }
}

export type SigningKey = {
  id: string;
  algorithm: Algorithm;
  signsFrom: Date;
  /** When it stops being published; null while it is the newest. */
  retiresAt: Date | null;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  publicJwk: JWK;
};

const PURPOSE = 'signing-key';
/** An unknown key id triggers a reload, at most this often, so forged ids cost few reads. */
const RELOAD_MS = 5_000;

/** Adds a key that signs from `signsFrom` on. The private part is stored encrypted. */
export async function createSigningKey(tx: TxCtx, algorithm: Algorithm, signsFrom: Date): Promise<string> {
  const { environment } = tx.scope;
  const id = newId('key', tx.now);
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 });
  const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: id, alg: algorithm, use: 'sig' };
  const sealed = tx.system.keyring.seal(await exportPKCS8(pair.privateKey), PURPOSE, id);
  await tx.db
    .insertInto('signing_keys')
    .values({
      environment,
      id,
      algorithm,
      public_jwk: JSON.stringify(publicJwk),
      private_sealed: sealed,
      created_at: tx.now,
      signs_from: signsFrom,
      retires_at: null,
    })
    .execute();
  await announce(tx, { topic: 'signing-keys', key: environment });
  return id;
}

/** Ends the published keys of an algorithm at an instant, unless they end before. */
export async function retireKeysBefore(tx: TxCtx, algorithm: Algorithm, instant: Date): Promise<void> {
  await tx.db
    .updateTable('signing_keys')
    .set({ retires_at: instant })
    .where('environment', '=', tx.scope.environment)
    .where('algorithm', '=', algorithm)
    .where((eb) => eb.or([eb('retires_at', 'is', null), eb('retires_at', '>', instant)]))
    .execute();
}

/** Ends the keys with these ids, and those published ahead, which never signed. */
export async function retireKeysNow(tx: TxCtx, ids: readonly string[]): Promise<void> {
  await tx.db
    .updateTable('signing_keys')
    .set({ retires_at: tx.now })
    .where('environment', '=', tx.scope.environment)
    .where((eb) => eb.or([eb('id', '=', sql<string>`any(${[...ids]})`), eb('signs_from', '>', tx.now)]))
    .execute();
}

/** The keys of one environment, cached in this process. */
export class KeySet {
  readonly #system: System;
  readonly #environment: Environment;
  #keys: readonly SigningKey[] = [];
  #loading = Promise.resolve();
  #next: Promise<void> | null = null;
  #loadedAt = Number.NEGATIVE_INFINITY;

  constructor(system: System, environment: Environment) {
    this.#system = system;
    this.#environment = environment;
  }

  /**
   * The newest key of an algorithm that may sign now.
   * @throws Error if there is none, because the installation was not set up
   */
  async signer(algorithm: Algorithm): Promise<SigningKey> {
    const now = this.#system.clock.now();
    const find = () =>
      this.#keys.find((key) => key.algorithm === algorithm && key.signsFrom <= now && !isRetired(key, now));
    const known = find();
    if (known) return known;
    await this.reload();
    const key = find();
    if (!key) throw new Error(`There is no ${algorithm} signing key for ${this.#environment}.`);
    return key;
  }

  /** The public key with an id; undefined for an unknown id. */
  async verifier(id: string): Promise<SigningKey | undefined> {
    const known = this.#published(id);
    if (known || performance.now() - this.#loadedAt < RELOAD_MS) return known;
    await this.reload();
    return this.#published(id);
  }

  /** True if the cache holds a published key with this id. */
  isPublished(id: string): boolean {
    return this.#published(id) !== undefined;
  }

  #published(id: string): SigningKey | undefined {
    const now = this.#system.clock.now();
    return this.#keys.find((key) => key.id === id && !isRetired(key, now));
  }

  /** All published keys, newest first. */
  async all(): Promise<readonly SigningKey[]> {
    if (this.#keys.length === 0) await this.reload();
    const now = this.#system.clock.now();
    return this.#keys.filter((key) => !isRetired(key, now));
  }

  /** Reloads the keys. Calls during a read share the one after it, because it may not see what they were told. */
  reload(): Promise<void> {
    this.#next ??= this.#loading
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        this.#loading = this.#load();
        return this.#loading;
      });
    return this.#next;
  }

  async #load(): Promise<void> {
    this.#loadedAt = performance.now();
    this.#keys = await loadKeys(this.#system, this.#system.lookups, this.#environment);
  }
}

function isRetired({ retiresAt }: SigningKey, now: Date): boolean {
  return retiresAt !== null && retiresAt <= now;
}

async function loadKeys(system: System, db: ReadDb, environment: Environment): Promise<SigningKey[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .selectAll()
    .where('environment', '=', environment)
    .where((eb) => eb.or([eb('retires_at', 'is', null), eb('retires_at', '>', system.clock.now())]))
    .orderBy('signs_from', 'desc')
    .execute();
  return Promise.all(
    rows.map(async (row) => {
      const privateKey = await importPKCS8(system.keyring.open(row.private_sealed, PURPOSE, row.id), row.algorithm, {
        extractable: true,
      });
      const publicKey = await importJWK(row.public_jwk, row.algorithm);
      if (publicKey instanceof Uint8Array) throw new Error(`The signing key ${row.id} is not a public key.`);
      return {
        id: row.id,
        algorithm: row.algorithm,
        signsFrom: row.signs_from,
        retiresAt: row.retires_at,
        privateKey,
        publicKey,
        publicJwk: row.public_jwk,
      };
    }),
  );
}

const keySets = perSystem((system) => {
  const sets = { test: new KeySet(system, 'test'), production: new KeySet(system, 'production') };
  system.feed
    .subscribe({
      replay: () => Promise.all([sets.test.reload(), sets.production.reload()]).then(() => undefined),
      onChange: ({ topic, key }) => {
        return topic === 'signing-keys' && (key === 'test' || key === 'production') ? sets[key].reload() : undefined;
      },
    })
    .catch((error: unknown) => system.log.error({ err: error }, 'signing keys'));
  return sets;
});

/** Opens the data keys. True if the configured secrets decrypt them and the signing keys, or if there are none. */
export async function canOpenSigningKeys(system: System): Promise<boolean> {
  try {
    await openDataKeys(system);
    await Promise.all(environments.map((environment) => loadKeys(system, system.db, environment)));
    return true;
  } catch (error) {
    if (error instanceof UnknownKeyError) return false;
    throw error;
  }
}

/** The signing keys of an environment, cached and updated by the change feed. */
export function signingKeys(system: System, environment: Environment): KeySet {
  return keySets(system)[environment];
}
