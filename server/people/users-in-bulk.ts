import { sql } from 'kysely';
import { analysePasswords, passwordHashesOf, setPasswords } from '#passwords';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { storedForms } from '#platform/email-address.ts';
import type { IdentifierKind, NormalisedIdentifier } from '#platform/identifiers.ts';
import type { ProjectId, UserId } from '#platform/ids.ts';
import { inRealm } from '#platform/scoped.ts';
import { searchTextOf } from './search-text.ts';
import type { ProfileField } from './users.ts';

/** A person to be added with many others. */
export type NewPerson = {
  id: UserId;
  identifiers: readonly { kind: IdentifierKind; value: string; verified: boolean }[];
  passwordHash: string | null;
  profile: Partial<Record<ProfileField, string | null>>;
  customData: Record<string, unknown>;
  createdAt: Date;
};

/**
 * The users of these identifiers. Looks up each in the primary key separately, so that the plan doesn't depend on
 * statistics.
 * @returns by kind and value, as {@link keyOf} writes them
 */
export async function ownersOfIdentifiers(
  tx: TxCtx,
  identifiers: readonly NormalisedIdentifier[],
): Promise<Map<string, UserId>> {
  const wanted = identifiers.flatMap(({ kind, value }) =>
    storedForms(value).map((stored) => ({ kind, value, stored })),
  );
  const { rows } = await sql<{ kind: IdentifierKind; value: string; userId: UserId }>`
    select wanted.kind, wanted.value, found.user_id as "userId"
    from unnest(${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ value }) => value)}::text[],
      ${wanted.map(({ stored }) => stored)}::text[]) as wanted (kind, value, stored)
    cross join lateral (
      select user_id from identifiers
      where workspace_id = ${tx.scope.workspaceId} and environment = ${tx.scope.environment}
        and kind = wanted.kind and value = wanted.stored collate "C"
      offset 0) found`.execute(tx.db);
  return new Map(rows.map(({ userId, ...identifier }) => [keyOf(identifier), userId]));
}

function keyOf({ kind, value }: NormalisedIdentifier): string {
  return `${kind} ${value}`;
}

/**
 * Adds users with their identifiers and password hashes, in three statements whatever their number. Emits no events;
 * the caller does.
 */
export async function createUsers(tx: TxCtx, people: readonly NewPerson[]): Promise<void> {
  const { workspaceId, environment } = tx.scope;
  const column = (field: ProfileField) => people.map(({ profile }) => profile[field] ?? null);
  await sql`insert into users (workspace_id, environment, id, display_name, given_name, family_name, picture, locale, zoneinfo, birthdate,
      custom_data, created_at, updated_at, search, home_project_id)
    select ${workspaceId}, ${environment}, id, display_name, given_name, family_name, picture, locale, zoneinfo, birthdate,
      custom_data::jsonb, created_at, ${tx.now}, search, ${tx.scope.projectId}
    from unnest(${people.map(({ id }) => id)}::text[], ${column('displayName')}::text[], ${column('givenName')}::text[],
      ${column('familyName')}::text[], ${column('picture')}::text[], ${column('locale')}::text[], ${column('zoneinfo')}::text[],
      ${column('birthdate')}::text[], ${people.map(({ customData }) => JSON.stringify(customData))}::text[],
      ${people.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[], ${people.map(searchOf)}::text[])
      as person (id, display_name, given_name, family_name, picture, locale, zoneinfo, birthdate, custom_data, created_at, search)`.execute(
    tx.db,
  );
  const identifiers = people.flatMap((person) =>
    person.identifiers.map((identifier) => ({ ...identifier, id: person.id })),
  );
  await sql`insert into identifiers (workspace_id, environment, kind, value, user_id, verified_at, created_at)
    select ${workspaceId}, ${environment}, kind, value, user_id, case when verified then ${tx.now}::timestamptz end, ${tx.now}
    from unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[],
      ${identifiers.map(({ id }) => id)}::text[], ${identifiers.map(({ verified }) => verified)}::boolean[])
      as identifier (kind, value, user_id, verified)`.execute(tx.db);
  const hashed = people.flatMap(({ id, passwordHash }) => (passwordHash === null ? [] : [{ id, passwordHash }]));
  await setPasswords(tx, hashed);
}

/** Analyses the tables of users for the planner, after many were added. */
export async function analyseUsers(tx: TxCtx): Promise<void> {
  await sql`analyze users, identifiers`.execute(tx.db);
  await analysePasswords(tx);
}

function searchOf({ identifiers, profile }: NewPerson): string {
  return searchTextOf({ ...profile, identifiers: identifiers.map(({ value }) => value) });
}

/** A complete user, for export to another system. */
export type ExportedUser = {
  userId: UserId;
  identifiers: { kind: IdentifierKind; value: string; verified: boolean }[];
  passwordHash: string | null;
  profile: Record<ProfileField, string | null>;
  customData: Record<string, unknown>;
  createdAt: Date;
  homeProjectId: ProjectId | null;
};

/** People by id, with their password hashes. Served by primary keys and identifiers_of_user. */
export async function exportUsers(
  ctx: Pick<Ctx, 'db' | 'scope'>,
  ids: readonly UserId[],
): Promise<Map<UserId, ExportedUser>> {
  const among = sql<UserId>`any(${[...ids]})`;
  const [users, identifiers, hashes] = await Promise.all([
    ctx.db.selectFrom('users').selectAll().where(inRealm(ctx)).where('id', '=', among).execute(),
    ctx.db
      .selectFrom('identifiers')
      .select(['user_id', 'kind', 'value', 'verified_at'])
      .where(inRealm(ctx))
      .where('user_id', '=', among)
      .execute(),
    passwordHashesOf(ctx, ids),
  ]);
  const people = new Map<UserId, ExportedUser>();
  for (const row of users)
    people.set(row.id, {
      userId: row.id,
      identifiers: [],
      passwordHash: hashes.get(row.id) ?? null,
      profile: {
        displayName: row.display_name,
        givenName: row.given_name,
        familyName: row.family_name,
        picture: row.picture,
        locale: row.locale,
        zoneinfo: row.zoneinfo,
        birthdate: row.birthdate,
      },
      customData: row.custom_data,
      createdAt: row.created_at,
      homeProjectId: row.home_project_id,
    });
  for (const { user_id: userId, kind, value, verified_at: verified } of identifiers)
    people.get(userId)?.identifiers.push({ kind, value, verified: verified !== null });
  return people;
}
