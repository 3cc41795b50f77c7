import { requireStillAdmitted } from '#admission';
import { addressesOf, ownersOfIdentifiers } from '#identifiers';
import { membershipsByUser } from '#members';
import { type Ctx, type CustomerActor, customerOf } from '#platform/ctx.ts';
import { storedForms } from '#platform/email-address.ts';
import type { SessionId, UserId } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { findEntry } from '#sessions';
import type { PageCtx, PageTx } from './pages.ts';
import type { SubscriberRow } from './subscribers.ts';

/**
 * The member of a session, as the database has it now: null once the session has ended, the member was blocked or removed, or
 * the project asks for more than the session has proven.
 */
export async function memberIn(ctx: Ctx, sessionId: SessionId): Promise<CustomerActor | null> {
  const entry = await findEntry(ctx, sessionId);
  if (!entry) return null;
  try {
    await requireStillAdmitted(ctx, 'account_page', entry);
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  }
  return { kind: 'customer', userId: entry.userId, sessionId, entryId: entry.entryId };
}

/**
 * The member to whom a new subscription belongs; null on a public page. Mails go to the member's own addresses only.
 * @throws Problem VALIDATION_FAILED for an address that the member has not verified
 */
export async function subscribingMember(
  ctx: PageCtx,
  { channel, target }: { channel: SubscriberRow['channel']; target: string },
): Promise<UserId | null> {
  if (ctx.page.audience === 'public') return null;
  const { userId } = customerOf(ctx);
  if (channel !== 'email') return userId;
  const forms = storedForms(target);
  const own = (await addressesOf(ctx, userId)).some(
    ({ kind, value, verifiedAt }) => kind === 'email' && verifiedAt !== null && forms.includes(value),
  );
  if (own) return userId;
  const message = 'is not a verified address of your account';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/email', message }] } });
}

type Told = Pick<SubscriberRow, 'channel' | 'address' | 'user_id'>;

/**
 * The one rule about who is told anything by a page: on one for members, only active members of its project. A mail is for the
 * member who has verified the address, a webhook or channel for the one who subscribed it.
 */
export async function membersAmong<Subscriber extends Told>(
  ctx: PageCtx | PageTx,
  subscribers: readonly Subscriber[],
): Promise<readonly Subscriber[]> {
  if (ctx.page.audience === 'public') return subscribers;
  const mails = subscribers.filter(({ channel }) => channel === 'email');
  const addresses = mails.map(({ address }) => ({ kind: 'email', value: address }) as const);
  const owners = await ownersOfIdentifiers(ctx, addresses, 'verified');
  const memberOf = ({ channel, address, user_id }: Told) =>
    channel === 'email' ? owners.get(`email ${address}`) : (user_id ?? undefined);
  const userIds = new Set(subscribers.map(memberOf).filter((id) => id !== undefined));
  const members = await membershipsByUser(ctx, [...userIds]);
  return subscribers.filter((subscriber) => {
    const userId = memberOf(subscriber);
    return userId !== undefined && members.get(userId)?.status === 'active';
  });
}
