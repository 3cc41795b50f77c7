import { type Selectable, sql, type Updateable } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Ctx, type Environment, type Scope, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { feedCache } from '#platform/feed-cache.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { ReceiverUrl } from '#platform/receiver-address.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { newSecret, rotated, type StoredSecret, sealSecret } from '#platform/signing-secrets.ts';
import { MOMENTS, type Moment, OnFailure } from './contract.ts';

export type ActionId = Id<'act'>;
export const ActionRef = Type.Object({ actionId: IdSchema('act') });

type ActionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: ActionId;
  name: string;
  moment: Moment;
  url: string;
  secrets: Json<StoredSecret[]>;
  enabled: boolean;
  position: number;
  timeout_ms: number;
  on_failure: OnFailure;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    actions: ActionsTable;
  }
}

export type ActionRow = Selectable<ActionsTable>;

/** Actions per project environment. */
const MAX_ACTIONS = 20;
export const SECRET_PURPOSE = 'action-secret';
const TOPIC = 'action';

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
  url: ReceiverUrl,
  enabled: Type.Boolean(),
  position: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description: 'Actions of one moment are called one after the other, the lowest first.',
  }),
  timeoutMs: Type.Integer({
    minimum: 100,
    maximum: 5_000,
    description: 'How long a call may take, in milliseconds, with DNS, connecting and the response.',
  }),
  onFailure: OnFailure,
};
const moment = Type.Enum(Object.keys(MOMENTS).filter(isMoment), {
  description: `When it is called. ${Object.entries(MOMENTS)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join('; ')}.`,
});

function isMoment(name: string): name is Moment {
  return name in MOMENTS;
}

const { name, url, enabled, position, timeoutMs, onFailure } = fields;
export const NewAction = Type.Object(
  {
    name,
    moment,
    url,
    onFailure,
    enabled: Type.Optional(enabled),
    position: Type.Optional(position),
    timeoutMs: Type.Optional(timeoutMs),
  },
  { additionalProperties: false },
);
export const ActionChanges = Type.Partial(Type.Object(fields), { additionalProperties: false, minProperties: 1 });
type ActionChanges = Static<typeof ActionChanges>;

export const Action = Type.Object(
  { id: IdSchema('act'), moment, ...fields, url: Type.String(), createdAt: Instant, updatedAt: Instant },
  { title: 'Action' },
);
export type Action = Static<typeof Action>;

export const ActionWithSecret = Type.Object(
  {
    ...Action.properties,
    secret: Type.String({ description: 'Signs the calls (`whsec_…`). Shown only once.' }),
  },
  { title: 'ActionWithSecret' },
);
type ActionWithSecret = Static<typeof ActionWithSecret>;

function scopedActions(ctx: Pick<Ctx, 'db' | 'scope'> | TxCtx) {
  return ctx.db.selectFrom('actions').selectAll().where(inScope(ctx));
}

