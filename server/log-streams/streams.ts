import { type Selectable, sql, type Updateable } from 'kysely';
import { type Static, Type } from 'typebox';
import { auditBacklogs, auditSequenceBefore, lastAuditSequence } from '#audit';
import { emit, requireKnownPatterns } from '#events';
import { type Ctx, type Environment, NO_PROJECT, type Scope, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { readInstant } from '#platform/instants.ts';
import type { Keyring } from '#platform/keyring.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { Destination, Kind } from './destinations.ts';
import {
  requireFitting,
  requireSecretForNewReceiver,
  ShownCertificate,
  StreamKind,
  secret,
  settings,
  shownCertificates,
} from './stream-rules.ts';

export type StreamId = Id<'lgs'>;
export const LogStreamRef = Type.Object({ logStreamId: IdSchema('lgs') });

type LogStreamsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: StreamId;
  name: string;
  kind: Kind;
  url: string;
  types: string[];
  header: string | null;
  ca_certificate: string | null;
  client_certificate: string | null;
  secret_sealed: string | null;
  state: 'paused' | 'active';
  position: number;
  sent: number;
  refused: number;
  sent_at: Date | null;
  failures: number;
  failing_since: Date | null;
  next_attempt_at: Date | null;
  told: boolean;
  version: number;
  claim: string | null;
  claimed_until: Date | null;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    log_streams: LogStreamsTable;
  }
}

export type StreamRow = Selectable<LogStreamsTable>;

/** Streams per project environment, and per workspace for the log of its team. */
const MAX_STREAMS = 10;
const PURPOSE = 'log-stream-secret';

const from = (description: string) =>
  Type.String({
    maxLength: 40,
    examples: ['now', 'beginning', '2026-01-31T09:00:00.000Z'],
    description: `${description}: \`now\`, \`beginning\`, or a time, for the first entry at or after it.`,
  });

const { name, types, url, header, caCertificate, clientCertificate } = settings;
export const NewStream = Type.Object(
  {
    name,
    kind: StreamKind,
    url,
    types: Type.Optional(types),
    secret: Type.Optional(secret),
    header: Type.Optional(header),
    caCertificate: Type.Optional(caCertificate),
    clientCertificate: Type.Optional(clientCertificate),
    from: Type.Optional(from('Where to begin, now when absent')),
  },
  { additionalProperties: false },
);
export const StreamChanges = Type.Partial(Type.Object({ ...settings, secret }), {
  additionalProperties: false,
  minProperties: 1,
});
type StreamChanges = Static<typeof StreamChanges>;
export const Resumption = Type.Object(
  {
    from: Type.Optional(from('Where to continue, after the last entry that was sent when absent')),
  },
  { additionalProperties: false },
);

const Delivery = Type.Object({
  position: Type.Integer({ description: 'The sequence of the last entry that was sent, refused or not selected.' }),
  waiting: Type.Integer({ description: 'How many entries follow the position, selected or not.' }),
  lagSeconds: Type.Integer({ description: 'How long ago the oldest of them occurred; 0 if there is none.' }),
  sent: Type.Integer({ description: 'How many entries the destination has accepted.' }),
  refused: Type.Integer({ description: 'How many entries the destination has refused; they were skipped.' }),
  sentAt: nullable(Instant),
  failingSince: Type.Union([Instant, Type.Null()], { description: 'Every attempt since then has failed.' }),
  nextAttemptAt: Type.Union([Instant, Type.Null()], { description: 'When a failing stream tries again.' }),
});

export const LogStream = Type.Object(
  {
    id: IdSchema('lgs'),
    kind: StreamKind,
    ...settings,
    certificates: Type.Array(ShownCertificate),
    hasSecret: Type.Boolean(),
    state: Type.Enum(['active', 'paused']),
    delivery: Delivery,
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'LogStream' },
);
export type LogStream = Static<typeof LogStream>;

export function scopeOf(row: StreamRow): Scope {
  return { workspaceId: row.workspace_id, projectId: row.project_id, environment: row.environment };
}

function scopedStreams(ctx: Ctx | TxCtx) {
  return ctx.db.selectFrom('log_streams').selectAll().where(inScope(ctx));
}

