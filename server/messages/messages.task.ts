import type { Task } from 'graphile-worker';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Environment } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { recordOutcome } from '#platform/outcomes.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { isAboutReceiver, isRefusal, openMailer } from './mail.ts';
import { type MessageStatus, openBody } from './messages.ts';
import { type MessageResult, messagesSent } from './metrics.ts';
import type { Rendered } from './render.ts';
import { NotTaken } from './sms.ts';
import { expireText, failedTry, type QueuedText, sendText } from './texts.ts';

const Reference = Type.Object({ workspaceId: IdSchema('wrk'), messageId: IdSchema('msg') });
type Reference = Static<typeof Reference>;
const reference = Compile(Reference);

/** The number of the attempt, and whether it is the last. */
type Attempt = { attempts: number; last: boolean };

/**
 * Called when the receiver's server rejects a mail permanently: the address does not exist or accepts no mail from this
 * sender.
 */
export type Refused = (message: { environment: Environment; template: string; to: string }) => Promise<void>;

/** Sends queued messages. The job queue retries failures with backoff; permanent refusals are not retried. */
export function openSending(system: System, refused: Refused): { task: Task; close: () => void } {
  const mailer = openMailer(system);
  const task: Task = async (payload, { job }) => {
    const message = reference.Parse(payload);
    const attempt = { attempts: job.attempts, last: job.attempts >= job.max_attempts };
    const row = await queued(system, message);
    const body = row && openBody(system, row);
    if (!row || !body) return;
    const now = system.clock.now();
    // An expired code is not worth a message.
    const late = row.expires_at !== null && row.expires_at <= now;
    if (row.channel === 'sms') return late ? expireText(system, row) : sendTextOnce(system, row, { ...attempt, body });
    if (late) return settle(system, message, { result: 'expired', status: 'expired', ...kept(system) });
    const failing = { message, attempt, refused };
    const provider = await mailer
      .send(row.recipient, row.id, body)
      .catch((error: unknown) => mailFailed(system, row, error, failing));
    if (provider === null) return;
    recordOutcome(system, { environment: row.environment, signal: 'email', good: true });
    const { attempts } = attempt;
    const sent = { result: 'sent', status: 'sent', sent_at: now, provider, error: null, attempts } as const;
    await settle(system, message, { ...sent, ...kept(system) });
  };
  return { task, close: mailer.close };
}

/** Deletes the text of a delivered message, as it may hold a code. Development mode keeps it for the inbox. */
function kept(system: System): { body_sealed?: '' } {
  return system.config.mode === 'development' ? {} : { body_sealed: '' };
}

/** Only a refusal requeues the message: after any other error a carrier may have taken it. */
async function sendTextOnce(system: System, row: QueuedText, { body, ...attempt }: Attempt & { body: Rendered }) {
  try {
    await sendText(system, { ...row, attempts: attempt.attempts }, body.text);
    recordOutcome(system, { environment: row.environment, signal: 'sms', good: true });
  } catch (error) {
    const ours = !(error instanceof NotTaken) || error.refusal !== 'route';
    if (ours) recordOutcome(system, { environment: row.environment, signal: 'sms', good: false });
    if (error instanceof NotTaken) await failedTry(system, row, { reason: error.message, ...attempt });
    throw error;
  }
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

/**
 * Requeues a mail. A permanent refusal ends it and does not count as an error of the server.
 * @throws the error, so that the job is retried
 */
async function mailFailed(
  system: System,
  { environment, template, recipient: to }: QueuedText,
  fault: unknown,
  { message, attempt, refused }: { message: Reference; attempt: Attempt; refused: Refused },
): Promise<null> {
  const error = fault instanceof Error ? fault.message : 'unknown';
  const { attempts, last } = attempt;
  if (isRefusal(fault)) {
    await settle(system, message, { result: 'refused', status: 'failed', error, attempts, ...kept(system) });
    await refused({ environment, template, to });
    return null;
  }
  // Anyone can cause errors about a receiver with an address of their own, so those do not count against the service.
  if (!isAboutReceiver(fault)) recordOutcome(system, { environment, signal: 'email', good: false });
  const outcome = last
    ? ({ result: 'failed', status: 'failed' } as const)
    : ({ result: 'retried', status: 'queued' } as const);
  await settle(system, message, { ...outcome, error, attempts });
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
