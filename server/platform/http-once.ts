import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Generated, Insertable, Kysely } from 'kysely';
import type { Tables } from './db.ts';
import type { WorkspaceId } from './ids.ts';
import { expiredRowsOf } from './part.ts';
import { problem } from './problem.ts';
import { rowsOfWorkspace } from './removal.ts';
import { sourceOf } from './source.ts';
import type { System } from './system.ts';
import type { Unit } from './unit.ts';

type IdempotencyKeysTable = {
  /** Empty for a request that names no workspace, and in rows of earlier versions. */
  workspace_id: Generated<WorkspaceId | ''>;
  id: Buffer;
  body_hash: Buffer;
  /** Null only inside the transaction that creates the row. */
  answer_sealed: string | null;
  expires_at: Date;
};

declare module './db.ts' {
  interface Tables {
    idempotency_keys: IdempotencyKeysTable;
  }
}

type StoredResponse = { status: number; headers: Record<string, string | string[]>; body: string };

const KEPT_MS = 24 * 3_600_000;
const PURPOSE = 'idempotent-answer';
/** Headers that belong to one transmission of a response, not to the stored response. */
const NOT_STORED = [
  'x-correlation-id',
  'traceparent',
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'ratelimit',
  'ratelimit-policy',
  'vary',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
];

/** Thrown if another process stored its response first; the request ends with that response. */
export class AlreadyAnswered extends Error {
  readonly stored: StoredResponse;

  constructor(stored: StoredResponse) {
    super('The request was answered before.');
    this.stored = stored;
  }
}

/**
 * Makes a POST with an `Idempotency-Key` execute once (draft-ietf-httpapi-idempotency-key-header). Claim, change and
 * response are one transaction: a crash leaves all or nothing, and a second request with the key waits at the claim's
 * row for the first. Refusals change nothing and are not stored.
 * @returns the first statements of that transaction
 * @throws Problem IDEMPOTENCY_KEY_REUSED if the key was used with another body
 */
export function claiming(system: System, request: FastifyRequest, claim: Claim) {
  return async (db: Kysely<Tables>): Promise<void> => {
    const now = system.clock.now();
    const row = {
      ...claim,
      body_hash: hashOf(request.body),
      answer_sealed: null,
      expires_at: new Date(+now + KEPT_MS),
    };
    if (!(await insertClaim(db, row, now))) throw new AlreadyAnswered(await storedResponse(system, db, row));
  };
}

/** The statement that gives a claim up, so that another request may take it. */
export function releasing(claim: Claim) {
  return (db: Kysely<Tables>): Promise<void> => dropClaim(db, claim);
}

/**
 * The stored response to the first request with the key, if it has finished.
 * @throws Problem IDEMPOTENCY_KEY_REUSED
 */
export async function earlierResponse(
  system: System,
  request: FastifyRequest,
  claim: Claim,
): Promise<StoredResponse | undefined> {
  const known = await system.db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'answer_sealed'])
    .where('workspace_id', '=', claim.workspace_id)
    .where('id', '=', claim.id)
    .where('expires_at', '>', system.clock.now())
    .executeTakeFirst();
  return known && openResponse(system, known, { id: claim.id, body_hash: hashOf(request.body) });
}

function hashOf(body: unknown): Buffer {
  return hash('sha256', JSON.stringify(body ?? null), 'buffer');
}

type ClaimRow = Insertable<IdempotencyKeysTable> & Claim;

/**
 * One row per key: a second insert waits until the first transaction ends. An expired claim is replaced. The insert also
 * gives way to the claim of an earlier version, whose row has no workspace.
 */
