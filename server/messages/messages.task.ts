import type { Task } from 'graphile-worker';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { segmentsOf } from '#billing';
import type { Scope } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { recordOutcome } from '#platform/outcomes.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import type { Arrival } from './arrivals.ts';
import { isAboutReceiver, isRefusal, openMailer } from './mail.ts';
import { type MessageStatus, openBody, sealBody } from './messages.ts';
import { type MessageResult, messagesSent } from './metrics.ts';
import { htmlOf, type Rendered } from './render.ts';
import { NotTaken } from './sms.ts';
import { isFollowed } from './templates.ts';
import { expireText, failedTry, type QueuedText, refuseText, sendText } from './texts.ts';

const Reference = Type.Object({ workspaceId: IdSchema('wrk'), messageId: IdSchema('msg') });
type Reference = Static<typeof Reference>;
const reference = Compile(Reference);

/** The number of the attempt, and whether it is the last. */
type Attempt = { attempts: number; last: boolean };

/** Called when it is known whether a message arrived that its sender follows. A text message has reports of its carrier, too. */
export type Arrived = (
  message: { scope: Scope; channel: 'email' | 'sms'; recipient: string },
  arrival: Arrival,
) => Promise<void>;

/**
 * Called before a message is sent. It may replace the text, or refuse the message with null; it throws if the message
 * should be sent later.
 */
type Review = (
  system: System,
  scope: Scope,
  message: Pick<Rendered, 'subject' | 'text'> & { id: string; channel: 'email' | 'sms'; template: string; to: string },
) => Promise<Pick<Rendered, 'subject' | 'text'> | null>;

/** Called when a mail was taken by a server, or when none will take it. */
type Counted = (system: System, scope: Scope, result: 'sent' | 'failed') => Promise<void>;

type Tell = (arrival: Arrival) => Promise<void>;

type Callbacks = { arrived: Arrived; review: Review; counted: Counted };

/** Sends queued messages. The job queue retries failures with backoff; permanent refusals are not retried. */
export function openSending(
  system: System,
  { arrived, review, counted }: Callbacks,
): { task: Task; close: () => void } {
  const mailer = openMailer(system);
  const task: Task = async (payload, { job }) => {
    const message = reference.Parse(payload);
    const attempt = { attempts: job.attempts, last: job.attempts >= job.max_attempts };
    const row = await queued(system, message);
    const queuedBody = row && openBody(system, row);
    if (!row || !queuedBody) return;
    const now = system.clock.now();
    const tell: Tell = async (arrival) => {
      if (isFollowed(row.template)) await arrived({ ...row, scope: scopeOf(row) }, arrival);
    };
    // An expired code is not worth a message.
    if (row.expires_at !== null && row.expires_at <= now) return unsent(system, row, 'expired');
    const body = await reviewed(system, row, { body: queuedBody, attempt, review });
    if (body === null) return unsent(system, row, 'refused');
    if (row.channel === 'sms') return sendTextOnce(system, row, { ...attempt, body, queuedBody, tell });
    const count = (result: 'sent' | 'failed') => counted(system, scopeOf(row), result);
    const failing = { message, attempt, tell, count };
    const provider = await mailer
      .send(row.recipient, row.id, body)
      .catch((error: unknown) => mailFailed(system, row, error, failing));
    if (provider === null) return;
    recordOutcome(system, { environment: row.environment, signal: 'email', good: true });
    const { attempts } = attempt;
    const sent = { result: 'sent', status: 'sent', sent_at: now, provider, error: null, attempts } as const;
    await settle(system, message, { ...sent, ...kept(system) });
    await count('sent');
    await tell('reached');
    if (body !== queuedBody) await showInInbox(system, row, body);
  };
  return { task, close: mailer.close };
}

const REFUSED = 'refused by an action';

/** Ends a message that is not sent: it came too late, or an action refused it. */
function unsent(
  system: System,
  row: QueuedText & { channel: 'email' | 'sms' },
  result: 'expired' | 'refused',
): Promise<void> {
  const expired = result === 'expired';
  if (row.channel === 'sms') return expired ? expireText(system, row) : refuseText(system, row, REFUSED);
  const outcome = expired ? ({ status: 'expired' } as const) : ({ status: 'failed', error: REFUSED } as const);
  const message = { workspaceId: row.workspace_id, messageId: row.id };
  return settle(system, message, { result, ...outcome, ...kept(system) });
}

type Reviewing = { body: Rendered; attempt: Attempt; review: Review };

/**
 * The message as it is sent; null for none.
 * @throws the fault of a review that is repeated with the job; after the last attempt the message has failed
 */
