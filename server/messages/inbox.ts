import { type Selectable, sql } from 'kysely';
import type { Scope } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { type MessageId, type MessageStatus, type MessagesTable, openBody } from './messages.ts';

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

function within(scope: Scope | undefined) {
  if (!scope) return sql`true`;
  const { workspaceId, projectId, environment } = scope;
  return sql`workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}`;
}

/**
 * Messages of the whole installation, or of one scope, newest first; for developers only. Served by messages_newest.
 */
export async function listInbox(
  system: System,
  { to, limit, cursor, scope }: { to: string | null; limit: number; cursor: MessageId | null; scope?: Scope },
): Promise<{ items: SentMessage[]; nextCursor: MessageId | null }> {
  const { rows } = await sql<Stored>`
    select id, channel, recipient, body_sealed, status, created_at from messages /* all workspaces */
    where status <> 'suppressed' and ${within(scope)} and (${to}::text is null or recipient = lower(${to}::text)) and (${cursor}::text is null or id < ${cursor}::text)
    order by id desc limit ${limit + 1}`.execute(system.db);
  const items = rows.slice(0, limit).map((row) => sentMessage(system, row));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/**
 * One message of the installation; for developers only.
 * @throws Problem NOT_FOUND
 */
export async function readInbox(system: System, id: MessageId, scope?: Scope): Promise<SentMessage> {
  const { rows } = await sql<Stored>`
    select id, channel, recipient, body_sealed, status, created_at from messages where id = ${id} and ${within(scope)} /* all workspaces */`.execute(
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
    subject: body.subject || body.text,
    status: row.status,
    createdAt: row.created_at.toISOString(),
  };
}
