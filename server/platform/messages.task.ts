import type { Task } from 'graphile-worker';
import { createTransport, type Transporter } from 'nodemailer';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { IdSchema } from './ids.ts';
import { type Body, openBody } from './messages.ts';
import type { System } from './system.ts';

const Reference = Type.Object({ workspaceId: IdSchema('wrk'), messageId: IdSchema('msg') });
type Reference = Static<typeof Reference>;
const reference = Compile(Reference);

/** Sends one queued message; a failure is tried again by the job queue, with growing pauses. */
export function sendMessageTask(system: System): Task {
  const { smtpUrl, mailFrom } = system.config;
  const transport = smtpUrl === null ? null : createTransport(smtpUrl, { from: mailFrom });
  return async (payload, { job }) => {
    const message = reference.Parse(payload);
    try {
      await send(system, transport, message);
    } catch (error) {
      if (job.attempts >= job.max_attempts)
        await settle(system, message, { status: 'failed', error: error instanceof Error ? error.message : 'unknown' });
      throw error;
    }
  };
}

async function send(system: System, transport: Transporter | null, message: Reference): Promise<void> {
  const row = await system.db
    .selectFrom('messages')
    .select(['id', 'recipient', 'body_sealed', 'status'])
    .where('workspace_id', '=', message.workspaceId)
    .where('id', '=', message.messageId)
    .executeTakeFirst();
  const body = row && openBody(system, row);
  if (!row || !body || row.status === 'sent') return;
  // Without a mail server the dev inbox is where mails arrive.
  if (transport) await deliver(transport, row.recipient, message, body);
  // Codes do not lie around once they are delivered; in development the inbox shows them.
  const kept = system.config.mode === 'development' ? {} : { body_sealed: '' };
  await settle(system, message, { status: 'sent', sent_at: system.clock.now(), ...kept });
}

async function deliver(
  transport: Transporter,
  to: string,
  { messageId }: Reference,
  { subject, text, html }: Body,
): Promise<void> {
  // The same Message-ID at every try lets mail servers drop a duplicate.
  await transport.sendMail({ to, subject, text, ...(html !== null && { html }), messageId: `<${messageId}@latchkey>` });
}

type Settled = { status: 'sent' | 'failed'; error?: string; sent_at?: Date; body_sealed?: string };

async function settle(system: System, { workspaceId, messageId }: Reference, outcome: Settled): Promise<void> {
  await system.db
    .updateTable('messages')
    .set(outcome)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', messageId)
    .execute();
}
