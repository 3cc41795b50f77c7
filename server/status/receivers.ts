import { sql } from 'kysely';
import type { TxCtx } from '#platform/ctx.ts';
import { deleteReceiver, type Protocol } from '#webhooks';
import { isChat } from './chat.ts';
import { inPage, installationPage, keyOf, type StatusPage } from './pages.ts';
import type { SubscriberRow } from './subscribers.ts';
import { suspendReceiver } from './suspensions.ts';

/** The purposes under which webhooks know the receivers of subscribers. */
const WEBHOOK = 'status';
const CHAT = 'status-chat';

/** How webhooks know the receiver of a subscriber; null for people, who have none. */
export function receiverOf({ channel, id }: Pick<SubscriberRow, 'channel' | 'id'>) {
  if (channel === 'webhook') return { purpose: WEBHOOK, key: id };
  return isChat(channel) ? { purpose: CHAT, key: id } : null;
}

/** Removes the receiver of a subscriber, if it has one. */
export async function removeReceiver(tx: TxCtx, subscriber: Pick<SubscriberRow, 'channel' | 'id'>): Promise<void> {
  const receiver = receiverOf(subscriber);
  if (receiver) await deleteReceiver(tx, receiver);
}

/** The page of a subscriber whose receiver is in the scope: the project's own, or the installation's that it keeps. */
async function pageOfSubscriber({ db, scope }: TxCtx, id: string): Promise<StatusPage | undefined> {
  const { workspaceId, environment } = scope;
  const own = {
    key: keyOf(scope),
    workspaceId,
    environment,
    slug: null,
    domain: null,
    published: false,
    audience: 'public',
  } as const;
  const pages = [installationPage(environment), own];
  const row = await db
    .selectFrom('status_subscribers')
    .select('environment')
    .where(sql<boolean>`id = ${id}`)
    .where((eb) => eb.or(pages.map(inPage)))
    .executeTakeFirst();
  return pages.find(({ key }) => key === row?.environment);
}

/**
 * A receiver that is gone, or has failed for days, gets no more messages. A subscription that was not confirmed is
 * deleted: its address may be wrong, and may be entered again.
 */
async function disabled(outer: TxCtx, key: string): Promise<void> {
  const page = await pageOfSubscriber(outer, key);
  if (!page) return;
  const tx = { ...outer, page };
  const row = await tx.db
    .selectFrom('status_subscribers')
    .select(['id', 'channel', 'state'])
    .where(inPage(tx.page))
    .where(sql<boolean>`id = ${key}`)
    .where('state', 'in', ['active', 'pending'])
    .forUpdate()
    .executeTakeFirst();
  if (row?.state === 'active') await suspendReceiver(tx, row);
  if (row?.state !== 'pending') return;
  await tx.db.deleteFrom('status_subscribers').where(inPage(tx.page)).where('id', '=', row.id).execute();
  await removeReceiver(tx, row);
}

/** What differs for the receivers of subscribers. A chat service documents its body to the letter, and no signature. */
export const statusReceivers: Readonly<Record<string, Protocol>> = {
  [WEBHOOK]: { disabled },
  [CHAT]: {
    compose: async (_system, body) => ({
      headers: { 'content-type': 'application/json', 'user-agent': 'Latchkey-Status/1' },
      body,
    }),
    // A webhook that was deleted; the next attempts would fail as well.
    gone: [404],
    disabled,
  },
};
