import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { ownOriginsOf } from '#applications';
import type { ConnectionId } from '#connections';
import { authAddressOf } from '#domains';
import { projectOf } from '#environments';
import { emit } from '#events';
import { addressesOf } from '#identifiers';
import { revokeInvitationsOf } from '#invitations';
import { RoleKey } from '#members';
import { sendMessage } from '#messages';
import { organizationRates, requireOrganizationRoom } from '#organization-limits';
import { getOrganization, lockOrganization, lockOrganizationRoles, OrganizationRef } from '#organizations';
import {
  type Ctx,
  type Environment,
  type ResponsibleActor,
  responsibleFor,
  type TxCtx,
  transaction,
} from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { mailboxOf } from '#platform/email-address.ts';
import { Email, normaliseEmail } from '#platform/identifiers.ts';
import {
  IdSchema,
  newId,
  type OrganizationId,
  type ProjectId,
  type SetupLinkId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { limitKey } from '#platform/limits.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem, problemWithRetry } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import { Language } from '#settings';
import { actsThatGive, asMakerOf, requireTasks, Task } from './tasks.ts';

type SetupLinksTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  id: SetupLinkId;
  token_hash: Buffer;
  tasks: Task[];
  roles: string[];
  email: string | null;
  locale: Language | null;
  return_url: string | null;
  frame_origin: string | null;
  maker: Json<ResponsibleActor>;
  next_connection_id: ConnectionId;
  created_at: Date;
  expires_at: Date;
  opened_at: Date | null;
  completed_at: Date | null;
  revoked_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    setup_links: SetupLinksTable;
  }
}

export type SetupLinkRow = Selectable<SetupLinksTable>;

const HOUR = 3_600;
const DAY = 86_400;

const fields = {
  tasks: Type.Array(Task, {
    minItems: 1,
    uniqueItems: true,
    description: 'What can be set up with the link: only what its maker may do themselves, at each use.',
  }),
  roles: Type.Array(RoleKey, {
    maxItems: 200,
    uniqueItems: true,
    description:
      'With the task `team` or `directory`: the roles in the organization that invitations and groups of the directory may give.',
  }),
  locale: nullable({ ...Language, description: 'The language of the mail and the pages; null: that of the browser.' }),
  returnUrl: nullable(
    Type.String({
      format: 'uri',
      maxLength: 2_000,
      pattern: '^https?://',
      description: 'Where the last page leads, at an origin of one of your own applications.',
    }),
  ),
  frameOrigin: nullable(
    Type.String({
      maxLength: 300,
      pattern: '^https?://[^/?#]+$',
      description: 'The origin of one of your own applications that may show the pages in a frame; null: none.',
    }),
  ),
};
const { locale, returnUrl, frameOrigin } = Type.Partial(Type.Object(fields)).properties;

export const NewSetupLink = Type.Object(
  {
    tasks: fields.tasks,
    roles: Type.Optional(fields.roles),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: HOUR, maximum: 30 * DAY, default: 7 * DAY, description: 'Seconds.' }),
    ),
    email: Type.Optional(Type.Unsafe<string>({ ...Email, description: 'Receives the link.' })),
    locale,
    returnUrl,
    frameOrigin,
  },
  { additionalProperties: false },
);
type NewSetupLink = Static<typeof NewSetupLink>;

export const SetupLinkRef = Type.Object({ ...OrganizationRef.properties, setupLinkId: IdSchema('slk') });
type SetupLinkRef = Static<typeof SetupLinkRef>;

/** A set-up link, without its secret. */
export const SetupLink = Type.Object(
  {
    id: IdSchema('slk'),
    organizationId: IdSchema('org'),
    ...fields,
    email: nullable(Type.String()),
    status: Type.Enum(['active', 'expired', 'revoked']),
    madeBy: Type.Union([Type.String(), Type.Null()], { description: 'A user or application; null: the system.' }),
    createdAt: Instant,
    expiresAt: Instant,
    openedAt: nullable(Type.Unsafe<string>({ ...Instant, description: 'When it was first opened.' })),
    completedAt: nullable(
      Type.Unsafe<string>({ ...Instant, description: 'When the person first said that they are done.' }),
    ),
  },
  { title: 'SetupLink' },
);
type SetupLink = Static<typeof SetupLink>;

/** The record with the link itself, which is shown only once. */
export const MadeSetupLink = Type.Object({
  ...SetupLink.properties,
  url: Type.String({ description: 'Shown once. Give it only to the person who sets the organization up.' }),
});

