import { readFileSync } from 'node:fs';
import type { Task } from 'graphile-worker';
import { createTransport } from 'nodemailer';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Config } from '#platform/config.ts';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { type MessageId, type MessageStatus, openBody } from './messages.ts';
import type { Rendered } from './render.ts';
import { carriersOf } from './sms.ts';

const Reference = Type.Object({ workspaceId: IdSchema('wrk'), messageId: IdSchema('msg') });
type Reference = Static<typeof Reference>;
const reference = Compile(Reference);

/** Takes a message to where it goes. @returns who took it */
type Deliver = (to: string, id: MessageId, body: Rendered) => Promise<string>;

/** Sends one queued message; a failure is tried again by the job queue, with growing pauses. */
export function sendMessageTask(system: System): Task {
  const deliver = { email: mailDelivery(system.config), sms: smsDelivery(system) };
  return async (payload, { job }) => {
    const message = reference.Parse(payload);
    try {
      await send(system, deliver, message);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      const last = job.attempts >= job.max_attempts;
      await settle(system, message, { status: last ? 'failed' : 'queued', error: reason, attempts: job.attempts });
      throw error;
    }
  };
}

/** Mail over SMTP; without a mail server the dev inbox is where mails arrive. */
function mailDelivery({ smtpUrl, mailFrom, dkim }: Config): Deliver {
  if (smtpUrl === null) return async () => 'inbox';
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    ...(dkim && {
      dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: readFileSync(dkim.keyFile, 'utf8') },
    }),
  });
  return async (to, id, { subject, text, html }) => {
    // The same Message-ID at every try lets mail servers drop a duplicate.
    await transport.sendMail({
      from: mailFrom,
      to,
      subject,
      text,
      ...(html !== null && { html }),
      messageId: `<${id}@latchkey>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return 'smtp';
  };
}

/** Text messages over the first carrier that takes them. */
function smsDelivery(system: System): Deliver {
  const carriers = carriersOf(system);
  if (carriers.length === 0)
    return system.config.mode === 'development'
      ? async () => 'inbox'
      : async () => {
          throw new Error('No carrier is configured; set LATCHKEY_SMS_URL.');
        };
  return async (to, _id, { text }) => {
    const reasons: string[] = [];
    for (const { name, send: trySend } of carriers) {
      try {
        // biome-ignore lint/performance/noAwaitInLoops: the next carrier is asked only when this one failed
        await trySend(to, text);
        return name;
      } catch (error) {
        reasons.push(`${name}: ${error instanceof Error ? error.message : 'failed'}`);
      }
    }
    throw new Error(reasons.join('; '));
  };
}

async function send(system: System, deliver: Record<'email' | 'sms', Deliver>, message: Reference): Promise<void> {
  const row = await system.db
    .selectFrom('messages')
    .select(['id', 'channel', 'recipient', 'body_sealed', 'status', 'expires_at'])
    .where('workspace_id', '=', message.workspaceId)
    .where('id', '=', message.messageId)
    .executeTakeFirst();
  const body = row && openBody(system, row);
  if (!row || !body || row.status !== 'queued') return;
  const now = system.clock.now();
  // A code nobody can use any more is not worth a message.
  if (row.expires_at && row.expires_at <= now) return settle(system, message, { status: 'expired', body_sealed: '' });
  const provider = await deliver[row.channel](row.recipient, row.id, body);
  // Codes do not lie around once they are delivered; in development the inbox shows them.
  const kept = system.config.mode === 'development' ? {} : { body_sealed: '' };
  await settle(system, message, { status: 'sent', sent_at: now, provider, error: null, ...kept });
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
