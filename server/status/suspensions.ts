import { type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emitAll } from '#events';
import type { Arrival, Arrived } from '#messages';
import { systemCtx } from '#platform/ctx.ts';
import { Email, normalisePhone, Phone } from '#platform/identifiers.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { storedDigests } from './digests.ts';
import { inPage, type PageCtx, type PageTx, pageOf, pageTransaction } from './pages.ts';
import type { SubscriberRow, SuspensionReason } from './subscribers.ts';

export const Bounces = Type.Object(
  {
    emails: Type.Optional(Type.Array(Email, { minItems: 1, maxItems: 1_000 })),
    phones: Type.Optional(Type.Array(Phone, { minItems: 1, maxItems: 1_000 })),
  },
  { additionalProperties: false },
);
export const Quarantined = Type.Object({ quarantined: Type.Integer() });

/** The number of messages in a row that did not arrive after which a subscriber is suspended. */
const MAX_UNREACHED = 3;
/** The time over which they must be spread, because a phone may be off and a mailbox full for a while. */
const OVER_MS = 86_400_000;

/** Mailboxes, or phone numbers. */
type People = { channel: 'email' | 'sms'; addresses: readonly string[] };

/** Their subscriptions that get messages. Served by status_subscribers_address. */
function subscriptionsOf({ channel, addresses }: People) {
  const digests = addresses.flatMap((address) => storedDigests(channel, address));
  return sql<boolean>`channel = ${channel} and address_digest = any(${digests}::bytea[]) and state in ('active', 'pending')`;
}

/**
 * Suspends subscribers, whatever their channel: they get no more messages.
 * @returns their number
 */
async function suspend(tx: PageTx, which: RawBuilder<boolean>, reason: SuspensionReason): Promise<number> {
  const rows = await tx.db
    .updateTable('status_subscribers')
    .set({ state: 'quarantined', suspended_reason: reason, suspended_at: tx.now, updated_at: tx.now })
    .where(inPage(tx.page))
    .where(which)
    .returning(['id', 'channel'])
    .execute();
  await emitAll(
    tx,
    rows.map(({ id, channel }) => ({
      type: 'status.subscriber.quarantined',
      data: { subscriberId: id, channel, reason },
    })),
  );
  return rows.length;
}

/** Suspends the receiver of a subscriber, which takes no messages. */
export async function suspendReceiver(tx: PageTx, { id }: Pick<SubscriberRow, 'id'>): Promise<void> {
  await suspend(tx, sql<boolean>`id = ${id}`, 'failing');
}

/**
 * Suspends the addresses whose messages bounced after the provider had accepted them.
 * @throws Problem VALIDATION_FAILED without an address
 */
export async function reportBounces(
  ctx: PageCtx,
  { emails = [], phones = [] }: Static<typeof Bounces>,
): Promise<Static<typeof Quarantined>> {
  if (emails.length + phones.length === 0) {
    const errors = [{ pointer: '/body/emails', message: 'or `phones` is required' }];
    throw problem('VALIDATION_FAILED', { extensions: { errors } });
  }
  const numbers = phones.map(normalisePhone);
  const quarantined = await pageTransaction(
    ctx,
    async (tx) =>
      (await suspend(tx, subscriptionsOf({ channel: 'email', addresses: emails }), 'bounce')) +
      (await suspend(tx, subscriptionsOf({ channel: 'sms', addresses: numbers }), 'bounce')),
  );
  return { quarantined };
}

/**
 * The rule, for mails and text messages: a message that is refused for good suspends its subscriber. So do three in a row
 * that did not arrive, the last of them a day or more after the first.
 */
async function heed(ctx: PageCtx, which: RawBuilder<boolean>, arrival: Arrival): Promise<void> {
  if (arrival === 'refused') await pageTransaction(ctx, (tx) => suspend(tx, which, 'bounce'));
  else if (arrival === 'unreached') await pageTransaction(ctx, (tx) => countUnreached(tx, which));
  else await countReached(ctx, which);
}

async function countUnreached(tx: PageTx, which: RawBuilder<boolean>): Promise<void> {
  const rows = await tx.db
    .updateTable('status_subscribers')
    .set({
      unreached: sql`unreached + 1`,
      unreached_since: sql`case when unreached = 0 then ${tx.now}::timestamptz else unreached_since end`,
    })
    .where(inPage(tx.page))
    .where(which)
    .returning(['unreached', 'unreached_since'])
    .execute();
  const over = ({ unreached, unreached_since: since }: Pick<SubscriberRow, 'unreached' | 'unreached_since'>) =>
    unreached >= MAX_UNREACHED && since !== null && tx.now.getTime() - since.getTime() >= OVER_MS;
  if (rows.some(over)) await suspend(tx, which, 'unreached');
}

/** Nearly all messages arrive and have nothing to reset, so it looks before it writes. */
async function countReached(ctx: PageCtx, which: RawBuilder<boolean>): Promise<void> {
  const counted = sql<boolean>`${which} and unreached > 0`;
  const row = await ctx.db
    .selectFrom('status_subscribers')
    .select('id')
    .where(inPage(ctx.page))
    .where(counted)
    .executeTakeFirst();
  if (!row) return;
  await pageTransaction(ctx, (tx) =>
    tx.db
      .updateTable('status_subscribers')
      .set({ unreached: 0, unreached_since: null })
      .where(inPage(tx.page))
      .where(counted)
      .execute(),
  );
}

/** Applies the rule to the messages of status pages. */
export function heedArrivals(system: System): Arrived {
  return async ({ scope, channel, recipient }, arrival) => {
    const ctx = systemCtx(system, scope, 'status-arrival', crypto.randomUUID());
    const page = await pageOf(ctx);
    if (page) await heed({ ...ctx, page }, subscriptionsOf({ channel, addresses: [recipient] }), arrival);
  };
}
