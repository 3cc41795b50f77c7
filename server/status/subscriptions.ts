import { sql } from 'kysely';
import { emit } from '#events';
import { sendMessage } from '#messages';
import type { Ctx } from '#platform/ctx.ts';
import { normaliseEmail, normalisePhone } from '#platform/identifiers.ts';
import { newId, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System, SystemInTx } from '#platform/system.ts';
import type { Language } from '#settings';
import { checkReceiverAddress, putReceiver, sendTo } from '#webhooks';
import { languagesOf, sendsTexts, voiceFor } from './boards.ts';
import { chatAddress, isChat, maskedAddress } from './chat.ts';
import { chatConfirmation, pageNameOf } from './chat-messages.ts';
import { requireComponents } from './components.ts';
import { addressDigest } from './digests.ts';
import { mayMessage } from './doors.ts';
import { subscribingMember } from './members-only.ts';
import {
  findPage,
  inPage,
  type OfPage,
  ofPage,
  type PageCtx,
  type PageKey,
  type PageTx,
  pageCtx,
  pageOfRow,
  pageTransaction,
  type StatusPage,
  scopeOf,
} from './pages.ts';
import { receiverOf, removeReceiver } from './receivers.ts';
import { hashOfLink, SUBSCRIPTION_SECRET } from './short-links.ts';
import { type Channel, requireRoomFor, type SubscriberRow } from './subscribers.ts';
import { admitNumber, noteConfirmed, textConfirmation, unsupported } from './texts.ts';
import { makeToken, openToken, type SubscriberId } from './tokens.ts';
import type { Voice } from './words.ts';

/** How long the short link of a request works, as the links in mails do. */
const CONFIRM_MS = 24 * 3_600_000;
/** The consent that is stored with a subscription. */
const CONSENT = 'Requested on the status page, and confirmed by a link sent to the address.';

export type Wish = { channel: Channel; address: string; componentIds: readonly string[] };

/**
 * Requests a subscription. The response, and as far as possible its time, does not reveal whether the address is new,
 * subscribed, unsubscribed or bouncing (ST-1, AU-6): only a new or unsubscribed address gets a message, with a link
 * that confirms.
 * @throws Problem VALIDATION_FAILED for an unknown component, an address that is not public or not of the service, or, on a page
 *   for members, one that is not the member's;
 *   CONFLICT if the page takes no more; UNSUPPORTED_CHANNEL, RATE_LIMIT_EXCEEDED for text messages
 */
export async function subscribe(ctx: PageCtx, { channel, address: typed, componentIds }: Wish): Promise<void> {
  if (channel === 'sms' && !(await sendsTexts(ctx))) throw unsupported(false);
  const { target, shown: address } = await addressOf(ctx, channel, typed);
  const userId = await subscribingMember(ctx, { channel, target });
  if (channel === 'sms') await admitNumber(ctx, target);
  const digest = addressDigest(channel, target);
  const allowed = await mayMessage(ctx, digest);
  await pageTransaction(ctx, async (tx) => {
    await requireComponents(tx, componentIds);
    await requireRoomFor(tx, 1);
    await emit(tx, 'status.subscription.requested', { channel });
    const voice = voiceFor({ locale: tx.trace.languages }, await languagesOf(tx));
    const locale = tx.trace.languages === null ? null : voice.language;
    const row = await putPending(tx, { channel, address, componentIds, userId, locale }, digest);
    const told = row.state === 'pending' && allowed;
    const message = { to: address, language: voice.language, suppressed: !told };
    if (channel === 'email') await mailConfirmation(tx, row, message);
    else if (channel === 'sms') await textConfirmation(tx, row, message);
    else if (told) await postConfirmation(tx, row, { url: target, voice });
  });
}

/** An address as it is called and counted (`target`), and as it is stored with the subscription and shown. */
async function addressOf(ctx: Ctx, channel: Channel, typed: string): Promise<{ target: string; shown: string }> {
  if (channel === 'email') {
    const address = normaliseEmail(typed);
    return { target: address, shown: address };
  }
  if (channel === 'sms') {
    const phone = normalisePhone(typed);
    return { target: phone, shown: phone };
  }
  const target = isChat(channel) ? chatAddress(ctx.system, channel, typed) : typed;
  await checkReceiverAddress(ctx, target);
  return { target, shown: isChat(channel) ? maskedAddress(target) : target };
}

/** States that a new request leaves as they are. A mailbox or number that refused is left alone; other receivers may be tried again. */
function settledStates(channel: Channel): readonly string[] {
  return channel === 'email' || channel === 'sms' ? ['active', 'quarantined'] : ['active'];
}