function recordOf(row: ActionRow): Action {
  return {
    id: row.id,
    name: row.name,
    moment: row.moment,
    url: row.url,
    enabled: row.enabled,
    position: row.position,
    timeoutMs: row.timeout_ms,
    onFailure: row.on_failure,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The enabled actions of a project environment in the order of their calls. Without one, nothing is read or called. */
export const enabledActions = feedCache({
  topics: [TOPIC],
  drops: ({ key: changed }, key) => changed === '*' || changed === key,
  keyOf,
  load: (system, scope: Scope) =>
    scopedActions({ db: system.lookups, scope })
      .where('enabled', '=', true)
      .orderBy('position')
      .orderBy('id')
      .execute(),
  max: 10_000,
});

function keyOf({ workspaceId, projectId, environment }: Scope): string {
  return `${workspaceId}/${projectId}/${environment}`;
}

/** The actions of the project, newest first. Served by the primary key. */
export async function listActions(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<Action>> {
  const page = await newestFirst(ctx, scopedActions(ctx), { list: 'actions', limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function findAction(ctx: Ctx | TxCtx, id: ActionId): Promise<ActionRow> {
  const row = await scopedActions(ctx).where('id', '=', id).executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

/** @throws Problem NOT_FOUND */
export async function getAction(ctx: Ctx | TxCtx, id: ActionId): Promise<Action> {
  return recordOf(await findAction(ctx, id));
}

/** @throws Problem NOT_FOUND */
async function lockAction(tx: TxCtx, id: ActionId): Promise<ActionRow> {
  const row = await scopedActions(tx).where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

export function about(row: Pick<ActionRow, 'id' | 'moment' | 'url'>) {
  return { actionId: row.id, moment: row.moment, url: row.url };
}

/**
 * Adds an action whose address was checked. It is called after those that exist, unless it names its position.
 * @returns the action with its secret, which is shown only this once
 * @throws Problem CONFLICT at twenty
 */
export async function createAction(ctx: Ctx | TxCtx, given: Static<typeof NewAction>): Promise<ActionWithSecret> {
  const id = newId('act', ctx.now);
  const secret = newSecret();
  return transaction(ctx, async (tx) => {
    const last = await lastPosition(tx);
    await tx.db
      .insertInto('actions')
      .values({
        ...scopeColumns(tx),
        id,
        name: given.name,
        moment: given.moment,
        url: given.url,
        secrets: JSON.stringify([
          sealSecret(tx.system.keyring, secret, { purpose: SECRET_PURPOSE, recordId: id, now: tx.now }),
        ]),
        enabled: given.enabled ?? true,
        position: given.position ?? Math.min(last + 1, 1_000),
        timeout_ms: given.timeoutMs ?? 2_000,
        on_failure: given.onFailure,
        created_at: tx.now,
        updated_at: tx.now,
      })
      .execute();
    await announce(tx, { topic: TOPIC, key: keyOf(tx.scope) });
    await emit(tx, 'action.created', { actionId: id, moment: given.moment, url: given.url });
    return { ...(await getAction(tx, id)), secret };
  });
}

/**
 * Serialises additions to one scope, so that the limit is exact.
 * @returns the last position; -1 if there is no action
 * @throws Problem CONFLICT
 */
async function lastPosition(tx: TxCtx): Promise<number> {
  const lock = `actions/${keyOf(tx.scope)}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx.db);
  const positions = (await scopedActions(tx).execute()).map((row) => row.position);
  if (positions.length >= MAX_ACTIONS)
    throw problem('CONFLICT', {
      detail: `A project environment has up to ${MAX_ACTIONS} actions; remove one first.`,
      extensions: { limit: MAX_ACTIONS, current: positions.length },
    });
  return Math.max(-1, ...positions);
}

/**
 * Changes an action. A new address must have been checked. Effective in every process at once.
 * @throws Problem NOT_FOUND
 */
export function updateAction(ctx: Ctx, id: ActionId, changes: ActionChanges): Promise<Action> {
  return transaction(ctx, async (tx) => {
    const row = await lockAction(tx, id);
    await updateRow(tx, id, columnsOf(changes));
    const changed = Object.keys(changes);
    await emit(tx, 'action.updated', { ...about(row), url: changes.url ?? row.url, changed });
    return getAction(tx, id);
  });
}

function columnsOf({ timeoutMs: timeout, onFailure: failure, ...plain }: ActionChanges): Updateable<ActionsTable> {
  return {
    ...plain,
    ...(timeout !== undefined && { timeout_ms: timeout }),
    ...(failure !== undefined && { on_failure: failure }),
  };
}

async function updateRow(tx: TxCtx, id: ActionId, set: Updateable<ActionsTable>): Promise<void> {
  await tx.db
    .updateTable('actions')
    .set({ ...set, updated_at: tx.now })
    .where(inScope(tx))
    .where('id', '=', id)
    .execute();
  await announce(tx, { topic: TOPIC, key: keyOf(tx.scope) });
}

/**
 * Deletes an action with its log.
 * @throws Problem NOT_FOUND
 */
export async function deleteAction(ctx: Ctx, id: ActionId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await lockAction(tx, id);
    await tx.db.deleteFrom('actions').where(inScope(tx)).where('id', '=', id).execute();
    await announce(tx, { topic: TOPIC, key: keyOf(tx.scope) });
    await emit(tx, 'action.deleted', about(row));
  });
}

/**
 * Rotates the secret of an action; earlier secrets also sign for `overlapSeconds`.
 * @throws Problem NOT_FOUND, CONFLICT
 */
export function rotateActionSecret(ctx: Ctx, id: ActionId, overlapSeconds: number): Promise<ActionWithSecret> {
  const secret = newSecret();
  return transaction(ctx, async (tx) => {
    const row = await lockAction(tx, id);
    const until = new Date(tx.now.getTime() + overlapSeconds * 1000);
    const added = sealSecret(tx.system.keyring, secret, { purpose: SECRET_PURPOSE, recordId: id, now: tx.now });
    await updateRow(tx, id, { secrets: JSON.stringify(rotated(row.secrets, added, until)) });
    await emit(tx, 'action.secret_rotated', { ...about(row), overlapUntil: until.toISOString() });
    return { ...(await getAction(tx, id)), secret };
  });
}
