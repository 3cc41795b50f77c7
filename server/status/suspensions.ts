import { type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import type { Arrival, Arrived } from '#messages';
import { systemCtx } from '#platform/ctx.ts';
import { Email, normalisePhone, Phone } from '#platform/identifiers.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { addressDigest, mailboxDigests } from './digests.ts';
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

/** A mailbox or a number. */
type Person = { channel: 'email' | 'sms'; address: string };

function ofPeople(page: PageCtx['page'], people: readonly Person[]) {
  const digests = (channel: Person['channel'], digestsOf: (address: string) => Buffer[]) =>
    people.flatMap((one) => (one.channel === channel ? digestsOf(one.address) : []));
  const mails = digests('email', mailboxDigests);
  const phones = digests('sms', (phone) => [addressDigest('sms', phone)]);
  return sql<boolean>`${inPage(page)} and state in ('active', 'pending') and
    (channel = 'email' and address_digest = any(${mails}::bytea[]) or channel = 'sms' and address_digest = any(${phones}::bytea[]))`;
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
  for (const { id, channel } of rows) {
    // biome-ignore lint/performance/noAwaitInLoops: few, on one connection
    await emit(tx, 'status.subscriber.quarantined', { subscriberId: id, channel, reason });
  }
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
  const people = [
    ...emails.map((address) => ({ channel: 'email' as const, address })),
    ...phones.map((phone) => ({ channel: 'sms' as const, address: normalisePhone(phone) })),
  ];
  return { quarantined: await suspendPeople(ctx, people) };
}

/** Suspends mailboxes and numbers that refused messages for good. */
function suspendPeople(ctx: PageCtx, people: readonly Person[]): Promise<number> {
  return pageTransaction(ctx, (tx) => suspend(tx, ofPeople(tx.page, people), 'bounce'));
}

/**
 * The rule for mails and text messages: one that is refused for good suspends its subscriber, and so does the third in a
 * row that did not arrive, a day or more after the first.
 */
async function heed(ctx: PageCtx, person: Person, arrival: Arrival): Promise<void> {
  if (arrival === 'refused') await suspendPeople(ctx, [person]);
  else if (arrival === 'unreached') await pageTransaction(ctx, (tx) => countUnreached(tx, person));
  else await countReached(ctx, person);
}

async function countUnreached(tx: PageTx, person: Person): Promise<void> {
  const which = ofPeople(tx.page, [person]);
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

/** Most subscribers have nothing to forget, so it looks before it writes. */
async function countReached(ctx: PageCtx, person: Person): Promise<void> {
  const which = sql<boolean>`${ofPeople(ctx.page, [person])} and unreached > 0`;
  const [row] = await ctx.db
    .selectFrom('status_subscribers')
    .select('id')
    .where(inPage(ctx.page))
    .where(which)
    .execute();
  if (!row) return;
  await pageTransaction(ctx, (tx) =>
    tx.db
      .updateTable('status_subscribers')
      .set({ unreached: 0, unreached_since: null })
      .where(inPage(tx.page))
      .where(which)
      .execute(),
  );
}

/** Applies the rule to the messages of status pages. */
export function heedArrivals(system: System): Arrived {
  return async ({ scope, channel, recipient: address }, arrival) => {
    const ctx = systemCtx(system, scope, 'status-arrival', crypto.randomUUID());
    const page = await pageOf(ctx);
    if (page) await heed({ ...ctx, page }, { channel, address }, arrival);
  };
}
