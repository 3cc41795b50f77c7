import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { environments, type TxCtx } from '#platform/ctx.ts';
import { isForeignKeyViolation } from '#platform/db.ts';
import { newId } from '#platform/ids.ts';
import { type Page, type PageQuery, pageOfWhole } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { changeBoard } from './boards.ts';
import { builtInGroups } from './built-in.ts';
import { inPage, installationPage, type OfPage, ofPage, type PageCtx, type PageDb } from './pages.ts';
import { voiceIn } from './words.ts';

type StatusGroupsTable = OfPage & { id: string; name: string | null; position: number };

declare module '#platform/db.ts' {
  interface Tables {
    status_groups: StatusGroupsTable;
  }
}

const Name = Type.String({ minLength: 1, maxLength: 100 });
const Position = Type.Integer({ minimum: 0, maximum: 1_000, description: 'Lower positions come first.' });

/** Built-in groups have names for ids. */
export const GroupId = Type.String({
  pattern: `^(${builtInGroups.map(({ id }) => id).join('|')}|grp_[0-7][0-9a-hjkmnp-tv-z]{25})$`,
  examples: ['grp_01kaz3w9hqf8p9n2m4v5x6y7z8'],
});
export const GroupRef = Type.Object({ id: GroupId });
export const Group = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    builtIn: Type.Boolean(),
    position: Type.Integer(),
  },
  { title: 'StatusGroup' },
);
type Group = Static<typeof Group>;
export const NewGroup = Type.Object({ name: Name, position: Type.Optional(Position) }, { additionalProperties: false });
export const GroupChanges = Type.Object(
  { name: Type.Optional(Name), position: Type.Optional(Position) },
  { additionalProperties: false, minProperties: 1 },
);

function recordOf({ id, name, position }: Omit<StatusGroupsTable, keyof OfPage>): Group {
  const builtIn = builtInGroups.some((one) => one.id === id);
  return { id, name: name ?? voiceIn('en').nameOf(id), builtIn, position };
}

/** All groups, in display order. */
export async function listGroups(ctx: PageCtx, query: Static<typeof PageQuery>): Promise<Page<Group>> {
  const rows = await ctx.db
    .selectFrom('status_groups')
    .select(['id', 'name', 'position'])
    .where(inPage(ctx.page))
    .orderBy('position')
    .orderBy('id')
    .execute();
  return pageOfWhole(ctx, rows.map(recordOf), {
    list: 'status-groups',
    query,
    positionOf: ({ position, id }) => [position, id],
  });
}

/** @throws Problem NOT_FOUND */
export async function getGroup(ctx: PageCtx, id: string): Promise<Group> {
  const row = await ctx.db
    .selectFrom('status_groups')
    .select(['id', 'name', 'position'])
    .where(inPage(ctx.page))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(row);
}

/** More would not be found on the page. */
const MAX_GROUPS = 100;

/** @throws Problem CONFLICT beyond the limit */
async function requireRoom({ db, page }: PageDb): Promise<void> {
  const { count } = await db
    .selectFrom('status_groups')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(inPage(page))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_GROUPS) throw problem('CONFLICT', `A page has at most ${MAX_GROUPS} groups.`);
}

/** @throws Problem CONFLICT beyond the limit */
export async function createGroup(ctx: PageCtx, { name, position = 100 }: Static<typeof NewGroup>): Promise<Group> {
  return changeBoard(ctx, async (tx) => {
    await requireRoom(tx);
    const row = { ...ofPage(tx.page), id: newId('grp', tx.now), name, position };
    await tx.db.insertInto('status_groups').values(row).execute();
    await emit(tx, 'status.group.created', { groupId: row.id, name });
    return recordOf(row);
  });
}

/** @throws Problem NOT_FOUND */
export async function updateGroup(ctx: PageCtx, id: string, changes: Static<typeof GroupChanges>): Promise<Group> {
  return changeBoard(ctx, async (tx) => {
    const row = await tx.db
      .updateTable('status_groups')
      .set(changes)
      .where(inPage(tx.page))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    await emit(tx, 'status.group.updated', { groupId: id, changed: Object.keys(changes) });
    return recordOf(row);
  });
}

/**
 * Removes a group without components.
 * @throws Problem NOT_FOUND, CONFLICT
 */
export async function deleteGroup(ctx: PageCtx, id: string): Promise<void> {
  try {
    await changeBoard(ctx, async (tx) => {
      const { numDeletedRows } = await tx.db
        .deleteFrom('status_groups')
        .where(inPage(tx.page))
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw problem('NOT_FOUND');
      await emit(tx, 'status.group.deleted', { groupId: id });
    });
  } catch (error) {
    throw isForeignKeyViolation(error) ? problem('CONFLICT', 'Move its components to another group first.') : error;
  }
}

/** Adds the built-in groups that are missing. */
export async function seedGroups(tx: Pick<TxCtx, 'db'>): Promise<void> {
  const rows = environments.flatMap((environment) =>
    builtInGroups.map(({ id }, index) => ({
      ...ofPage(installationPage(environment)),
      id,
      name: null,
      position: (index + 1) * 10,
    })),
  );
  await tx.db
    .insertInto('status_groups')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['environment', 'id']).doNothing())
    .execute();
}