async function insertClaim(db: Kysely<Tables>, row: ClaimRow, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if ((numInsertedOrUpdatedRows ?? 0n) > 0n) return true;
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set({ body_hash: row.body_hash, answer_sealed: null, expires_at: row.expires_at })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .where('expires_at', '<=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function storedResponse(system: System, db: Kysely<Tables>, row: ClaimRow): Promise<StoredResponse> {
  const inWorkspace = (workspaceId: Claim['workspace_id']) =>
    db
      .selectFrom('idempotency_keys')
      .select(['body_hash', 'answer_sealed'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', row.id)
      .executeTakeFirst();
  const known = (await inWorkspace(row.workspace_id)) ?? (await inWorkspace(''));
  if (!known) throw problem('SERVICE_UNAVAILABLE');
  return openResponse(system, known, row);
}

function openResponse(
  system: System,
  known: Pick<IdempotencyKeysTable, 'body_hash' | 'answer_sealed'>,
  row: { id: Buffer; body_hash: Buffer },
): StoredResponse {
  if (!known.body_hash.equals(row.body_hash)) throw problem('IDEMPOTENCY_KEY_REUSED');
  const stored: StoredResponse = JSON.parse(
    system.keyring.open(known.answer_sealed ?? '', PURPOSE, row.id.toString('base64url')),
  );
  return stored;
}

/** The primary key of the row of an `Idempotency-Key`. */
export type Claim = { workspace_id: WorkspaceId | ''; id: Buffer };

/** Idempotency keys are scoped to one caller and one path. */
export async function claimOf(request: FastifyRequest, key: string): Promise<Claim> {
  const { kind, environment } = request.server.host;
  const id = hash('sha256', JSON.stringify([kind, environment, callerOf(request), request.url, key]), 'buffer');
  return { workspace_id: await workspaceOf(request), id };
}

/** Client ids begin with the routing key of their workspace, and secrets contain it after their prefix. */
const ROUTED = /^(?:lk[a-z]_)?([a-z0-9]{8})[._]/;

/**
 * The workspace whose rows the request will change, so that claim and change are on the same server. It must be the same
 * for a repeated request, so it is told by the caller, the address and the body alone.
 */
async function workspaceOf({ ctx, address, body, server: { system } }: FastifyRequest): Promise<WorkspaceId | ''> {
  const known = ctx?.scope ?? address.scope;
  if (known) return known.workspaceId;
  const routed = system.parts.find((part) => part.workspaceOf)?.workspaceOf;
  const keys = Object.values<unknown>(Object(body)).flatMap((value) =>
    typeof value === 'string' ? (ROUTED.exec(value)?.[1] ?? []) : [],
  );
  for (const key of keys) {
    // biome-ignore lint/performance/noAwaitInLoops: one in nearly every request, from memory
    const workspaceId = await routed?.(system, key);
    if (workspaceId) return workspaceId;
  }
  return '';
}

/**
 * Identifies the caller: by session or client for signed-in callers, so a newer token is the same caller; otherwise by
 * the presented credentials and the source, so that nobody gets the response of another caller who chose the same key.
 */
function callerOf({ ctx, headers, trace }: FastifyRequest): unknown[] {
  const { scope, actor } = ctx ?? {};
  if (actor?.kind === 'customer') return [scope, actor.userId, actor.sessionId];
  if (actor?.kind === 'operator') return [scope, actor.userId];
  if (actor?.kind === 'management') return [scope, actor.applicationId];
  return [trace.ip, headers.authorization, headers.cookie];
}

/** The key for fair queueing: the signed-in caller, or the source of an anonymous request. */
export function turnOf({ ctx, trace }: FastifyRequest): string {
  const actor = ctx?.actor;
  if (actor?.kind === 'customer' || actor?.kind === 'operator') return actor.userId;
  return actor?.kind === 'management' ? actor.applicationId : sourceOf(trace);
}

async function dropClaim(db: Kysely<Tables>, claim: Claim): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('workspace_id', '=', claim.workspace_id)
    .where('id', '=', claim.id)
    .execute();
}

/** Stores the response in the transaction of the change. */
export async function keepResponse(
  system: System,
  { unit, claim }: { unit: Unit; claim: Claim },
  { reply, payload }: { reply: FastifyReply; payload: unknown },
): Promise<void> {
  if (reply.statusCode >= 400) {
    if (unit.isOpen) await dropClaim(await unit.begin(), claim);
    return;
  }
  // Responses may contain tokens and secrets that are shown once.
  const response = JSON.stringify(responseOf(reply, payload));
  const answer_sealed = system.keyring.seal(response, PURPOSE, claim.id.toString('base64url'));
  // The claim is the first statement of the transaction; a request without writes has not started it yet.
  const db = await unit.begin();
  await db
    .updateTable('idempotency_keys')
    .set({ answer_sealed })
    .where('workspace_id', '=', claim.workspace_id)
    .where('id', '=', claim.id)
    .execute();
}

function responseOf(reply: FastifyReply, payload: unknown): StoredResponse {
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined || NOT_STORED.includes(name) ? [] : [[name, Array.isArray(value) ? value : String(value)]],
  );
  return {
    status: reply.statusCode,
    headers: Object.fromEntries(headers),
    body: typeof payload === 'string' ? payload : '',
  };
}

/** Replays the response of the first request. */
export function replay(reply: FastifyReply, { status, headers, body }: StoredResponse): void {
  reply
    .code(status)
    .headers(headers)
    .header('idempotent-replayed', 'true')
    .send(status === 204 ? undefined : body);
}

/** The keys of requests about a workspace. */
export const idempotencyKeysOfWorkspace = rowsOfWorkspace('idempotency_keys');

/** Deletes expired keys. */
export const deleteExpiredIdempotencyKeys = expiredRowsOf('idempotency_keys');
