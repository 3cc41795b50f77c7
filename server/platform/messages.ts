import type { Environment, TxCtx } from './ctx.ts';
import { type Id, newId, type ProjectId, type WorkspaceId } from './ids.ts';
import { addJob } from './jobs.ts';
import type { System } from './system.ts';

export type MessageId = Id<'msg'>;
export type MessageStatus = 'queued' | 'sent' | 'failed';

type MessagesTable = {
  workspace_id: WorkspaceId;
  id: MessageId;
  project_id: ProjectId;
  environment: Environment;
  channel: 'email' | 'sms';
  recipient: string;
  body_sealed: string;
  status: MessageStatus;
  error: string | null;
  created_at: Date;
  sent_at: Date | null;
};

declare module './db.ts' {
  interface Tables {
    messages: MessagesTable;
  }
}

declare module './jobs.ts' {
  interface Jobs {
    send_message: { workspaceId: WorkspaceId; messageId: MessageId };
  }
}

export type Mail = { to: string; subject: string; text: string; html?: string };

/** The parts of a message that are nobody else's business. */
export type Body = { subject: string; text: string; html: string | null };

const PURPOSE = 'message';
/** Somebody waits for these in front of a sign-in form. */
const FIRST = -10;

/** Queues a mail in the caller's transaction: it is sent if, and only if, that commits. The text is stored encrypted. */
export async function sendMail(tx: TxCtx, mail: Mail): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  const id = newId('msg', tx.now);
  const body: Body = { subject: mail.subject, text: mail.text, html: mail.html ?? null };
  await tx.db
    .insertInto('messages')
    .values({
      workspace_id: workspaceId,
      id,
      project_id: projectId,
      environment,
      channel: 'email',
      recipient: mail.to,
      body_sealed: tx.system.keyring.seal(JSON.stringify(body), PURPOSE, id),
      status: 'queued',
      error: null,
      created_at: tx.now,
      sent_at: null,
    })
    .execute();
  await addJob(tx, 'send_message', { workspaceId, messageId: id }, { priority: FIRST });
}

/** Reads what was sealed; null where it was removed after sending. */
export function openBody(system: System, row: { id: MessageId; body_sealed: string }): Body | null {
  return row.body_sealed === '' ? null : JSON.parse(system.keyring.open(row.body_sealed, PURPOSE, row.id));
}