/** Upserts the row of an address: inserts it, or makes an ended one pending again. Other rows do not change. */
async function putPending(
  tx: PageTx,
  { channel, address, componentIds, userId, locale }: Wish & { userId: UserId | null; locale: Language | null },
  digest: Buffer,
): Promise<SubscriberRow> {
  const settled = sql<boolean>`status_subscribers.state = any(${[...settledStates(channel)]}::text[])`;
  return tx.db
    .insertInto('status_subscribers')
    .values({
      ...ofPage(tx.page),
      id: newId('sub', tx.now),
      channel,
      address,
      address_digest: digest,
      state: 'pending',
      component_ids: [...componentIds],
      user_id: userId,
      locale,
      source: 'self',
      consent: CONSENT,
      secret_sealed: null,
      link_hash: null,
      confirmed_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['environment', 'channel', 'address_digest']).doUpdateSet({
        state: sql`case when ${settled} then status_subscribers.state else 'pending' end`,
        address: sql`case when ${settled} then status_subscribers.address else excluded.address end`,
        component_ids: sql`case when ${settled} then status_subscribers.component_ids else excluded.component_ids end`,
        locale: sql`case when ${settled} then status_subscribers.locale else excluded.locale end`,
        // The member who subscribes it last; the row may come from the time when the page was public.
        user_id: sql`coalesce(excluded.user_id, status_subscribers.user_id)`,
        unreached: sql`case when ${settled} then status_subscribers.unreached else 0 end`,
        updated_at: sql`case when ${settled} then status_subscribers.updated_at else excluded.updated_at end`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The address where a person confirms or ends their own subscription: the same for all pages, because its token names the page. */
export function subscriptionLink(
  system: SystemInTx,
  page: 'confirm' | 'unsubscribe',
  subscriber: { environment: PageKey; id: SubscriberId },
): string {
  return `${system.config.addresses.status}/status/${page}?token=${makeToken(system, page, subscriber)}`;
}

async function mailConfirmation(
  tx: PageTx,
  row: SubscriberRow,
  { to, language, suppressed }: { to: string; language: Language; suppressed: boolean },
): Promise<void> {
  await sendMessage(tx, {
    template: 'status_confirm',
    to,
    variables: { link: subscriptionLink(tx.system, 'confirm', row) },
    language,
    unsubscribe: subscriptionLink(tx.system, 'unsubscribe', row),
    suppressed,
  });
}

async function postConfirmation(
  tx: PageTx,
  row: SubscriberRow,
  { url, voice }: { url: string; voice: Voice },
): Promise<void> {
  const receiver = receiverOf(row);
  if (!receiver) return;
  const secret = await putReceiver(tx, receiver, url);
  const type = 'status.subscription.confirm';
  const link = subscriptionLink(tx.system, 'confirm', row);
  const unsubscribe = subscriptionLink(tx.system, 'unsubscribe', row);
  const at = tx.now.toISOString();
  const { channel } = row;
  if (isChat(channel)) {
    const message = { voice, name: await pageNameOf(tx), at, link, unsubscribe };
    await sendTo(tx, receiver, { type, body: chatConfirmation(channel, message) });
    return;
  }
  if (secret !== null)
    await change(tx, row.id, { secret_sealed: tx.system.keyring.seal(secret, SUBSCRIPTION_SECRET, row.id) });
  const data = { confirmUrl: link, unsubscribeUrl: unsubscribe };
  await sendTo(tx, receiver, { type, body: { type, timestamp: at, data } });
}

export type Subscription = { page: StatusPage; row: SubscriberRow };

/**
 * The subscription of a link, and its page.
 * @throws Problem INVALID_TOKEN, also for one that has ended
 */
export async function readSubscription(
  system: System,
  link: 'confirm' | 'unsubscribe' | 'manage',
  token: string,
): Promise<Subscription> {
  const { key, id } = openToken(system, link, token);
  const page = await findPage(system, key);
  // A closed project is not served, and nothing is sent for its page.
  if (!page || (page.slug !== null && !(await scopeOf(system, page)))) throw problem('INVALID_TOKEN');
  const row = await system.db
    .selectFrom('status_subscribers')
    .selectAll()
    .where(inPage(page))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || (row.state === 'unsubscribed' && link !== 'unsubscribe')) throw problem('INVALID_TOKEN');
  return { page, row };
}

/**
 * The subscription of a short link, and its page. `expired`: it was not confirmed in time. Served by status_subscribers_link.
 * @throws Problem INVALID_TOKEN
 */
export async function findByLink(system: System, end: string): Promise<Subscription & { expired: boolean }> {
  const row = await system.db
    .selectFrom('status_subscribers')
    .selectAll()
    .where(sql<boolean>`link_hash = ${hashOfLink(end)} /* all workspaces */`)
    .executeTakeFirst();
  const page = row && (await findPage(system, row.environment));
  if (!row || !page || (page.slug !== null && !(await scopeOf(system, page)))) throw problem('INVALID_TOKEN');
  const age = system.clock.now().getTime() - row.updated_at.getTime();
  return { page, row, expired: row.state === 'pending' && age > CONFIRM_MS };
}

/**
 * Confirms a subscription. Idempotent.
 * @returns the secret of a webhook, only the first time
 * @throws Problem INVALID_TOKEN
 */
export async function confirmSubscription(ctx: PageCtx, id: SubscriberId): Promise<string | null> {
  return pageTransaction(ctx, async (tx) => {
    const before = await lockSubscriber(tx, id);
    if (before.state === 'active') return null;
    if (before.state !== 'pending') throw problem('INVALID_TOKEN');
    const isPhone = before.channel === 'sms';
    await change(tx, id, { state: 'active', confirmed_at: tx.now, ...(!isPhone && { secret_sealed: null }) });
    if (isPhone) await noteConfirmed(tx, before.address);
    await emit(tx, 'status.subscriber.confirmed', { subscriberId: id, channel: before.channel });
    if (isPhone) return null;
    return before.secret_sealed && tx.system.keyring.open(before.secret_sealed, SUBSCRIPTION_SECRET, id);
  });
}

async function lockSubscriber(tx: PageTx, id: SubscriberId): Promise<SubscriberRow> {
  const row = await tx.db
    .selectFrom('status_subscribers')
    .selectAll()
    .where(inPage(tx.page))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw problem('INVALID_TOKEN');
  return row;
}

async function change(tx: PageTx, id: SubscriberId, changes: Partial<SubscriberRow>): Promise<void> {
  await tx.db
    .updateTable('status_subscribers')
    .set({ ...changes, updated_at: tx.now })
    .where(inPage(tx.page))
    .where('id', '=', id)
    .execute();
}

/**
 * Ends a subscription. Idempotent. Deletes the address and keeps its digest.
 * @throws Problem INVALID_TOKEN
 */
export async function unsubscribe(ctx: PageCtx, id: SubscriberId): Promise<void> {
  await pageTransaction(ctx, async (tx) => {
    const { state, channel } = await lockSubscriber(tx, id);
    if (state === 'unsubscribed') return;
    await change(tx, id, {
      state: 'unsubscribed',
      address: '',
      component_ids: [],
      locale: null,
      secret_sealed: null,
      user_id: null,
    });
    await removeReceiver(tx, { id, channel });
    await emit(tx, 'status.subscriber.unsubscribed', { subscriberId: id, channel });
  });
}

/**
 * Changes the components of a subscription.
 * @throws Problem INVALID_TOKEN, VALIDATION_FAILED
 */
export async function chooseComponents(ctx: PageCtx, id: SubscriberId, componentIds: readonly string[]): Promise<void> {
  await pageTransaction(ctx, async (tx) => {
    const { state, channel } = await lockSubscriber(tx, id);
    // It was ended meanwhile, and nothing is kept of it.
    if (state === 'unsubscribed') throw problem('INVALID_TOKEN');
    await requireComponents(tx, componentIds);
    await change(tx, id, { component_ids: [...componentIds] });
    await emit(tx, 'status.subscriber.updated', { subscriberId: id, channel });
  });
}

/** Deletes expired codes, and subscriptions that were not confirmed within a week. */
export async function removeUnconfirmed(system: System): Promise<void> {
  const now = system.clock.now();
  await sql`delete from status_codes where expires_at < ${now} /* all workspaces */`.execute(
    singleWrite(system, 'clean-up'),
  );
  for (const page of await pagesWithOldRequests(system, now)) {
    // biome-ignore lint/performance/noAwaitInLoops: few
    const ctx = await pageCtx(system, page, 'status-forget');
    if (ctx) await pageTransaction(ctx, removePending);
  }
}

/** The pages that have subscriptions to remove. */
async function pagesWithOldRequests({ db }: System, now: Date): Promise<StatusPage[]> {
  const { rows } = await sql<OfPage>`
    select distinct workspace_id, environment from status_subscribers
    where state = 'pending' and updated_at < ${now}::timestamptz - interval '7 days' /* all workspaces */`.execute(db);
  return rows.map((row) =>
    pageOfRow({ ...row, slug: null, published: false, audience: 'public', shown_to_members: false }),
  );
}

async function removePending(tx: PageTx): Promise<void> {
  const gone = await tx.db
    .deleteFrom('status_subscribers')
    .where(inPage(tx.page))
    .where('state', '=', 'pending')
    .where(sql<boolean>`updated_at < ${tx.now}::timestamptz - interval '7 days'`)
    .returning(['id', 'channel'])
    .execute();
  for (const subscriber of gone) {
    // biome-ignore lint/performance/noAwaitInLoops: few, on one connection
    await removeReceiver(tx, subscriber);
  }
}
