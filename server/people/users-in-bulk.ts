import { sql } from 'kysely';
import { addIdentifiers, identifiersOf } from '#identifiers';
import { passwordHashOf, setPasswords } from '#passwords';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { IdentifierKind } from '#platform/identifiers.ts';
import type { ProjectId, UserId } from '#platform/ids.ts';
import { inRealm } from '#platform/scoped.ts';
import { PROFILE_COLUMNS, type ProfileField, profileOf } from './profile-columns.ts';
import { searchTextOf } from './search-text.ts';

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
 * Adds users with their identifiers and password hashes, in three statements whatever their number. Emits no events;
 * the caller does.
 */
export async function createUsers(tx: TxCtx, people: readonly NewPerson[]): Promise<void> {
  const { workspaceId, environment } = tx.scope;
  const columns = sql.join(PROFILE_COLUMNS.map(([, column]) => sql.ref(column)));
  const fields = PROFILE_COLUMNS.map(([field]) => sql`${people.map(({ profile }) => profile[field] ?? null)}::text[]`);
  await sql`insert into users (workspace_id, environment, id, ${columns}, custom_data, created_at, updated_at, search, home_project_id)
    select ${workspaceId}, ${environment}, id, ${columns}, custom_data::jsonb, created_at, ${tx.now}, search, ${tx.scope.projectId}
    from unnest(${people.map(({ id }) => id)}::text[], ${sql.join(fields)},
      ${people.map(({ customData }) => JSON.stringify(customData))}::text[],
      ${people.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[], ${people.map(searchOf)}::text[])
      as person (id, ${columns}, custom_data, created_at, search)`.execute(tx.db);
  const identifiers = people.flatMap((person) =>
    person.identifiers.map((identifier) => ({ ...identifier, userId: person.id })),
  );
  await addIdentifiers(tx, identifiers);
  const hashed = people.flatMap(({ id, passwordHash }) => (passwordHash === null ? [] : [{ id, passwordHash }]));
  await setPasswords(tx, hashed);
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
  const rows = await ctx.db
    .selectFrom('users as u')
    .selectAll()
    .select([identifiersOf(ctx, 'u').as('identifiers'), passwordHashOf(ctx, 'u', 'id').as('passwordHash')])
    .where(inRealm(ctx, 'u'))
    .where('u.id', '=', sql<UserId>`any(${[...ids]})`)
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      {
        userId: row.id,
        identifiers: row.identifiers,
        passwordHash: row.passwordHash,
        profile: profileOf(row),
        customData: row.custom_data,
        createdAt: row.created_at,
        homeProjectId: row.home_project_id,
      },
    ]),
  );
}