/** The records with the backlog of each. */
async function recordsOf({ system, now }: Ctx, rows: readonly StreamRow[]): Promise<LogStream[]> {
  const backlogs = await auditBacklogs(
    system,
    rows.map((row) => ({ ...scopeOf(row), after: row.position })),
  );
  return rows.map((row, index) => recordOf(row, backlogs[index] ?? { last: row.position, oldest: null }, now));
}

function recordOf(row: StreamRow, { last, oldest }: { last: number; oldest: Date | null }, now: Date): LogStream {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    types: row.types,
    url: row.url,
    header: row.header,
    caCertificate: row.ca_certificate,
    clientCertificate: row.client_certificate,
    certificates: shownCertificates({ authority: row.ca_certificate, client: row.client_certificate }),
    hasSecret: row.secret_sealed !== null,
    state: row.state,
    delivery: {
      position: row.position,
      waiting: Math.max(0, last - row.position),
      lagSeconds: oldest === null ? 0 : Math.max(0, Math.round((now.getTime() - oldest.getTime()) / 1000)),
      sent: row.sent,
      refused: row.refused,
      sentAt: row.sent_at?.toISOString() ?? null,
      failingSince: row.failing_since?.toISOString() ?? null,
      nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The streams of a project environment, newest first. Served by the primary key. */
export async function listStreams(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<LogStream>> {
  const page = await newestFirst(ctx, scopedStreams(ctx), { list: 'log-streams', limit, cursor });
  return { items: await recordsOf(ctx, page.rows), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getStream(ctx: Ctx, id: StreamId): Promise<LogStream> {
  const [record] = await recordsOf(ctx, [await findStream(ctx, id)]);
  if (!record) throw problem('NOT_FOUND');
  return record;
}

/** @throws Problem NOT_FOUND */
export async function findStream(ctx: Ctx, id: StreamId): Promise<StreamRow> {
  const row = await scopedStreams(ctx).where('id', '=', id).executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

/** @throws Problem NOT_FOUND */
async function lockStream(tx: TxCtx, id: StreamId): Promise<StreamRow> {
  const row = await scopedStreams(tx).where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

function openSecret(keyring: Keyring, row: Pick<StreamRow, 'secret_sealed' | 'id'>): string | null {
  return row.secret_sealed === null ? null : keyring.open(row.secret_sealed, PURPOSE, row.id);
}

export function destinationOf(keyring: Keyring, row: StreamRow): Destination {
  return {
    kind: row.kind,
    url: row.url,
    environment: row.environment,
    header: row.header,
    caCertificate: row.ca_certificate,
    clientCertificate: row.client_certificate,
    secret: openSecret(keyring, row),
  };
}

export function about(row: Pick<StreamRow, 'id' | 'kind' | 'url'>) {
  return { logStreamId: row.id, kind: row.kind, url: row.url };
}

/**
 * The sequence after which a stream sends.
 * @throws Problem VALIDATION_FAILED
 */
async function positionAt(ctx: Ctx, where: string): Promise<number> {
  if (where === 'beginning') return 0;
  if (where === 'now') return lastAuditSequence(ctx);
  const since = readInstant(where);
  if (since === null)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/from', message: 'must be `now`, `beginning` or a time' }] },
    });
  return auditSequenceBefore(ctx, since);
}

/**
 * Adds a stream whose address was checked.
 * @throws Problem VALIDATION_FAILED, CONFLICT at ten
 */
export async function createStream(ctx: Ctx, given: Static<typeof NewStream>): Promise<LogStream> {
  const target = { header: null, caCertificate: null, clientCertificate: null, secret: null, ...given };
  const selected = given.types ?? ['*'];
  requireKnownPatterns(ctx, selected, '/body/types');
  requireFitting(target);
  const id = newId('lgs', ctx.now);
  const position = await positionAt(ctx, given.from ?? 'now');
  await transaction(ctx, async (tx) => {
    await requireRoom(tx);
    await tx.db
      .insertInto('log_streams')
      .values({
        ...scopeColumns(tx),
        id,
        name: given.name,
        kind: given.kind,
        url: given.url,
        types: selected,
        header: target.header,
        ca_certificate: target.caCertificate,
        client_certificate: target.clientCertificate,
        secret_sealed: target.secret === null ? null : tx.system.keyring.seal(target.secret, PURPOSE, id),
        state: 'active',
        position,
        sent: 0,
        refused: 0,
        failures: 0,
        told: false,
        version: 1,
        created_at: tx.now,
        updated_at: tx.now,
      })
      .execute();
    await emit(tx, 'log_stream.created', { logStreamId: id, kind: given.kind, url: given.url });
  });
  return getStream(ctx, id);
}

/**
 * Serialises additions to one scope, so that the limit is exact.
 * @throws Problem CONFLICT
 */
async function requireRoom(tx: TxCtx): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  const lock = `log-streams/${workspaceId}/${projectId}/${environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx.db);
  const { count } = await scopedStreams(tx)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= MAX_STREAMS)
    throw problem('CONFLICT', {
      detail: `${projectId === NO_PROJECT ? 'A team' : 'A project environment'} has up to ${MAX_STREAMS} log streams; remove one first.`,
      extensions: { limit: MAX_STREAMS, current: count },
    });
}

/**
 * Changes a stream. A new address must have been checked. The entries of a request in progress are sent again with the new
 * settings.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export async function updateStream(ctx: Ctx, id: StreamId, changes: StreamChanges): Promise<LogStream> {
  if (changes.types) requireKnownPatterns(ctx, changes.types, '/body/types');
  await transaction(ctx, async (tx) => {
    const row = await lockStream(tx, id);
    const { url, ca_certificate: caCertificate, secret_sealed: sealed } = row;
    requireSecretForNewReceiver({ url, caCertificate, hasSecret: sealed !== null }, changes);
    requireFitting({ ...destinationOf(tx.system.keyring, row), ...changes });
    await updateRow(tx, row, {
      ...columnsOf(tx, id, changes),
      version: row.version + 1,
      // A stream whose fault was repaired does not wait for the end of a pause.
      next_attempt_at: null,
      failures: 0,
    });
    await emit(tx, 'log_stream.updated', { ...about(row), url: changes.url ?? row.url, changed: Object.keys(changes) });
  });
  return getStream(ctx, id);
}

function columnsOf({ system }: TxCtx, id: StreamId, changes: StreamChanges): Updateable<LogStreamsTable> {
  const { caCertificate: ca, clientCertificate: certificate, secret: given, ...plain } = changes;
  return {
    ...plain,
    ...(ca !== undefined && { ca_certificate: ca }),
    ...(certificate !== undefined && { client_certificate: certificate }),
    ...(given !== undefined && {
      secret_sealed: given === null ? null : system.keyring.seal(given, PURPOSE, id),
    }),
  };
}

async function updateRow(tx: TxCtx, { id }: StreamRow, set: Updateable<LogStreamsTable>): Promise<void> {
  await tx.db
    .updateTable('log_streams')
    .set({ ...set, updated_at: tx.now })
    .where(inScope(tx))
    .where('id', '=', id)
    .execute();
}

/**
 * Stops a stream after the request that it is sending; entries wait until it is resumed.
 * @throws Problem NOT_FOUND
 */
export async function pauseStream(ctx: Ctx, id: StreamId): Promise<LogStream> {
  await transaction(ctx, async (tx) => {
    const row = await lockStream(tx, id);
    if (row.state === 'paused') return;
    await updateRow(tx, row, { state: 'paused' });
    await emit(tx, 'log_stream.paused', about(row));
  });
  return getStream(ctx, id);
}

/**
 * Resumes a paused stream, or moves any stream to another position.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export async function resumeStream(ctx: Ctx, id: StreamId, where: string | undefined): Promise<LogStream> {
  const position = where === undefined ? null : await positionAt(ctx, where);
  await transaction(ctx, async (tx) => {
    const row = await lockStream(tx, id);
    if (row.state === 'active' && position === null) return;
    await updateRow(tx, row, {
      state: 'active',
      next_attempt_at: null,
      ...(position !== null && { position, version: row.version + 1 }),
    });
    await emit(tx, 'log_stream.resumed', { ...about(row), after: position ?? row.position });
  });
  return getStream(ctx, id);
}

/**
 * Removes a stream with its secret and its faults; nothing more is sent.
 * @throws Problem NOT_FOUND
 */
export async function deleteStream(ctx: Ctx, id: StreamId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await lockStream(tx, id);
    await tx.db.deleteFrom('log_streams').where(inScope(tx)).where('id', '=', id).execute();
    await emit(tx, 'log_stream.deleted', about(row));
  });
}
