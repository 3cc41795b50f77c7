import type { Task } from 'graphile-worker';
import { createTransport, type Transporter } from 'nodemailer';
import { Compile } from 'typebox/compile';
import { Type } from 'typebox';
import { IdSchema } from './ids.ts';
import { type Body, type MessageId, openBody } from './messages.ts';
import type { System } from './system.ts';

const Payload = Compile(Type.Object({ workspaceId: IdSchema('wrk'), messageId: IdSchema('msg') }));

/** Sends one queued message; a failure is tried again by the job queue, with growing pauses. */
export function sendMessageTask(system: System): Task {
  const transport = system.config.smtpUrl === null ? null : createTransport(system.config.smtpUrl, { from: system.config.mailFrom });
  return async (payload, helpers) => {
    const { workspaceId, messageId } = Payload.Parse(payload);
    const message = await system.db.selectFrom('messages').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', messageId).executeTakeFirst();
    const body = message && openBody(system, message);
    if (!message || !body || message.status === 'sent') return;
    try {
      // Without a mail server the dev inbox is where mails arrive.
      if (transport) await deliver(transport, message.recipient, messageId, body);
    } catch (error) {
      if (helpers.job.attempts >= helpers.job.max_attempts) await settle(system, workspaceId, messageId, { status: 'failed', error: error instanceof Error ? error.message : 'unknown' });
      throw error;
    }
    // Codes do not lie around once they are delivered; in development the inbox shows them.
    const kept = system.config.mode === 'development' ? {} : { body_sealed: '' };
    await settle(system, workspaceId, messageId, { status: 'sent', sent_at: system.clock.now(), ...kept });
  };
}

async function deliver(transport: Transporter, to: string, messageId: MessageId, { subject, text, html }: Body): Promise<void> {
  // The same Message-ID at every try lets mail servers drop a duplicate.
  await transport.sendMail({ to, subject, text, ...(html !== null && { html }), messageId: `<${messageId}@latchkey>` });
}

type Settled = { status: 'sent' | 'failed'; error?: string; sent_at?: Date; body_sealed?: string };

async function settle(system: System, workspaceId: `wrk_${string}`, messageId: MessageId, outcome: Settled): Promise<void> {
  await system.db.updateTable('messages').set(outcome).where('workspace_id', '=', workspaceId).where('id', '=', messageId).execute();
}
