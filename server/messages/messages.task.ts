import type { Task } from 'graphile-worker';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { mailDelivery } from './mail.ts';
import { type MessageStatus, openBody } from './messages.ts';
import type { Rendered } from './render.ts';
import { NotTaken } from './sms.ts';
import { expireText, failedTry, type QueuedText, sendText } from './texts.ts';

const Reference = Type.Object({ workspaceId: IdSchema('wrk'), messageId: IdSchema('msg') });
type Reference = Static<typeof Reference>;
const reference = Compile(Reference);

/** Which try it is, and whether it is the last. */
type Attempt = { attempts: number; last: boolean };

/** Sends one queued message; a failure is tried again by the job queue, with growing pauses. */
export function sendMessageTask(system: System): Task {
  const mail = mailDelivery(system.config);
  return async (payload, { job }) => {
    const message = reference.Parse(payload);
    const attempt = { attempts: job.attempts, last: job.attempts >= job.max_attempts };
    const row = await queued(system, message);
    const body = row && openBody(system, row);
    if (!row || !body) return;
    const now = system.clock.now();
    // A code nobody can use any more is not worth a message.
    const late = row.expires_at !== null && row.expires_at <= now;
    if (row.channel === 'sms') return late ? expireText(system, row) : sendTextOnce(system, row, { ...attempt, body });
    if (late) return settle(system, message, { status: 'expired', body_sealed: '' });
    const provider = await mail(row.recipient, row.id, body).catch(async (error: unknown) => {
      await mailFailed(system, message, { reason: error instanceof Error ? error.message : 'unknown', ...attempt });
      throw error;
    });
    // Codes do not lie around once they are delivered; in development the inbox shows them.
    const kept = system.config.mode === 'development' ? {} : { body_sealed: '' };
    await settle(system, message, { status: 'sent', sent_at: now, provider, error: null, ...kept });
  };
}

/** Only a refusal sets the message back in the queue: after any other fault a carrier may have taken it. */
async function sendTextOnce(system: System, row: QueuedText, { body, ...attempt }: Attempt & { body: Rendered }) {
  try {
    await sendText(system, row, body.text);
  } catch (error) {
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

function mailFailed(
  system: System,
  message: Reference,
  { reason: error, attempts, last }: Attempt & { reason: string },
): Promise<void> {
  return settle(system, message, { status: last ? 'failed' : 'queued', error, attempts });
}

type Settled = {
  status: MessageStatus;
  error?: string | null;
  attempts?: number;
  provider?: string;
  sent_at?: Date;
  body_sealed?: string;
};

async function settle(system: System, { workspaceId, messageId }: Reference, outcome: Settled): Promise<void> {
  await system.db
    .updateTable('messages')
    .set(outcome)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', messageId)
    .execute();
}
