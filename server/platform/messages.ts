import { type Selectable, sql } from 'kysely';
import type { Environment, TxCtx } from './ctx.ts';
import { type Id, newId, type ProjectId, type WorkspaceId } from './ids.ts';
import { addJob } from './jobs.ts';
import { problem } from './problem.ts';
import type { System } from './system.ts';

export type MessageId = Id<'msg'>;
type MessageStatus = 'queued' | 'sent' | 'failed';

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

type Mail = { to: string; subject: string; text: string; html?: string };

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

/** A message with its text, as the dev inbox shows it. */
export type SentMessage = {
  id: MessageId;
  channel: 'email' | 'sms';
  to: string;
  subject: string;
  text: string;
  html: string | null;
  status: MessageStatus;
  createdAt: string;
};

type Stored = Pick<Selectable<MessagesTable>, 'id' | 'channel' | 'recipient' | 'body_sealed' | 'status' | 'created_at'>;

/** Messages of the whole installation, newest first; for developers only. Served by messages_newest. */
export async function listMessages(
  system: System,
  { to, limit, cursor }: { to: string | null; limit: number; cursor: MessageId | null },
): Promise<{ items: SentMessage[]; nextCursor: MessageId | null }> {
  const { rows } = await sql<Stored>`
    select id, channel, recipient, body_sealed, status, created_at from messages /* all workspaces */
    where (${to}::text is null or recipient = lower(${to}::text)) and (${cursor}::text is null or id < ${cursor}::text)
    order by id desc limit ${limit + 1}`.execute(system.db);
  const items = rows.slice(0, limit).map((row) => sentMessage(system, row));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** One message of the installation; for developers only. @throws Problem NOT_FOUND */
export async function readMessage(system: System, id: MessageId): Promise<SentMessage> {
  const { rows } = await sql<Stored>`
    select id, channel, recipient, body_sealed, status, created_at from messages where id = ${id} /* all workspaces */`.execute(
    system.db,
  );
  const [row] = rows;
  if (!row) throw problem('NOT_FOUND');
  return sentMessage(system, row);
}

function sentMessage(system: System, row: Stored): SentMessage {
  const body = openBody(system, row) ?? { subject: '', text: '', html: null };
  return {
    id: row.id,
    channel: row.channel,
    to: row.recipient,
    ...body,
    status: row.status,
    createdAt: row.created_at.toISOString(),
  };
}
