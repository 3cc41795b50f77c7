import { type Generated, sql } from 'kysely';
import { type EventCount, emit } from '#events';
import { addIdentifier, identifiersOf } from '#identifiers';
import { setPassword } from '#passwords';
import type { Ctx, Environment, Trace, TxCtx } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import type { IdentifierKind } from '#platform/identifiers.ts';
import { newId, type OrganizationId, type ProjectId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';
import { columnsOf, type ProfileColumns, type ProfileField } from './profile-columns.ts';
import { searchTextOf } from './search-text.ts';

type UsersTable = ProfileColumns & {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: UserId;
  custom_data: Json<Record<string, unknown>>;
  created_at: Date;
  updated_at: Date;
  search: string;
  home_project_id: ProjectId | null;
  home_organization_id: Generated<OrganizationId | null>;
  erase_at: Generated<Date | null>;
  /** The erasure was scheduled because the user was in no project; one who is in a project again is kept. */
  erase_without_project: Generated<boolean>;
};

declare module '#platform/db.ts' {
  interface Tables {
    users: UsersTable;
  }
}

export type NewUser = {
  /** Normalised; null for a user who only signs in through an identity provider. */
  address: { kind: 'email' | 'phone'; value: string; verified: boolean } | null;
  passwordHash: string | null;
  profile: Partial<Record<ProfileField, string | null>> & { customData?: Record<string, unknown> };
  /** Identifiers besides the address. */
  others?: readonly { kind: IdentifierKind; value: string; verified: boolean }[];
  /** The organization whose directory or connection the account is made for. */
  homeOrganizationId?: OrganizationId;
  /** What the creation is counted as. */
  counts?: readonly EventCount[];
};

/**
 * Adds a person to the realm.
 * @throws Problem ALREADY_EXISTS when the address is taken
 */
export async function createUser(tx: TxCtx, user: NewUser): Promise<UserId> {
  const id = newId('usr', tx.now);
  const identifiers = [...(user.address ? [user.address] : []), ...(user.others ?? [])];
  await tx.db
    .insertInto('users')
    .values({
      ...realmColumns(tx),
      id,
      ...columnsOf(user.profile),
      custom_data: JSON.stringify(user.profile.customData ?? {}),
      created_at: tx.now,
      updated_at: tx.now,
      search: searchTextOf({ ...user.profile, identifiers: identifiers.map(({ value }) => value) }),
      home_project_id: tx.scope.projectId,
      home_organization_id: user.homeOrganizationId ?? null,
    })
    .execute();
  for (const identifier of identifiers) {
    // biome-ignore lint/performance/noAwaitInLoops: at most three, on one connection
    await addIdentifier(tx, id, identifier);
  }
  if (user.passwordHash !== null) await setPassword(tx, id, user.passwordHash);
  const email = user.address?.kind === 'email' ? user.address.value : null;
  await emit(tx, 'user.created', { userId: id, email }, user.counts);
  noteCreation(tx, id);
  return id;
}

/** The users whom each request creates, until their transaction commits. */
const beingCreated = new WeakMap<Trace, Set<UserId>>();

function noteCreation({ trace, afterCommit }: TxCtx, id: UserId): void {
  const ids = beingCreated.get(trace) ?? new Set();
  beingCreated.set(trace, ids.add(id));
  afterCommit(() => ids.delete(id));
}

/** Whether this request creates the user in a transaction that may still be rolled back. */
export function isBeingCreated({ trace }: Pick<Ctx | TxCtx, 'trace'>, id: UserId): boolean {
  return beingCreated.get(trace)?.has(id) === true;
}

/** Serialises changes of one user; rows that only refer to the user may be added concurrently. */
export async function lockUser(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db
    .selectFrom('users')
    .select('id')
    .where(inRealm(tx))
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Keeps the user from {@link lockUsers} until the transaction ends; all else goes on, and others may hold the user, too. */
export async function holdUser(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db
    .selectFrom('users')
    .select('id')
    .where(inRealm(tx))
    .where('id', '=', userId)
    .forKeyShare()
    .executeTakeFirst();
}

/** The project that created an account, and the organization that it was made for, where they are known. */
export async function homeOf(ctx: Reader, userId: UserId) {
  return ctx.db
    .selectFrom('users')
    .select(['home_project_id as projectId', 'home_organization_id as organizationId'])
    .where(inRealm(ctx))
    .where('id', '=', userId)
    .executeTakeFirst();
}

/** A user as lists of other parts show it. */
export type UserSummary = {
  userId: UserId;
  email: string | null;
  emailVerified: boolean;
  phone: string | null;
  phoneVerified: boolean;
  username: string | null;
  displayName: string | null;
  locale: string | null;
};

type Reader = Pick<Ctx, 'db' | 'scope'> | Pick<TxCtx, 'db' | 'scope'>;

/**
 * Reads several users of the realm at once; unknown ids are left out. Served by primary keys and identifiers_of_user.
 */
export async function usersById(ctx: Reader, ids: readonly UserId[]): Promise<Map<UserId, UserSummary>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom('users as u')
    .select(['u.id', 'u.display_name', 'u.locale', identifiersOf(ctx, 'u').as('identifiers')])
    .where(inRealm(ctx, 'u'))
    .where('u.id', '=', sql<UserId>`any(${[...ids]})`)
    .execute();
  return new Map(
    rows.map(({ id: userId, display_name: displayName, locale, identifiers }) => {
      const { email, phone, username } = byKind(identifiers);
      return [
        userId,
        {
          userId,
          email: email?.value ?? null,
          emailVerified: email?.verified ?? false,
          phone: phone?.value ?? null,
          phoneVerified: phone?.verified ?? false,
          username: username?.value ?? null,
          displayName,
          locale,
        },
      ];
    }),
  );
}

type Identifier = { kind: IdentifierKind; value: string; verified: boolean };

/** A user has at most one identifier of each kind. */
export function byKind(identifiers: readonly Identifier[]): { readonly [Kind in IdentifierKind]?: Identifier } {
  return Object.fromEntries(identifiers.map((identifier) => [identifier.kind, identifier]));
}