function recordOf({ now }: Pick<TxCtx, 'now'>, row: SetupLinkRow): SetupLink {
  return {
    id: row.id,
    organizationId: row.organization_id,
    tasks: row.tasks,
    roles: row.roles,
    locale: row.locale,
    returnUrl: row.return_url,
    frameOrigin: row.frame_origin,
    email: row.email,
    status: row.revoked_at ? 'revoked' : row.expires_at <= now ? 'expired' : 'active',
    madeBy: makerId(row.maker),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    openedAt: row.opened_at?.toISOString() ?? null,
    completedAt: row.completed_at?.toISOString() ?? null,
  };
}

function makerId(maker: ResponsibleActor): string | null {
  if (maker.kind === 'customer' || maker.kind === 'operator') return maker.userId;
  return maker.kind === 'management' ? maker.applicationId : null;
}

/** A link in events. */
export function naming({ organization_id: organizationId, id: setupLinkId }: SetupLinkRow) {
  return { organizationId, setupLinkId };
}

function rowsOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db.selectFrom('setup_links').selectAll().where(inScope(ctx)).where('organization_id', '=', organizationId);
}

/**
 * The set-up links of an organization, newest first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listSetupLinks(
  ctx: Ctx,
  organizationId: OrganizationId,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<SetupLink>> {
  await getOrganization(ctx, organizationId);
  const list = JSON.stringify(['setup links', organizationId]);
  const page = await newestFirst(ctx, rowsOf(ctx, organizationId), { list, limit, cursor });
  return { items: page.rows.map((row) => recordOf(ctx, row)), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getSetupLink(ctx: Ctx, { organizationId, setupLinkId }: SetupLinkRef): Promise<SetupLink> {
  return recordOf(ctx, found(await rowsOf(ctx, organizationId).where('id', '=', setupLinkId).executeTakeFirst()));
}

/**
 * Makes a link, and mails it if there is an address.
 * @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED for what the actor may not do themselves, CONFLICT at
 * the limit, VALIDATION_FAILED, RATE_LIMIT_EXCEEDED for mails
 */
export async function createSetupLink(
  ctx: Ctx,
  organizationId: OrganizationId,
  given: NewSetupLink,
): Promise<Static<typeof MadeSetupLink>> {
  await requireOwnOrigins(ctx, given);
  const email = given.email === undefined ? null : normaliseEmail(given.email);
  if (email !== null) await countMail(ctx, organizationId, email);
  return transaction(ctx, async (tx) => {
    const organization = await lockOrganization(tx, organizationId);
    if (organization.status === 'blocked') throw problem('ORGANIZATION_BLOCKED');
    await requireRoom(tx, organizationId);
    const maker = responsibleFor(tx.actor);
    await requireTasks(tx, { maker, organizationId }, given.tasks);
    await requireRoles(tx, { maker, organizationId }, given);
    const { routingKey } = await projectOf(tx.system, tx.scope);
    const token = `lkl_${routingKey}_${randomSecret()}`;
    const row = await insert(tx, organizationId, { given, email, token });
    const url = `${await authAddressOf(tx)}/setup/open?token=${token}`;
    if (email !== null) await mail(tx, row, { to: email, url, organization: organization.name });
    await emit(tx, 'organization.setup_link.created', { ...naming(row), tasks: row.tasks });
    return { ...recordOf(tx, row), url };
  });
}

