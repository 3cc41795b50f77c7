import { type Generated, sql } from 'kysely';
import Negotiator from 'negotiator';
import { countCode, reserveSms } from '#billing';
import { brandOf } from '#branding';
import { projectOf } from '#environments';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { firstIdAt, type Id, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import { deleteOldRows } from '#platform/part.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import type { System, SystemInTx } from '#platform/system.ts';
import { type Language, languages } from '#settings';
import { builtInTexts, faultsOf, type Rendered, render, type Variables } from './render.ts';
import { type TemplateId, type TemplateText, templates } from './templates.ts';
import { endTextsTo } from './texts.ts';

export type MessageId = Id<'msg'>;
/**
 * `suppressed`: there is no receiver, as for an address without an account; the row is written so that both cases take
 * equally long.
 */
export const messageStatuses = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'expired',
  'suppressed',
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

export type MessagesTable = {
  workspace_id: WorkspaceId;
  id: MessageId;
  project_id: ProjectId;
  environment: Environment;
  channel: 'email' | 'sms';
  recipient: string;
  template: TemplateId | 'none';
  body_sealed: string;
  status: MessageStatus;
  error: string | null;
  attempts: number;
  provider: string | null;
  created_at: Date;
  sent_at: Date | null;
  expires_at: Date | null;
  segments: number | null;
  sending_since: Generated<Date | null>;
  delivered_at: Generated<Date | null>;
};

declare module '#platform/db.ts' {
  interface Tables {
    messages: MessagesTable;
  }
}

declare module '#platform/jobs.ts' {
  interface Jobs {
    send_message: { workspaceId: WorkspaceId; messageId: MessageId };
  }
}

const PURPOSE = 'message';
/** Priority of messages that a person waits for in a sign-in form. */
const FIRST = -10;
/** Priority of messages that no one waits for. */
const BULK = 10;

export type NewMessage = {
  template: TemplateId;
  to: string;
  variables: Variables;
  /** The person's preferred language, if known. */
  locale?: string | null;
  /** The language, where the sender offers others than the project. */
  language?: Language;
  /** Do not send after this time. */
  expiresAt?: Date;
  suppressed?: boolean;
  /** The organization that the message is about; it shows its branding. */
  organizationId?: OrganizationId | null;
  /** The address that unsubscribes the receiver with one POST (RFC 8058). */
  unsubscribe?: string;
  /** For bulk mail: everything else goes first, and messages of one lane are sent one after the other. */
  lane?: number;
};

/**
 * Queues a message in the caller's transaction: it is sent if, and only if, that commits. The text is stored encrypted
 * and deleted after sending, except in development mode. A text message also reserves its segments of the plan.
 * @throws Problem ADDON_REQUIRED, PLAN_LIMIT_EXCEEDED for a text message
 */
export async function sendMessage(tx: TxCtx, message: NewMessage): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  const id = newId('msg', tx.now);
  const rendered = await renderFor(tx, message);
  const body: Rendered = {
    ...rendered,
    ...(message.unsubscribe !== undefined && { unsubscribe: message.unsubscribe }),
  };
  const template = templates[message.template];
  const { channel } = template;
  const suppressed = message.suppressed ?? false;
  const segments = channel === 'sms' ? await reserveSms(tx, { id, to: message.to, text: body.text, suppressed }) : null;
  if ('answered' in template && !suppressed) await countCode(tx, message.to, 'sent');
  await tx.db
    .insertInto('messages')
    .values({
      workspace_id: workspaceId,
      id,
      project_id: projectId,
      environment,
      channel,
      recipient: message.to,
      template: message.template,
      body_sealed: sealBody(tx.system, id, body),
      status: suppressed ? 'suppressed' : 'queued',
      error: null,
      attempts: 0,
      provider: null,
      created_at: tx.now,
      sent_at: null,
      expires_at: message.expiresAt ?? null,
      segments,
    })
    .execute();
  const place = message.lane === undefined ? { priority: FIRST } : { priority: BULK, queue: `bulk-${message.lane}` };
  await addJob(tx, 'send_message', { workspaceId, messageId: id }, { ...place, outside: true });
}

