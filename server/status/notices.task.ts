import type { Task } from 'graphile-worker';
import { type Selectable, sql } from 'kysely';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { sendMessage } from '#messages';
import type { ChatKind } from '#platform/config-chat.ts';
import type { Tables } from '#platform/db.ts';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { sendTo } from '#webhooks';
import { pageAddressOf } from './addresses.ts';
import { languagesOf, voiceFor } from './boards.ts';
import { chatBody, isChat } from './chat.ts';
import { noticeInChat, pageNameOf } from './chat-messages.ts';
import { readComponents } from './components.ts';
import { membersAmong } from './members-only.ts';
import { mailVariables, webhookBody } from './notice-messages.ts';
import { atItsDomain, findPage, inPage, isShown, type PageTx, pageCtx, pageTransaction } from './pages.ts';
import { receiverOf } from './receivers.ts';
import { isTold, type SubscriberRow } from './subscribers.ts';
import { subscriptionLink } from './subscriptions.ts';
import { suspendReceiver } from './suspensions.ts';
import { type TextRecipient, textNotice } from './texts.ts';
import { addNoticeJob } from './updates.ts';
import type { Voice } from './words.ts';

const reference = Compile(Type.Object({ environment: Type.String(), noticeId: IdSchema('ntc') }));

/** The number of subscribers in one portion; the next portion waits until these are sent. */
const PORTION = 200;
/** The number of connections for bulk mail; it leaves one for mail that a person waits for. */
const LANES = 3;

type Notice = Selectable<Tables['status_notices']>;

/** Queues one notice for the next portion of its subscribers. Each gets it exactly once, even across failures. */
export function statusNoticeTask(system: System): Task {
  return async (payload) => {
    const { environment, noticeId } = reference.Parse(payload);
    const found = await findPage(system, environment);
    const page = found && (await atItsDomain(system, found));
    const ctx = page && (await pageCtx(system, page, 'status-notice'));
    if (!ctx) return;
    const shown = await isShown(system, page);
    await pageTransaction(ctx, async (tx) => {
      const notice = await tx.db
        .selectFrom('status_notices')
        .selectAll()
        .where(inPage(tx.page))
        .where('id', '=', noticeId)
        .where('done_at', 'is', null)
        .forUpdate()
        .executeTakeFirst();
      if (!notice) return;
      const subscribers = shown ? await nextPortion(tx, notice) : [];
      await tell(tx, notice, await membersAmong(tx, subscribers));
      const last = subscribers.at(-1);
      const more = subscribers.length === PORTION;
      await tx.db
        .updateTable('status_notices')
        .set({ cursor: last?.id ?? notice.cursor, done_at: more ? null : tx.now })
        .where(inPage(tx.page))
        .where('id', '=', noticeId)
        .execute();
      if (more) await addNoticeJob(tx, noticeId);
    });
  };
}

type Receiver = Pick<
  SubscriberRow,
  'environment' | 'id' | 'channel' | 'address' | 'user_id' | 'locale' | 'secret_sealed'
>;

/** Served by status_subscribers_active. */
function nextPortion(tx: PageTx, { cursor, component_ids }: Notice): Promise<Receiver[]> {
  return tx.db
    .selectFrom('status_subscribers')
    .select(['environment', 'id', 'channel', 'address', 'user_id', 'locale', 'secret_sealed'])
    .where(inPage(tx.page))
    .where(isTold(component_ids))
    .where(sql<boolean>`id > ${cursor}`)
    .orderBy('id')
    .limit(PORTION)
    .execute();
}

async function tell(tx: PageTx, notice: Notice, subscribers: readonly Receiver[]): Promise<void> {
  const rows = await readComponents(tx);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const name = await pageNameOf(tx);
  const languages = await languagesOf(tx);
  const told = subscribers.map((subscriber) => ({
    notice,
    subscriber,
    names,
    voice: voiceFor(subscriber, languages),
  }));
  for (const [index, one] of told.entries()) {
    const { channel } = one.subscriber;
    if (channel === 'sms') continue;
    // biome-ignore lint/performance/noAwaitInLoops: one after the other, on one connection
    if (channel === 'email') await mail(tx, one, index % LANES);
    else await post(tx, one, name);
  }
  // Last, because text messages hold the subscription of the add-on, which sign-ins wait for.
  const phones = told.filter(({ subscriber }) => subscriber.channel === 'sms');
  await textNotice(tx, phones.map(textOf), { subjectId: notice.subject_id, lanes: LANES });
}

function textOf(told: Told): TextRecipient {
  const { notice, subscriber, voice } = told;
  const { id, address, secret_sealed } = subscriber;
  const text = { title: wordsOf(told).title, phase: voice.say(notice.content.phase) };
  return { id, address, secret_sealed, language: voice.language, ...text };
}

type Told = {
  notice: Notice;
  subscriber: Receiver;
  names: ReadonlyMap<string, string | null>;
  voice: Voice;
};

/** The words of a notice, in one language. */
function wordsOf({ notice, names, voice }: Told) {
  const { title, body, phase } = notice.content;
  const components = notice.component_ids.map((id) => names.get(id) ?? voice.nameOf(id)).join(', ');
  return {
    title: title || voice.say('own.title', { components }),
    body: body || voice.say(`own.${phase}`),
    components,
  };
}

function linkOf({ system, page }: PageTx, { subject_id, content }: Notice): string {
  return pageAddressOf(system, page, content.phase === 'cancelled' ? '' : `/incidents/${subject_id}`);
}

async function mail(tx: PageTx, told: Told, lane: number): Promise<void> {
  const { notice, subscriber } = told;
  const { components, ...words } = wordsOf(told);
  const unsubscribe = subscriptionLink(tx.system, 'unsubscribe', subscriber);
  await sendMessage(tx, {
    template: 'status_notice',
    to: subscriber.address,
    language: told.voice.language,
    variables: mailVariables({
      content: { ...notice.content, ...words },
      components,
      link: linkOf(tx, notice),
      unsubscribe,
    }),
    unsubscribe,
    lane,
  });
}

/** Retried like any webhook. A subscriber whose receiver is gone, or has failed for days, is quarantined. */
async function post(tx: PageTx, told: Told, name: string): Promise<void> {
  const { notice, subscriber } = told;
  const receiver = receiverOf(subscriber);
  if (!receiver) return;
  const type = `status.${notice.content.kind}`;
  const body = isChat(subscriber.channel)
    ? postedIn(tx, { ...told, kind: subscriber.channel, name })
    : posted(tx, told);
  if (!(await sendTo(tx, receiver, { type, body }))) await suspendReceiver(tx, subscriber);
}

function postedIn(
  tx: PageTx,
  { kind, name, ...told }: Told & { kind: ChatKind; name: string },
): Record<string, unknown> {
  const { notice, subscriber } = told;
  const { components, ...words } = wordsOf(told);
  const message = noticeInChat({
    voice: told.voice,
    name,
    content: { ...notice.content, ...words },
    components,
    link: linkOf(tx, notice),
    unsubscribe: subscriptionLink(tx.system, 'unsubscribe', subscriber),
  });
  return chatBody(kind, message);
}

/** The body of a signed webhook. */
function posted(tx: PageTx, told: Told): Record<string, unknown> {
  const { notice, subscriber } = told;
  return webhookBody({
    id: notice.subject_id,
    environment: tx.page.environment,
    content: { ...notice.content, ...wordsOf(told) },
    componentIds: notice.component_ids,
    link: linkOf(tx, notice),
    unsubscribe: subscriptionLink(tx.system, 'unsubscribe', subscriber),
  });
}
