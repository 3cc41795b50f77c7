import type { Task } from 'graphile-worker';
import { type Selectable, sql } from 'kysely';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { emit } from '#events';
import { languageFor, type Refused, sendMessage } from '#messages';
import { type TxCtx, transaction } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import { IdSchema } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import type { System } from '#platform/system.ts';
import { sendTo } from '#webhooks';
import { keeperCtx } from './boards.ts';
import { readComponents } from './components.ts';
import { pageAddressOf } from './overall.ts';
import { quarantine, RECEIVER, type SubscriberRow } from './subscribers.ts';
import { subscriptionLink } from './subscriptions.ts';
import { NOTICE_PRIORITY } from './updates.ts';
import { timeOf } from './view.ts';
import { voiceIn } from './words.ts';

const reference = Compile(Type.Object({ environment: Type.Enum(['test', 'production']), noticeId: IdSchema('ntc') }));

/** The number of subscribers in one portion; the next portion waits until these are sent. */
const PORTION = 200;
/** The number of connections for bulk mail; it leaves one for mail that a person waits for. */
const LANES = 3;

type Notice = Selectable<Tables['status_notices']>;

/** Queues one notice for the next portion of its subscribers. Each gets it exactly once, even across failures. */
export function statusNoticeTask(system: System): Task {
  return async (payload) => {
    const { environment, noticeId } = reference.Parse(payload);
    const ctx = await keeperCtx(system, environment, 'status-notice');
    if (!ctx) return;
    await transaction(ctx, async (tx) => {
      const notice = await tx.db
        .selectFrom('status_notices')
        .selectAll()
        .where('environment', '=', environment)
        .where('id', '=', noticeId)
        .where('done_at', 'is', null)
        .forUpdate()
        .executeTakeFirst();
      if (!notice) return;
      const subscribers = await nextPortion(tx, notice);
      await tell(tx, notice, subscribers);
      const last = subscribers.at(-1);
      const more = subscribers.length === PORTION;
      await tx.db
        .updateTable('status_notices')
        .set({ cursor: last?.id ?? notice.cursor, done_at: more ? null : tx.now })
        .where('environment', '=', environment)
        .where('id', '=', noticeId)
        .execute();
      if (more) await addJob(tx, 'status_notice', { environment, noticeId }, { priority: NOTICE_PRIORITY });
    });
  };
}

type Receiver = Pick<SubscriberRow, 'environment' | 'id' | 'channel' | 'address' | 'locale'>;

/** Served by status_subscribers_active. */
function nextPortion(tx: TxCtx, { environment, cursor, component_ids }: Notice): Promise<Receiver[]> {
  return tx.db
    .selectFrom('status_subscribers')
    .select(['environment', 'id', 'channel', 'address', 'locale'])
    .where('environment', '=', environment)
    .where('state', '=', 'active')
    .where(sql<boolean>`id > ${cursor}`)
    .where(
      sql<boolean>`(cardinality(component_ids) = 0 or cardinality(${component_ids}::text[]) = 0 or component_ids && ${component_ids}::text[])`,
    )
    .orderBy('id')
    .limit(PORTION)
    .execute();
}

async function tell(tx: TxCtx, notice: Notice, subscribers: readonly Receiver[]): Promise<void> {
  const rows = await readComponents(tx, notice.environment);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  for (const [index, subscriber] of subscribers.entries()) {
    const told = { notice, subscriber, names };
    // biome-ignore lint/performance/noAwaitInLoops: one after the other, on one connection
    if (subscriber.channel === 'email') await mail(tx, told, index % LANES);
    else await post(tx, told);
  }
}

type Told = { notice: Notice; subscriber: Receiver; names: ReadonlyMap<string, string | null> };

/** The words of a notice, in one language. */
function wordsOf({ notice, subscriber, names }: Told) {
  const voice = voiceIn(languageFor(subscriber.locale, 'en'));
  const { title, body, phase } = notice.content;
  const components = notice.component_ids.map((id) => names.get(id) ?? voice.nameOf(id)).join(', ');
  return {
    title: title || voice.say('own.title', { components }),
    body: body || voice.say(`own.${phase}`),
    components,
  };
}

function linkOf({ system }: TxCtx, { environment, subject_id, content }: Notice): string {
  return pageAddressOf(system, environment, content.phase === 'cancelled' ? '' : `/incidents/${subject_id}`);
}

async function mail(tx: TxCtx, told: Told, lane: number): Promise<void> {
  const { notice, subscriber } = told;
  const { components, ...words } = wordsOf(told);
  const unsubscribe = subscriptionLink(tx.system, 'unsubscribe', subscriber);
  await sendMessage(tx, {
    template: 'status_notice',
    to: subscriber.address,
    locale: subscriber.locale,
    variables: {
      ...words,
      phase: notice.content.phase,
      components: components || 'none',
      time: timeOf(notice.content.at),
      link: linkOf(tx, notice),
      unsubscribe,
    },
    unsubscribe,
    lane,
  });
}

/** Signed and retried like any webhook. A subscriber whose endpoint is gone, or has failed for days, is quarantined. */
async function post(tx: TxCtx, told: Told): Promise<void> {
  const { notice, subscriber } = told;
  const { title, body } = wordsOf(told);
  const { kind, phase, severity, at } = notice.content;
  const type = `status.${kind}`;
  const data = {
    id: notice.subject_id,
    environment: notice.environment,
    title,
    phase,
    severity,
    body,
    componentIds: notice.component_ids,
    url: linkOf(tx, notice),
    unsubscribeUrl: subscriptionLink(tx.system, 'unsubscribe', subscriber),
  };
  if (await sendTo(tx, { purpose: RECEIVER, key: subscriber.id }, { type, body: { type, timestamp: at, data } }))
    return;
  await tx.db
    .updateTable('status_subscribers')
    .set({ state: 'quarantined', updated_at: tx.now })
    .where('environment', '=', subscriber.environment)
    .where('id', '=', subscriber.id)
    .execute();
  const { id, channel } = subscriber;
  await emit(tx, 'status.subscriber.quarantined', { subscriberId: id, channel, reason: 'failing' });
}

/** Quarantines a subscriber whose mail server rejects the address permanently. */
export function quarantineRefused(system: System): Refused {
  return async ({ environment, template, to }) => {
    if (!template.startsWith('status_')) return;
    const ctx = await keeperCtx(system, environment, 'status-bounce');
    if (ctx) await quarantine(ctx, [to], 'bounce');
  };
}