async function renderFor(
  tx: TxCtx,
  { template, variables, locale, organizationId = null, ...chosen }: NewMessage,
): Promise<Rendered> {
  const { projectName, settings } = await projectOf(tx.system, tx.scope);
  const language =
    chosen.language ?? languageFor(locale ?? tx.trace.languages, settings.defaultLanguage, settings.locales);
  const own = await ownText(tx, template, language);
  // A text stored before a rule became stricter may break it.
  const text = own && faultsOf(template, language, own).length === 0 ? own : builtInTexts[language][template];
  const brand = await brandOf(tx.system, tx.scope, organizationId);
  return render({ template, language, brand }, text, { project: projectName, ...variables });
}

/** The best supported language for a BCP 47 tag or an `Accept-Language` header. */
export function languageFor(
  wanted: string | null,
  fallback: Language,
  offered: readonly Language[] = languages,
): Language {
  if (wanted === null || wanted === '' || wanted === '*') return fallback;
  const [best] = new Negotiator({ headers: { 'accept-language': wanted } }).languages([...offered]);
  return offered.find((language) => language === best) ?? fallback;
}

/** The project's own text of a template. Served by the primary key. */
export async function ownText(
  ctx: Pick<Ctx, 'scope' | 'db'> | TxCtx,
  template: TemplateId,
  language: Language,
): Promise<TemplateText | undefined> {
  return ctx.db
    .selectFrom('message_templates')
    .select(['subject', 'body', 'action'])
    .where(inScope(ctx))
    .where('template', '=', template)
    .where('locale', '=', language)
    .executeTakeFirst();
}

export function sealBody({ keyring }: Pick<SystemInTx, 'keyring'>, id: MessageId, body: Rendered): string {
  return keyring.seal(JSON.stringify(body), PURPOSE, id);
}

/** Decrypts the text of a message; null if it was deleted after sending. */
export function openBody(system: System, row: { id: MessageId; body_sealed: string }): Rendered | null {
  return row.body_sealed === '' ? null : JSON.parse(system.keyring.open(row.body_sealed, PURPOSE, row.id));
}

/** The messages to any of these addresses, newest first, without their text. Served by messages_of_recipient. */
export async function messagesTo(ctx: Pick<Ctx, 'db' | 'scope'>, addresses: readonly string[], limit: number) {
  const rows = await ctx.db
    .selectFrom('messages')
    .select(['id', 'channel', 'recipient', 'template', 'status', 'created_at as createdAt', 'sent_at as sentAt'])
    .where(acrossProjects(ctx))
    .where('recipient', '=', sql<string>`any(${[...addresses]})`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ createdAt, sentAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
  }));
}

/** How many messages of a template each of these addresses got since then. Served by messages_of_recipient. */
export async function countMessages(
  tx: TxCtx,
  { template, to, since }: { template: TemplateId; to: readonly string[]; since: Date },
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.db
    .selectFrom('messages')
    .select(({ fn }) => ['recipient', fn.countAll<number>().as('count')])
    .where(inScope(tx))
    .where('recipient', '=', sql<string>`any(${[...to]})`)
    .where('template', '=', template)
    .where('created_at', '>', since)
    .groupBy('recipient')
    .execute();
  return new Map(rows.map(({ recipient, count }) => [recipient, Number(count)]));
}

/** Deletes the messages to any of these addresses, sent or not. */
export async function removeMessages(tx: TxCtx, addresses: readonly string[]): Promise<void> {
  await endTextsTo(tx, addresses);
  await tx.db
    .deleteFrom('messages')
    .where(acrossProjects(tx))
    .where('recipient', '=', sql<string>`any(${[...addresses]})`)
    .execute();
}

const DAY_MS = 86_400_000;
const KEPT_DAYS = 90;
/** Deletes messages older than ninety days. Runs as a job. Served by messages_newest. */
export async function removeOldMessages(system: System): Promise<void> {
  const first = firstIdAt('msg', new Date(system.clock.now().getTime() - KEPT_DAYS * DAY_MS));
  await deleteOldRows(system, 'messages', { column: 'id', before: first });
}
