import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { TxCtx } from '#platform/ctx.ts';
import type { ReadDb } from '#platform/db.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import type { Keyring } from '#platform/keyring.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { perSystem, type SystemInTx } from '#platform/system.ts';

declare module '#platform/db.ts' {
  interface Tables {
    workspace_tag_keys: { workspace_id: WorkspaceId; keys_sealed: string };
  }
}

const SEALED = 'workspace-tag-keys';
export const tagKeys = sealedIn('workspace_tag_keys', 'keys_sealed', sql.ref('workspace_id'));
export const tagKeysRemoval = rowsOfWorkspace('workspace_tag_keys');

/**
 * What has to stay the same however keys change and wherever a workspace goes, and which data key makes it in a workspace without keys
 * of its own.
 */
const LASTING = {
  'pairwise-subject': 'oldest',
  'saml-name-id': 'oldest',
  'saml-session': 'oldest',
  'recovery-code': 'active',
} as const;
type Purpose = keyof typeof LASTING;

/** The keys of each purpose in base64url. The first makes tags; tags of all are valid. */
type TagKeys = Readonly<Record<Purpose, readonly string[]>>;

function forEachPurpose(make: (purpose: Purpose) => string[]): TagKeys {
  return {
    'pairwise-subject': make('pairwise-subject'),
    'saml-name-id': make('saml-name-id'),
    'saml-session': make('saml-session'),
    'recovery-code': make('recovery-code'),
  };
}

/** Gives a new workspace keys of its own. */
export async function insertTagKeys(tx: Pick<TxCtx, 'db' | 'system'>, workspaceId: WorkspaceId): Promise<void> {
  const keys = forEachPurpose(() => [randomBytes(32).toString('base64url')]);
  await store(tx, workspaceId, keys);
}

/** Makes the keys with which a workspace makes tags now its own, so that it can be carried to another installation. */
export async function keepTagKeys(tx: TxCtx): Promise<void> {
  const { keyring } = tx.system;
  const keys = forEachPurpose((purpose) => {
    const { active, oldest, others } = keyring.tagKeys(purpose);
    const first = LASTING[purpose] === 'oldest' ? oldest : active;
    return [...new Set([first, active, ...others].map((key) => key.toString('base64url')))];
  });
  await store(tx, tx.scope.workspaceId, keys);
}

async function store(
  { db, system }: Pick<TxCtx, 'db' | 'system'>,
  workspaceId: WorkspaceId,
  keys: TagKeys,
): Promise<void> {
  await db
    .insertInto('workspace_tag_keys')
    .values({ workspace_id: workspaceId, keys_sealed: system.keyring.seal(JSON.stringify(keys), SEALED, workspaceId) })
    .onConflict((conflict) => conflict.column('workspace_id').doNothing())
    .execute();
}

type Reader = { system: SystemInTx; db: Pick<ReadDb, 'selectFrom'> };

const MAX_KNOWN = 10_000;
/** Keys never change once there are some. A workspace without keys of its own is asked for again. */
const known = perSystem(() => new Map<WorkspaceId, TagKeys>());

async function keysOf({ system, db }: Reader, workspaceId: WorkspaceId): Promise<TagKeys | null> {
  const cached = known(system).get(workspaceId);
  if (cached) return cached;
  const row = await db
    .selectFrom('workspace_tag_keys')
    .select('keys_sealed')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  if (!row) return null;
  const keys: TagKeys = JSON.parse(system.keyring.open(row.keys_sealed, SEALED, workspaceId));
  const cache = known(system);
  const oldest = cache.size >= MAX_KNOWN ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(workspaceId, keys);
  return keys;
}

/** What a tag is made of. */
type Tagged = { workspaceId: WorkspaceId; purpose: Purpose; text: string };

/**
 * Keyed digests (HMAC-SHA256) that stay the same for a workspace, also at another installation. The first is the one to store or to
 * hand out; those of former keys stay valid.
 */
export async function lastingTags(
  reader: Reader,
  { workspaceId, purpose, text }: Tagged,
): Promise<[Buffer, ...Buffer[]]> {
  const keys = await keysOf(reader, workspaceId);
  if (keys === null) return ofInstallation(reader.system.keyring, purpose, text);
  const [first, ...others] = keys[purpose].map((key) =>
    createHmac('sha256', createSecretKey(key, 'base64url')).update(text).digest(),
  );
  if (!first) throw new Error(`The workspace ${workspaceId} has no key for ${purpose}.`);
  return [first, ...others];
}

function ofInstallation(keyring: Keyring, purpose: Purpose, text: string): [Buffer, ...Buffer[]] {
  const [active, ...others] = keyring.tags(text, purpose);
  const made = LASTING[purpose] === 'oldest' ? keyring.lastingTag(text, purpose) : active;
  if (!made || !active) throw new Error('No data key is active.');
  return [made, active, ...others];
}
