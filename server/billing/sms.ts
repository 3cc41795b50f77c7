import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { Id } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { countryOf } from './numbers.ts';
import { segmentsOf } from './segments.ts';
import { currentSubscription, holdSubscription, type Subscription } from './subscription-store.ts';
import { findPeriod, limitExceeded, reserveSegments } from './usage.ts';

type MessageId = Id<'msg'>;

/** Messages are sent for this long after a payment became overdue, in milliseconds. */
const GRACE_MS = 7 * 86_400_000;

/** True if the subscription permits messages. */
function isOpen(subscription: Subscription, now: Date): boolean {
  if (subscription.status === 'canceled') return false;
  const since = subscription.past_due_since;
  return since === null || now.getTime() < since.getTime() + GRACE_MS;
}

/** The test environment is free and needs no subscription; if it has one, its limits apply. */
function entitled(ctx: Ctx | TxCtx, subscription: Subscription | undefined): Subscription | null {
  if (subscription && isOpen(subscription, ctx.now)) return subscription;
  if (ctx.scope.environment === 'test') return null;
  throw problem('ADDON_REQUIRED', {
    detail:
      subscription && subscription.status !== 'canceled'
        ? 'A payment for the SMS add-on is overdue; text messages are sent again once it is made.'
        : 'Text messages need the SMS add-on; subscribe with POST /v1/admin/billing/addons/sms/subscribe.',
    extensions: { addon: 'sms' },
  });
}

/**
 * Refuses a message early that could not be sent. The result is the same for every number, so it reveals nothing about
 * accounts (AU-6).
 * @returns the subscription; null in a test environment without one
 * @throws Problem ADDON_REQUIRED, PLAN_LIMIT_EXCEEDED
 */
export async function requireSms(ctx: Ctx | TxCtx): Promise<Subscription | null> {
  const subscription = entitled(ctx, await currentSubscription(ctx));
  if (subscription === null) return null;
  const period = await findPeriod(ctx, subscription.period_id);
  if (period.used + period.reserved >= period.terms.hardCap) throw limitExceeded(period);
  return subscription;
}

/** True if text messages can be sent. */
export async function hasSms(ctx: Ctx | TxCtx): Promise<boolean> {
  const subscription = await currentSubscription(ctx);
  return ctx.scope.environment === 'test' || (subscription !== undefined && isOpen(subscription, ctx.now));
}

/** What more segments would cost in the present period. */
type Price = { left: number; cost: number; currency: string };

/** The segments that are left, and the price of some of them; null where messages cost nothing. */
export async function priceOfSegments(ctx: Ctx, segments: number): Promise<Price | null> {
  const subscription = await currentSubscription(ctx);
  if (!subscription || ctx.scope.environment === 'test') return null;
  const { terms, used, reserved } = await findPeriod(ctx, subscription.period_id);
  const taken = used + reserved;
  const left = Math.max(0, terms.hardCap - taken);
  const charged = Math.max(0, Math.min(segments, left) - Math.max(0, terms.included - taken));
  return { left, cost: charged * (terms.overagePrice ?? 0), currency: terms.currency };
}

/**
 * Reserves the segments of a message, in the transaction that queues it. A suppressed message gets the same checks and
 * no reservation.
 * @returns its segments
 */
export async function reserveSms(
  tx: TxCtx,
  message: { id: MessageId; to: string; text: string; suppressed: boolean },
): Promise<number> {
  const { segments } = segmentsOf(message.text);
  const subscription = entitled(tx, await holdSubscription(tx));
  if (subscription !== null)
    await reserveSegments(tx, subscription.period_id, {
      messageId: message.suppressed ? null : message.id,
      segments,
      country: countryOf(message.to),
    });
  return segments;
}
