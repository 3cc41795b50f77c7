import { type Selectable, sql } from 'kysely';
import { countryOf, releaseSegments, settleSegments } from '#billing';
import { emit } from '#events';
import { type Environment, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import { eachAlone } from '#platform/repeating.ts';
import { acrossProjects, at } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { reportArrival } from './arrivals.ts';
import type { MessageId, MessageStatus, MessagesTable } from './messages.ts';
import { type MessageResult, messagesSent } from './metrics.ts';
import { reporterOf } from './receipt-signatures.ts';
import type { Receipt } from './receipts.ts';
import { type Carrier, carriersOf, NotTaken, type Text } from './sms.ts';

/** A queued text message. */
export type QueuedText = Pick<
  Selectable<MessagesTable>,
  'workspace_id' | 'project_id' | 'environment' | 'id' | 'recipient' | 'segments' | 'template' | 'provider'
> & {
  /** The number of the attempt that is made now. */
  attempts?: number;
};

/** The new state of a text message's row. */
type Outcome = {
  status: MessageStatus;
  error?: string | null;
  provider?: string;
  attempts?: number;
  sent_at?: Date;
  delivered_at?: Date;
  sending_since?: Date | null;
  body_sealed?: string;
};

/** The path for carrier reports; the name of the carrier follows. */
export const RECEIPTS = '/v1/callbacks/sms';

/**
 * Sends a text message through the first carrier that takes it. The row names a carrier before the carrier is called,
 * and one transaction stores the new state and meters the segments: after a crash, {@link settleAbandoned} can tell
 * such a message from one that was never sent.
 * @returns `refused` if no carrier will ever take a message to the number
 * @throws NotTaken when a later attempt may succeed
 */
export async function sendText(system: System, message: QueuedText, text: string): Promise<'refused' | 'settled'> {
  const carriers = message.environment === 'test' ? [] : carriersOf(system);
  if (carriers.length === 0) return withoutCarrier(system, message);
  const refusals: NotTaken[] = [];
  let unanswered: string | null = null;
  for (const carrier of carriers) {
    // biome-ignore lint/performance/noAwaitInLoops: the next carrier is tried only when this one failed
    if (!(await claim(system, message, carrier.name))) return 'settled';
    const refusal = await refusalOf(carrier, textFor(system, message, { carrier, text }));
    if (refusal === null) return settledBy(system, message, carrier.name);
    refusals.push(new NotTaken(refusal.refusal, `${carrier.name}: ${refusal.message}`));
    if (refusal.refusal === 'unknown') unanswered = carrier.name;
    if (refusal.refusal === 'number') {
      await inScope(system, message, (tx) => gaveUp(tx, message, { reason: reasonOf(refusals), result: 'refused' }));
      return 'refused';
    }
  }
  // A carrier that broke the connection may have taken it: the row stays as after a crash and is settled in the same
  // way.
  if (unanswered !== null) {
    await claim(system, message, unanswered);
    return 'settled';
  }
  throw refusedBy(refusals);
}

/** The test environment simulates messages, and development shows them in the inbox. */
function withoutCarrier(system: System, message: QueuedText): Promise<'settled'> {
  if (message.environment === 'test') return settledBy(system, message, 'simulated');
  if (system.config.mode === 'development') return settledBy(system, message, 'inbox');
  throw new NotTaken('carrier', 'No carrier is configured; set LATCHKEY_SMS_URL.');
}

async function settledBy(system: System, message: QueuedText, provider: string): Promise<'settled'> {
  await inScope(system, message, (tx) => taken(tx, message, provider));
  return 'settled';
}

function refusedBy(refusals: readonly NotTaken[]): NotTaken {
  const onlyRoutes = refusals.every(({ refusal }) => refusal === 'route');
  return new NotTaken(onlyRoutes ? 'route' : 'carrier', reasonOf(refusals));
}

function reasonOf(refusals: readonly NotTaken[]): string {
  return refusals.map(({ message }) => message).join('; ');
}

async function refusalOf(carrier: Carrier, text: Text): Promise<NotTaken | null> {
  try {
    await carrier.send(text);
    return null;
  } catch (error) {
    if (error instanceof NotTaken) return error;
    throw error;
  }
}

function textFor(system: System, message: QueuedText, { carrier, text }: { carrier: Carrier; text: string }): Text {
  const reference = `${message.workspace_id}.${message.id}`;
  const { api } = system.config.addresses.production;
  // A carrier can't reach a local address; the carriers of the tests run locally and can.
  const reachable = api.startsWith('https://') || carrier.url.searchParams.has('insecure');
  return {
    id: message.id,
    to: message.recipient,
    country: countryOf(message.recipient),
    text,
    receiptUrl: reachable ? `${api}${RECEIPTS}/${reporterOf(carrier.url)}?reference=${reference}` : null,
    reference,
  };
}

function inScope<T>(system: System, message: QueuedText, work: (tx: TxCtx) => Promise<T>): Promise<T> {
  const { workspace_id: workspaceId, project_id: projectId, environment } = message;
  return transaction(systemCtx(system, { workspaceId, projectId, environment }, 'messages', message.id), work);
}

/**
 * Claims the message for a carrier about to be called.
 * @returns false if another process handled the message meanwhile
 */
async function claim(system: System, message: QueuedText, provider: string): Promise<boolean> {
  const { numUpdatedRows } = await singleWrite(system, 'outcome')
    .updateTable('messages')
    .set({ status: 'sending', sending_since: system.clock.now(), provider })
    .where('workspace_id', '=', message.workspace_id)
    .where('id', '=', message.id)
    .where('status', 'in', ['queued', 'sending'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A carrier took the message: meters its segments. Idempotent. */
async function taken(tx: TxCtx, message: QueuedText, provider: string, error: string | null = null): Promise<void> {
  // A sent text is deleted, as it may hold a code; development mode keeps it for the inbox.
  const kept = tx.system.config.mode === 'development' ? {} : { body_sealed: '' };
  const { attempts } = message;
  const counted = attempts === undefined ? {} : { attempts };
  const sent = { status: 'sent' as const, sent_at: tx.now, sending_since: null, provider, error, ...counted, ...kept };
  if (!(await turn(tx, message.id, ['queued', 'sending'], sent))) return;
  count(tx, 'sent');
  await settleSegments(tx, message.id);
  await emit(tx, 'sms.sent', { messageId: message.id, segments: message.segments ?? 1, provider });
}

/** No carrier took the message, and none will. */
async function gaveUp(
  tx: TxCtx,
  message: Pick<QueuedText, 'id'>,
  { reason, result }: { reason: string; result: 'refused' | 'failed' },
): Promise<void> {
  if (!(await turn(tx, message.id, ['queued', 'sending'], { status: 'failed', sending_since: null, error: reason })))
    return;
  count(tx, result);
  await releaseSegments(tx, message.id);
  await emit(tx, 'sms.failed', { messageId: message.id, reason });
}

/** The message expired before it was sent. */
async function expired(tx: TxCtx, message: Pick<QueuedText, 'id'>): Promise<void> {
  if (!(await turn(tx, message.id, ['queued'], { status: 'expired', body_sealed: '' }))) return;
  count(tx, 'expired');
  await releaseSegments(tx, message.id);
  await emit(tx, 'sms.failed', { messageId: message.id, reason: 'expired' });
}

function count(tx: TxCtx, result: MessageResult): void {
  tx.afterCommit(() => messagesSent.count(tx.system, { channel: 'sms', result }));
}

/**
 * Changes the state of a message from one of the given states.
 * @returns false if it was in none of them
 */
async function turn(tx: TxCtx, id: MessageId, from: readonly MessageStatus[], outcome: Outcome): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('messages')
    .set(outcome)
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', id)
    .where('status', 'in', [...from])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** After a failed attempt: stores the reason, and gives up on the last one. */
export function failedTry(
  system: System,
  message: QueuedText,
  attempt: { reason: string; attempts: number; last: boolean },
): Promise<void> {
  const { reason: error, attempts, last } = attempt;
  return inScope(system, message, async (tx) => {
    const waiting = { status: 'queued' as const, sending_since: null, error, attempts };
    if (!(await turn(tx, message.id, ['queued', 'sending'], waiting))) return;
    if (last) await gaveUp(tx, message, { reason: error, result: 'failed' });
    else count(tx, 'retried');
  });
}

export function expireText(system: System, message: QueuedText): Promise<void> {
  return inScope(system, message, (tx) => expired(tx, message));
}

/** Ends a text message that is not sent; its segments are not counted. */
export function refuseText(system: System, message: QueuedText, reason: string): Promise<void> {
  return inScope(system, message, (tx) => gaveUp(tx, message, { reason, result: 'refused' }));
}

/**
 * Ends the text messages to any of these addresses that are not settled, because their rows are about to be deleted: one
 * that is being handed to a carrier counts as taken, any other releases its segments.
 */
export async function endTextsTo(tx: TxCtx, addresses: readonly string[]): Promise<void> {
  const rows = await tx.db
    .selectFrom('messages')
    .select([
      'workspace_id',
      'project_id',
      'environment',
      'id',
      'recipient',
      'segments',
      'template',
      'provider',
      'status',
    ])
    .where(acrossProjects(tx))
    .where('recipient', '=', sql<string>`any(${[...addresses]})`)
    .where('channel', '=', 'sms')
    .where('status', 'in', ['queued', 'sending'])
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const { status, ...message } of rows) {
    const inside = at(tx, { projectId: message.project_id });
    // biome-ignore lint/performance/noAwaitInLoops: hardly ever any, on one connection
    if (status === 'sending') await taken(inside, message, message.provider ?? 'unknown', ERASED);
    else await gaveUp(inside, message, { reason: ERASED, result: 'refused' });
  }
}

const ERASED = 'its receiver was erased';

/** Applies a carrier's report. Reports may arrive twice, late, or before the row says that the message was taken. */
export async function receipt(
  system: System,
  { workspaceId, messageId }: { workspaceId: WorkspaceId; messageId: MessageId },
  report: Receipt,
): Promise<void> {
  const message = await system.db
    .selectFrom('messages')
    .select(['workspace_id', 'project_id', 'environment', 'id', 'recipient', 'segments', 'template', 'provider'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', messageId)
    .where('channel', '=', 'sms')
    .executeTakeFirst();
  if (!message) return;
  const provider = message.provider ?? 'unknown';
  await inScope(system, message, async (tx) => {
    await taken(tx, message, provider);
    if (report.delivered) {
      const delivered = { status: 'delivered' as const, delivered_at: tx.now };
      if (!(await turn(tx, messageId, ['sent'], delivered))) return;
      await emit(tx, 'sms.delivered', { messageId, provider });
      await reportArrival(tx, message, 'reached');
    } else if (await turn(tx, messageId, ['sent'], { status: 'undelivered', error: report.detail })) {
      await emit(tx, 'sms.failed', { messageId, reason: `undelivered: ${report.detail}` });
      if (report.fault !== null) await reportArrival(tx, message, report.fault);
    }
  });
}

/** Requests to all carriers together take less than this, in milliseconds. */
const ABANDONED_MS = 2 * 60_000;
const BATCH = 100;
const UNANSWERED = 'The process ended before the carrier responded; counted as sent.';

type Abandoned = QueuedText & { status: MessageStatus; expires_at: Date | null };

/**
 * Settles messages that a killed worker left behind. A message that was being handed to a carrier counts as taken,
 * because it may have been: it is metered once and not sent again, except through an idempotent carrier. A message past
 * its expiry releases its segments. Runs as a job.
 */
export async function settleAbandoned(system: System): Promise<void> {
  const now = system.clock.now();
  const { rows } = await sql<Abandoned & { project_id: ProjectId; environment: Environment }>`
    select workspace_id, project_id, environment, id, recipient, segments, template, provider, status, expires_at
    from messages /* all workspaces */
    where channel = 'sms' and ((status = 'sending' and sending_since < ${new Date(now.getTime() - ABANDONED_MS)})
      or (status = 'queued' and expires_at < ${now}))
    order by created_at limit ${BATCH}`.execute(system.db);
  const idempotent = new Set(carriersOf(system).flatMap((carrier) => (carrier.idempotent ? [carrier.name] : [])));
  await eachAlone(system, rows, (message) => inScope(system, message, (tx) => settleOne(tx, message, idempotent)));
}

async function settleOne(tx: TxCtx, message: Abandoned, idempotent: ReadonlySet<string>): Promise<void> {
  if (message.status === 'queued') return expired(tx, message);
  const provider = message.provider ?? 'unknown';
  const stillWanted = message.expires_at === null || message.expires_at > tx.now;
  if (!stillWanted || !idempotent.has(provider)) return taken(tx, message, provider, UNANSWERED);
  if (!(await turn(tx, message.id, ['sending'], { status: 'queued', sending_since: null }))) return;
  const { workspace_id: workspaceId, id: messageId } = message;
  await addJob(tx, 'send_message', { workspaceId, messageId }, { outside: true });
}
