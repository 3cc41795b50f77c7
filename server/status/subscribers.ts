import { type Generated, type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { reachOfSms } from '#billing';
import { emit } from '#events';
import { chatKinds } from '#platform/config-chat.ts';
import type { TxCtx } from '#platform/ctx.ts';
import { Email, normaliseEmail, normalisePhone, Phone } from '#platform/identifiers.ts';
import { IdSchema, newId, type UserId } from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { languages } from '#settings';
import { sendsTexts } from './boards.ts';
import { ComponentIds, requireComponents } from './components.ts';
import { addressDigest } from './digests.ts';
import { membersAmong } from './members-only.ts';
import { inPage, type OfPage, ofPage, type PageCtx, type PageTx, pageTransaction, partsOf } from './pages.ts';
import { removeReceiver } from './receivers.ts';
import { newShortLink } from './short-links.ts';
import type { SubscriberId } from './tokens.ts';

/** The channels of a subscription. */
export const channels = ['email', 'sms', 'webhook', ...chatKinds] as const;
export type Channel = (typeof channels)[number];

/** The channels that a page offers. @param texts whether it sends text messages */
export function channelsOf(texts: boolean): Channel[] {
  return channels.filter((channel) => texts || channel !== 'sms');
}

/**
 * Why a subscriber is suspended. `bounce`: its server or carrier refuses messages for good. `unreached`: messages did not
 * arrive several times in a row. `failing`: its receiver is gone or has failed for days.
 */
const suspensionReasons = ['bounce', 'unreached', 'failing'] as const;
export type SuspensionReason = (typeof suspensionReasons)[number];

type State = 'pending' | 'active' | 'quarantined' | 'unsubscribed';
type StatusSubscribersTable = OfPage & {
  id: SubscriberId;
  channel: Channel;
  address: string;
  address_digest: Buffer;
  /** The member who subscribed on a page for members; null for others. */
  user_id: UserId | null;
  state: State;
  component_ids: string[];
  locale: string | null;
  source: 'self' | 'import';
  consent: string;
  /** Of a webhook until it is confirmed, what signs its messages; of a phone, the end of its short link. */
  secret_sealed: string | null;
  /** Finds the subscription of a short link. */
  link_hash: Generated<Buffer | null>;
  /** The messages in a row that did not arrive, and the time of the first. */
  unreached: Generated<number>;
  unreached_since: Generated<Date | null>;
  suspended_reason: Generated<SuspensionReason | null>;
  suspended_at: Generated<Date | null>;
  confirmed_at: Date | null;
  created_at: Date;
  updated_at: Date;
};
export type SubscriberRow = Selectable<StatusSubscribersTable>;

declare module '#platform/db.ts' {
  interface Tables {
    status_subscribers: StatusSubscribersTable;
  }
}

const ChannelField = Type.Enum([...channels]);
const StateField = Type.Enum(['pending', 'active', 'quarantined', 'unsubscribed']);

export const Subscriber = Type.Object({
  id: Type.String(),
  channel: ChannelField,
  address: Type.String({
    description:
      'Empty once the subscription has ended. Of a chat service only the host and the last four characters, because the whole address lets everybody post to the channel.',
  }),
  state: StateField,
  componentIds: Type.Array(Type.String(), { description: 'The components of the subscription; empty means all.' }),
  locale: Type.Union([Type.String(), Type.Null()]),
  source: Type.Enum(['self', 'import']),
  consent: Type.String(),
  suspendedReason: nullable(
    Type.Enum([...suspensionReasons], {
      description:
        'Why it is `quarantined`. `bounce`: refused for good; `unreached`: three messages in a row did not arrive, over a day or more; `failing`: the receiver is gone or has failed for days. Null for those suspended before this was stored.',
    }),
  ),
  suspendedAt: nullable(Instant),
  confirmedAt: nullable(Instant),
  createdAt: Instant,
});
type Subscriber = Static<typeof Subscriber>;

export const SubscriberQuery = Type.Interface([PageQuery], {
  channel: Type.Optional(ChannelField),
  state: Type.Optional(StateField),
});
/** A longer count would keep a person waiting. */
const MAX_COUNT = 100_000;

export const CountQuery = Type.Object({
  componentIds: Type.Optional(
    Type.String({
      maxLength: 4_000,
      pattern: '^[a-z0-9_]*(,[a-z0-9_]+)*$',
      description:
        'The components of the incident or maintenance, separated by commas; none means that it concerns everyone.',
    }),
  ),
});
export const SubscriberCount = Type.Object({
  count: Type.Integer(),
  atLeast: Type.Boolean({ description: `True if there are more than ${MAX_COUNT}, which \`count\` then says.` }),
});

export const SubscriberRef = Type.Object({ id: IdSchema('sub') });
export const SubscriberImport = Type.Object(
  {
    consent: Type.String({
      minLength: 10,
      maxLength: 1_000,
      description: 'Where and how these people consented; stored with each of them.',
    }),
    subscribers: Type.Array(
      Type.Object(
        {
          email: Type.Optional(Email),
          phone: Type.Optional(Phone),
          componentIds: Type.Optional(ComponentIds),
          locale: Type.Optional(Type.Enum([...languages])),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 5_000 },
    ),
  },
  { additionalProperties: false },
);
export const Imported = Type.Object({ added: Type.Integer(), skipped: Type.Integer() });
function recordOf(row: SubscriberRow): Subscriber {
  const { id, channel, address, state, component_ids, locale, source, consent, confirmed_at, created_at } = row;
  const suspended = state === 'quarantined';
  return {
    id,
    channel,
    address,
    state,
    componentIds: component_ids,
    locale,
    source,
    consent,
    suspendedReason: (suspended && row.suspended_reason) || null,
    suspendedAt: (suspended && row.suspended_at?.toISOString()) || null,
    confirmedAt: confirmed_at?.toISOString() ?? null,
    createdAt: created_at.toISOString(),
  };
}

/** Subscribers, newest first. Served by the primary key. */
export async function listSubscribers(
  ctx: PageCtx,
  { limit, cursor, channel, state }: Static<typeof SubscriberQuery>,
): Promise<Page<Subscriber>> {
  const list = `status-subscribers ${channel ?? ''} ${state ?? ''}`;
  let query = ctx.db.selectFrom('status_subscribers').selectAll().where(inPage(ctx.page));
  if (channel !== undefined) query = query.where('channel', '=', channel);
  if (state !== undefined) query = query.where('state', '=', state);
  const page = await newestFirst(ctx, query, { list, limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** The active subscribers who are told about an incident or a maintenance of these components. @param texts as of {@link channelsOf} */
export function isTold(componentIds: readonly string[], texts = true) {
  return sql<boolean>`state = 'active' and (${texts} or channel <> 'sms') and (cardinality(component_ids) = 0 or cardinality(${componentIds}::text[]) = 0
    or component_ids && ${componentIds}::text[])`;
}

/** The subscribers of a page for members who would be told. A page of a project has at most 20,000. */
export async function membersTold(ctx: PageCtx, componentIds: readonly string[], texts: boolean) {
  const rows = await ctx.db
    .selectFrom('status_subscribers')
    .select(['channel', 'address', 'user_id'])
    .where(inPage(ctx.page))
    .where(isTold(componentIds, texts))
    .execute();
  return membersAmong(ctx, rows);
}

/** Counts who would be told: nobody by an unpublished page. Served by status_subscribers_active. */
export async function countTold(
  ctx: PageCtx,
  { componentIds = '' }: Static<typeof CountQuery>,
): Promise<Static<typeof SubscriberCount>> {
  if (!ctx.page.published) return { count: 0, atLeast: false };
  const components = componentIds.split(',').filter((id) => id !== '');
  const texts = await sendsTexts(ctx);
  if (ctx.page.audience === 'members')
    return { count: (await membersTold(ctx, components, texts)).length, atLeast: false };
  const { count } = await ctx.db
    .selectFrom(
      ctx.db
        .selectFrom('status_subscribers')
        .select('id')
        .where(inPage(ctx.page))
        .where(isTold(components, texts))
        .limit(MAX_COUNT + 1)
        .as('told'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { count: Math.min(count, MAX_COUNT), atLeast: count > MAX_COUNT };
}

/** @throws Problem NOT_FOUND */
export async function getSubscriber(ctx: PageCtx, id: SubscriberId): Promise<Subscriber> {
  const row = await ctx.db
    .selectFrom('status_subscribers')
    .selectAll()
    .where(inPage(ctx.page))
    .where('id', '=', id)
    .executeTakeFirst();
  return recordOf(found(row));
}

/**
 * Deletes a subscriber with its digest: the address can subscribe again as if for the first time.
 * @throws Problem NOT_FOUND
 */
export async function deleteSubscriber(ctx: PageCtx, id: SubscriberId): Promise<void> {
  await pageTransaction(ctx, async (tx) => {
    const row = await tx.db
      .deleteFrom('status_subscribers')
      .where(inPage(tx.page))
      .where('id', '=', id)
      .returning('channel')
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    await removeReceiver(tx, { id, channel: row.channel });
    await emit(tx, 'status.subscriber.unsubscribed', { subscriberId: id, channel: row.channel });
  });
}

/** The number of subscribers of a project's page. That of the installation has no limit. */
const MAX_SUBSCRIBERS = 20_000;

/**
 * Refuses more subscribers than a project's page may have, known or not. Locks the board, so that additions at once wait for
 * each other and the limit holds.
 * @throws Problem CONFLICT
 */
export async function requireRoomFor({ db, page }: PageTx, more: number): Promise<void> {
  if (page.slug === null) return;
  await db.selectFrom('status_boards').select('environment').where(inPage(page)).forUpdate().execute();
  const { count } = await db
    .selectFrom('status_subscribers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(inPage(page))
    .where('state', '<>', 'unsubscribed')
    .executeTakeFirstOrThrow();
  if (Number(count) + more > MAX_SUBSCRIBERS)
    throw problem('CONFLICT', `The status page of a project has at most ${MAX_SUBSCRIBERS} subscribers.`);
}

/**
 * Adds people who consented elsewhere. They are notified at once, without confirmation. An address that is already
 * subscribed, or has unsubscribed, does not change; a number that gets no messages is skipped, too.
 * @throws Problem VALIDATION_FAILED for an unknown component, or an entry without exactly one address; CONFLICT beyond the
 *   limit of the page, or for numbers where the page sends no text messages
 */
export async function importSubscribers(
  ctx: PageCtx,
  { consent, subscribers }: Static<typeof SubscriberImport>,
): Promise<Static<typeof Imported>> {
  requireOneAddressEach(subscribers);
  const { workspace_id: workspaceId, environment } = ofPage(ctx.page);
  return pageTransaction(ctx, async (tx) => {
    await requireComponents(tx, [...new Set(subscribers.flatMap(({ componentIds = [] }) => componentIds))]);
    await requireRoomFor(tx, subscribers.length);
    const rows = await rowsOfImport(tx, subscribers);
    const { rows: added } = await sql`
      insert into status_subscribers (workspace_id, environment, id, channel, address, address_digest, state, component_ids, locale,
        source, consent, secret_sealed, link_hash, confirmed_at, created_at, updated_at)
      select ${workspaceId}, ${environment}, id, channel, address, decode(digest, 'hex'), 'active',
        array(select jsonb_array_elements_text(component_ids)), locale, 'import', ${consent}, sealed, decode(link, 'hex'),
        ${tx.now}::timestamptz, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given (id text, channel text, address text, digest text, component_ids jsonb, locale text, sealed text, link text)
      on conflict (environment, channel, address_digest) do nothing
      returning id`.execute(tx.db);
    const result = { added: added.length, skipped: subscribers.length - added.length };
    await emit(tx, 'status.subscribers.imported', result);
    return result;
  });
}

type Given = Static<typeof SubscriberImport>['subscribers'][number];

function requireOneAddressEach(subscribers: readonly Given[]): void {
  const wrong = subscribers.findIndex(({ email, phone }) => (email === undefined) === (phone === undefined));
  if (wrong < 0) return;
  const message = 'has an `email` or a `phone`, and not both';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: `/body/subscribers/${wrong}`, message }] } });
}

/** The new rows. Numbers that get no text messages are left out. */
async function rowsOfImport(tx: PageTx, subscribers: readonly Given[]) {
  const phones = subscribers.some(({ phone }) => phone !== undefined);
  const reach = phones && (await sendsTexts(tx)) ? await reachOfSms(tx) : null;
  if (phones && !reach)
    throw problem(
      'CONFLICT',
      'The page sends no text messages: see `textMessages` in its settings, and the SMS add-on.',
    );
  return subscribers.flatMap(({ email, phone, componentIds = [], locale = null }) => {
    const channel = phone === undefined ? ('email' as const) : ('sms' as const);
    const address = phone === undefined ? normaliseEmail(email ?? '') : normalisePhone(phone);
    if (channel === 'sms' && !reach?.admits(address)) return [];
    const id = newId('sub', tx.now);
    const { sealed = null, hash = null } = channel === 'sms' ? newShortLink(tx.system, id) : {};
    return [
      {
        id,
        channel,
        address,
        digest: addressDigest(channel, address).toString('hex'),
        component_ids: componentIds,
        locale,
        sealed,
        link: hash?.toString('hex') ?? null,
      },
    ];
  });
}

/** Removes what a person subscribed as a member, when their account is erased. Served by status_subscribers_of_member. */
export async function removeSubscriptionsOf(outer: TxCtx, userId: UserId): Promise<void> {
  const rows = await outer.db
    .deleteFrom('status_subscribers')
    .where('workspace_id', '=', outer.scope.workspaceId)
    .where('user_id', '=', userId)
    .returning(['environment', 'id', 'channel'])
    .execute();
  for (const { environment: key, id, channel } of rows) {
    const tx = { ...outer, scope: { ...outer.scope, ...partsOf(key) } };
    // biome-ignore lint/performance/noAwaitInLoops: few, on one connection
    await removeReceiver(tx, { id, channel });
    await emit(tx, 'status.subscriber.unsubscribed', { subscriberId: id, channel });
  }
}
