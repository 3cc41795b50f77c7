import { X509Certificate } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { newServiceKey, type ServiceKey } from '#saml';

type SamlKeysTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: KeyId;
  certificate: string;
  private_sealed: string;
  signs: boolean;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    saml_keys: SamlKeysTable;
  }
}

const KeyIdSchema = IdSchema('sky');
type KeyId = Static<typeof KeyIdSchema>;
export const KeyRef = Type.Object({ keyId: KeyIdSchema });

/** A key with which the applications by SAML of a project recognise its assertions. */
export const SamlKey = Type.Object(
  {
    id: KeyIdSchema,
    signs: Type.Boolean({ description: 'One key signs; the others are in the metadata.' }),
    certificate: Type.String({ description: 'In PEM.' }),
    fingerprint: Type.String({ description: 'SHA-256 of the certificate.' }),
    validUntil: Instant,
    createdAt: Instant,
  },
  { title: 'SamlKey' },
);
export type SamlKey = Static<typeof SamlKey>;

const PURPOSE = 'saml-key';
/** The maximum number of keys in the metadata. */
const MAX_KEYS = 3;

/** The keys of the project, the one that signs first. Served by the primary key. */
export async function samlKeys(ctx: Ctx): Promise<SamlKey[]> {
  return (await readKeys(ctx)).map(recordOf);
}

/** The keys for the metadata. An application of an earlier version may have none. */
export async function publishedKeys(ctx: Ctx): Promise<SamlKey[]> {
  const keys = await samlKeys(ctx);
  if (keys.length > 0) return keys;
  await makeFirstKey(ctx);
  return samlKeys(ctx);
}

/** The key that signs. */
export async function signingKey(ctx: Ctx): Promise<ServiceKey> {
  const [row] = await readKeys(ctx);
  if (!row) {
    await makeFirstKey(ctx);
    return signingKey(ctx);
  }
  return { certificate: row.certificate, privateKey: ctx.system.keyring.open(row.private_sealed, PURPOSE, row.id) };
}

function readKeys(ctx: Pick<Ctx, 'db' | 'scope'> | TxCtx): Promise<SamlKeysTable[]> {
  return ctx.db
    .selectFrom('saml_keys')
    .selectAll()
    .where(inScope(ctx))
    .orderBy('signs', 'desc')
    .orderBy('id')
    .execute();
}

function recordOf({ id, signs, certificate, created_at: createdAt }: SamlKeysTable): SamlKey {
  const { fingerprint256, validToDate } = new X509Certificate(certificate);
  return {
    id,
    signs,
    certificate,
    fingerprint: fingerprint256,
    validUntil: validToDate.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}

/** Makes the key that signs, if the project has none. Of several that need it at once, one makes it. */
async function makeFirstKey(ctx: Ctx): Promise<void> {
  const keep = await prepareFirstKey(ctx);
  await transaction(ctx, keep);
}

/**
 * Makes the key that signs, if the project has none. Making one takes long, so it is not made in a transaction.
 * @returns what keeps it, in the transaction of the change that needs it
 */
export async function prepareFirstKey(ctx: Ctx): Promise<(tx: TxCtx) => Promise<void>> {
  if ((await readKeys(ctx)).length > 0) return async () => undefined;
  const key = await newServiceKey('Latchkey', ctx.system.clock.now());
  return async (tx) => {
    await insertKey(tx, key, true);
  };
}

/** @returns undefined if another key signs already */
async function insertKey(tx: TxCtx, key: ServiceKey, signs: boolean): Promise<KeyId | undefined> {
  const id = newId('sky', tx.now);
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('saml_keys')
    .values({
      ...scopeColumns(tx),
      id,
      certificate: key.certificate,
      private_sealed: tx.system.keyring.seal(key.privateKey, PURPOSE, id),
      signs,
      created_at: tx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return undefined;
  await emit(tx, 'saml.key.created', { keyId: id, signs });
  return id;
}

/** @throws Problem NOT_FOUND */
export async function getKey(ctx: Ctx | TxCtx, id: KeyId): Promise<SamlKey> {
  return recordOf(found((await readKeys(ctx)).find((row) => row.id === id)));
}

/**
 * Adds a key to the metadata. It signs once it is activated; the first one signs at once.
 * @throws Problem CONFLICT if there are too many
 */
export async function addKey(ctx: Ctx): Promise<SamlKey> {
  const key = await newServiceKey('Latchkey', ctx.system.clock.now());
  return transaction(ctx, async (tx) => {
    const keys = await lockKeys(tx);
    if (keys.length >= MAX_KEYS) throw problem('CONFLICT', `There are ${MAX_KEYS} keys; remove one first.`);
    const id = await insertKey(tx, key, keys.length === 0);
    if (!id) throw problem('CONFLICT');
    return getKey(tx, id);
  });
}

/** Serializes changes of the keys of a project. */
async function lockKeys(tx: TxCtx): Promise<Pick<SamlKeysTable, 'id' | 'signs'>[]> {
  return tx.db.selectFrom('saml_keys').select(['id', 'signs']).where(inScope(tx)).orderBy('id').forUpdate().execute();
}

/**
 * Makes a key sign. The one before stays in the metadata until it is removed.
 * @throws Problem NOT_FOUND
 */
export function activateKey(ctx: Ctx, id: KeyId): Promise<SamlKey> {
  return transaction(ctx, async (tx) => {
    const key = found((await lockKeys(tx)).find((row) => row.id === id));
    if (!key.signs) {
      await tx.db.updateTable('saml_keys').set({ signs: false }).where(inScope(tx)).where('signs', '=', true).execute();
      await tx.db.updateTable('saml_keys').set({ signs: true }).where(inScope(tx)).where('id', '=', id).execute();
      await emit(tx, 'saml.key.activated', { keyId: id });
    }
    return getKey(tx, id);
  });
}

/** @throws Problem NOT_FOUND, CONFLICT for the key that signs */
export async function removeKey(ctx: Ctx, id: KeyId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const key = found((await lockKeys(tx)).find((row) => row.id === id));
    if (key.signs) throw problem('CONFLICT', 'This key signs. Let another key sign first.');
    await tx.db.deleteFrom('saml_keys').where(inScope(tx)).where('id', '=', id).execute();
    await emit(tx, 'saml.key.deleted', { keyId: id });
  });
}