/** @throws Problem VALIDATION_FAILED */
async function requireOwnOrigins(ctx: Ctx, { returnUrl: url, frameOrigin: origin }: NewSetupLink): Promise<void> {
  const own = await ownOriginsOf(ctx);
  const message = 'is not at an origin of one of your own applications';
  const errors = [
    ...(url && !own.includes(new URL(url).origin) ? [{ pointer: '/body/returnUrl', message }] : []),
    ...(origin && !own.includes(origin) ? [{ pointer: '/body/frameOrigin', message }] : []),
  ];
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** @throws Problem RATE_LIMIT_EXCEEDED */
async function countMail(ctx: Ctx, organizationId: OrganizationId, email: string): Promise<void> {
  const { 'setup-link-mails': all, 'setup-link-mails-address': one } = organizationRates(ctx.system);
  const { workspaceId, environment } = ctx.scope;
  const counted = await Promise.all([
    all.take(ctx, limitKey(organizationId)),
    one.take(ctx, limitKey(workspaceId, environment, mailboxOf(email))),
  ]);
  const refused = counted.find(({ allowed }) => !allowed);
  if (refused) throw problemWithRetry('RATE_LIMIT_EXCEEDED', refused.retryAfter);
}

/** The caller has locked the organization, so that the maximum is exact. */
async function requireRoom(tx: TxCtx, organizationId: OrganizationId): Promise<void> {
  const { length } = await rowsOf(tx, organizationId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', tx.now)
    .execute();
  await requireOrganizationRoom(tx, 'setupLinks', length);
}

/** @throws Problem VALIDATION_FAILED, AUTHORIZATION_DENIED for roles that the maker may not give themselves */
async function requireRoles(
  tx: TxCtx,
  backing: Parameters<typeof requireTasks>[1],
  { tasks, roles = [] }: NewSetupLink,
): Promise<void> {
  if (roles.length === 0) return;
  const acts = actsThatGive(tasks);
  if (acts.length === 0) {
    const errors = [{ pointer: '/body/roles', message: 'need the task `team` or `directory`' }];
    throw problem('VALIDATION_FAILED', { extensions: { errors } });
  }
  const affected = await lockOrganizationRoles(tx, roles);
  for (const act of acts) {
    // biome-ignore lint/performance/noAwaitInLoops: at most two, on one connection
    await asMakerOf(backing, roles)(tx, act, affected);
  }
}

type Inserted = { given: NewSetupLink; email: string | null; token: string };

function insert(tx: TxCtx, organizationId: OrganizationId, { given, email, token }: Inserted): Promise<SetupLinkRow> {
  return tx.db
    .insertInto('setup_links')
    .values({
      ...scopeColumns(tx),
      organization_id: organizationId,
      id: newId('slk', tx.now),
      token_hash: hashSecret(token),
      tasks: [...given.tasks],
      roles: [...(given.roles ?? [])].sort(),
      email,
      locale: given.locale ?? null,
      return_url: given.returnUrl ?? null,
      frame_origin: given.frameOrigin ?? null,
      maker: JSON.stringify(responsibleFor(tx.actor)),
      next_connection_id: newId('con', tx.now),
      created_at: tx.now,
      expires_at: new Date(tx.now.getTime() + (given.expiresIn ?? 7 * DAY) * 1000),
      opened_at: null,
      completed_at: null,
      revoked_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

type Letter = { to: string; url: string; organization: string };

async function mail(tx: TxCtx, row: SetupLinkRow, { to, url, organization }: Letter): Promise<void> {
  const days = Math.max(1, Math.round((row.expires_at.getTime() - tx.now.getTime()) / (DAY * 1000)));
  await sendMessage(tx, {
    template: 'setup_link',
    to,
    locale: row.locale,
    variables: { link: url, organization, days },
    expiresAt: row.expires_at,
  });
}

/**
 * Revokes a link. The visits that began with it end at once, and so do the open invitations that it sent. What was set up stays.
 * @throws Problem NOT_FOUND
 */
export async function revokeSetupLink(ctx: Ctx, ref: SetupLinkRef): Promise<void> {
  await transaction(ctx, async (tx) => {
    await lockOrganization(tx, ref.organizationId);
    const row = found(
      await rowsOf(tx, ref.organizationId).where('id', '=', ref.setupLinkId).forUpdate().executeTakeFirst(),
    );
    if (row.revoked_at) return;
    await change(tx, row, { revoked_at: tx.now });
    await revokeInvitationsOf(tx, ref);
    await emit(tx, 'organization.setup_link.revoked', naming(row));
  });
}

/** Changes a link. The caller has locked it. */
export async function change(
  tx: TxCtx,
  row: SetupLinkRow,
  changes: Partial<Pick<SetupLinkRow, 'revoked_at' | 'opened_at' | 'completed_at' | 'next_connection_id'>>,
): Promise<void> {
  await tx.db
    .updateTable('setup_links')
    .set(changes)
    .where(inScope(tx))
    .where('organization_id', '=', row.organization_id)
    .where('id', '=', row.id)
    .execute();
}

/**
 * The link of a token, in whatever state it is. Served by setup_links_token.
 * @param realm a context in the workspace and environment of the token
 */
export function findByToken(realm: Ctx, token: string): Promise<SetupLinkRow | undefined> {
  return realm.db
    .selectFrom('setup_links')
    .selectAll()
    .where(acrossProjects(realm))
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst();
}

/** Removes the addresses of a person who is erased. Served by setup_links_email. */
export async function eraseAddresses(tx: TxCtx, userId: UserId): Promise<void> {
  const emails = (await addressesOf(tx, userId)).map(({ value }) => value);
  await tx.db
    .updateTable('setup_links')
    .set({ email: null })
    .where(acrossProjects(tx))
    .where('email', '=', sql<string>`any(${emails})`)
    .execute();
}

/**
 * The link with which a person works, locked against being revoked until the transaction ends.
 * @throws Problem INVALID_TOKEN
 */
export async function holdLink(tx: TxCtx, { organizationId, setupLinkId }: SetupLinkRef): Promise<SetupLinkRow> {
  const row = await rowsOf(tx, organizationId)
    .where('id', '=', setupLinkId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', tx.now)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw problem('INVALID_TOKEN');
  return row;
}