async function reviewed(
  system: System,
  row: QueuedText & { channel: 'email' | 'sms' },
  { body, attempt, review }: Reviewing,
): Promise<Rendered | null> {
  const { workspace_id: workspaceId, project_id: projectId, environment, id, channel, template, recipient: to } = row;
  const { subject, text } = body;
  try {
    const sent = await review(
      system,
      { workspaceId, projectId, environment },
      { id, channel, template, to, subject, text },
    );
    return sent && replaced(body, sent, { channel, segments: row.segments });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    const { attempts, last } = attempt;
    if (channel === 'sms') await failedTry(system, row, { reason, ...attempt });
    else await settle(system, { workspaceId, messageId: id }, { ...tried(last), error: reason, attempts });
    throw error;
  }
}

/** A text message keeps within the segments that are reserved for it, or else stays as it was. */
function replaced(
  body: Rendered,
  { subject, text }: Pick<Rendered, 'subject' | 'text'>,
  { channel, segments }: { channel: 'email' | 'sms'; segments: number | null },
): Rendered {
  if (subject === body.subject && text === body.text) return body;
  if (channel === 'sms') return segmentsOf(text).segments > (segments ?? 0) ? body : { ...body, text };
  return { ...body, subject, text, html: text === body.text ? body.html : htmlOf(subject, text) };
}

/** Development mode keeps messages for the inbox: as they were sent. A later attempt is reviewed as it was queued. */
async function showInInbox(system: System, { workspace_id, id }: QueuedText, body: Rendered): Promise<void> {
  if (system.config.mode !== 'development') return;
  await singleWrite(system, 'outcome')
    .updateTable('messages')
    .set({ body_sealed: sealBody(system, id, body) })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
}

function scopeOf({ workspace_id: workspaceId, project_id: projectId, environment }: QueuedText): Scope {
  return { workspaceId, projectId, environment };
}

function tried(last: boolean) {
  return last ? ({ result: 'failed', status: 'failed' } as const) : ({ result: 'retried', status: 'queued' } as const);
}

/** Deletes the text of a delivered message, as it may hold a code. Development mode keeps it for the inbox. */
function kept(system: System): { body_sealed?: '' } {
  return system.config.mode === 'development' ? {} : { body_sealed: '' };
}

/** Only a refusal requeues the message: after any other error a carrier may have taken it. */
async function sendTextOnce(
  system: System,
  row: QueuedText,
  { body, queuedBody, tell, ...attempt }: Attempt & { body: Rendered; queuedBody: Rendered; tell: Tell },
) {
  try {
    const outcome = await sendText(system, { ...row, attempts: attempt.attempts }, body.text);
    if (outcome === 'refused') await tell('refused');
    recordOutcome(system, { environment: row.environment, signal: 'sms', good: true });
  } catch (error) {
    const ours = !(error instanceof NotTaken) || error.refusal !== 'route';
    if (ours) recordOutcome(system, { environment: row.environment, signal: 'sms', good: false });
    if (error instanceof NotTaken) await failedTry(system, row, { reason: error.message, ...attempt });
    throw error;
  }
  if (body !== queuedBody) await showInInbox(system, row, body);
}

function queued(system: System, message: Reference) {
  return system.db
    .selectFrom('messages')
    .select([
      'workspace_id',
      'project_id',
      'environment',
      'id',
      'channel',
      'recipient',
      'template',
      'body_sealed',
      'segments',
      'provider',
      'expires_at',
    ])
    .where('workspace_id', '=', message.workspaceId)
    .where('id', '=', message.messageId)
    .where('status', '=', 'queued')
    .executeTakeFirst();
}

type Failing = {
  message: Reference;
  attempt: Attempt;
  tell: Tell;
  count: (result: 'failed') => Promise<void>;
};

/**
 * Requeues a mail. A permanent refusal ends it and does not count as an error of the server.
 * @throws the error, so that the job is retried
 */
async function mailFailed(
  system: System,
  { environment }: QueuedText,
  fault: unknown,
  { message, attempt, tell, count }: Failing,
): Promise<null> {
  const error = fault instanceof Error ? fault.message : 'unknown';
  const { attempts, last } = attempt;
  if (isRefusal(fault)) {
    await settle(system, message, { result: 'refused', status: 'failed', error, attempts, ...kept(system) });
    await count('failed');
    await tell('refused');
    return null;
  }
  // Anyone can cause errors about a receiver with an address of their own, so those do not count against the service.
  const aboutReceiver = isAboutReceiver(fault);
  if (!aboutReceiver) recordOutcome(system, { environment, signal: 'email', good: false });
  await settle(system, message, { ...tried(last), error, attempts });
  if (last) await count('failed');
  if (last && aboutReceiver) await tell('unreached');
  throw fault;
}

/** `result`: how the metric counts it. */
type Settled = {
  result: MessageResult;
  status: MessageStatus;
  error?: string | null;
  attempts?: number;
  provider?: string;
  sent_at?: Date;
  body_sealed?: string;
};

async function settle(
  system: System,
  { workspaceId, messageId }: Reference,
  { result, ...outcome }: Settled,
): Promise<void> {
  messagesSent.count(system, { channel: 'email', result });
  await singleWrite(system, 'outcome')
    .updateTable('messages')
    .set(outcome)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', messageId)
    .execute();
}
