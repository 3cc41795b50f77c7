import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { emitIn } from '#events';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import { leafOf } from './chain.ts';

/** The entry that names what was erased. */
const ERASED = 'audit.entries_erased' as const;

/** Entries that follow each other, by sequence; both ends included. */
export const Ranges = Type.Array(Type.Object({ first: Type.Integer(), last: Type.Integer() }));
export type Ranges = Static<typeof Ranges>;

const Erasure = Type.Object({ ranges: Ranges });

/** The fewest ranges that hold the given sequences. */
function rangesOf(sequences: readonly number[]): Ranges {
  const ranges: Ranges = [];
  for (const sequence of [...sequences].sort((a, b) => a - b)) {
    const end = ranges.at(-1);
    if (end && sequence <= end.last + 1) end.last = sequence;
    else ranges.push({ first: sequence, last: sequence });
  }
  return ranges;
}

export function isIn(ranges: Ranges, sequence: number): boolean {
  return ranges.some(({ first, last }) => first <= sequence && sequence <= last);
}

/** Fields of events that say who somebody is; the rest is ids. */
const PERSONAL = ['email', 'phone', 'username'];

/**
 * Removes what the log says about a person who is erased, in the whole workspace environment: entries about them that name an
 * address. Their hashes stay, so the chain around them still proves itself, and another entry names them, so that an entry that
 * somebody else emptied is found. What the person did stays, by an id that leads nowhere. @returns how many entries
 */
export async function forgetInAudit(tx: TxCtx, userId: UserId, addresses: readonly string[]): Promise<number> {
  const about = tx.db
    .selectFrom('audit_resources')
    .select(['project_id', 'sequence'])
    .where(acrossProjects(tx))
    .where('resource', '=', userId);
  const emptied = await tx.db
    .updateTable('audit_entries')
    .set({ entry: null })
    .where(acrossProjects(tx))
    .where('entry', 'is not', null)
    .where((eb) =>
      eb.or([
        eb(eb.refTuple('project_id', 'sequence'), 'in', about.$asTuple('project_id', 'sequence')).and(names(PERSONAL)),
        invites(addresses),
      ]),
    )
    .returning(['project_id', 'sequence'])
    .execute();
  const byProject = [...Map.groupBy(emptied, ({ project_id }) => project_id)];
  const events = byProject.map(([projectId, rows]) => ({
    type: ERASED,
    projectId,
    data: { reason: 'person_erased', ranges: rangesOf(rows.map(({ sequence }) => sequence)) },
  }));
  if (events.length > 0) await emitIn(tx, events);
  return emptied.length;
}

function names(fields: readonly string[]) {
  return sql<boolean>`(entry -> 'data')::jsonb ?| ${[...fields]}`;
}

/** Invitations name an address before there is a person. */
function invites(addresses: readonly string[]) {
  return sql<boolean>`action like 'invitation.%' and entry -> 'data' ->> 'email' = any(${[...addresses]})`;
}

/**
 * What the log itself says was erased, between two sequences. An entry that does not have the hash it was recorded with says
 * nothing. Served by audit_entries_by_action.
 */
export async function recordedErasures(ctx: Ctx, { first, last }: { first: number; last: number }): Promise<Ranges> {
  const rows = await ctx.db
    .selectFrom('audit_entries')
    .select(['entry', 'leaf'])
    .where(inScope(ctx))
    .where('action', '=', ERASED)
    .orderBy('occurred_at')
    .orderBy('sequence')
    .execute();
  return rows
    .flatMap(({ entry, leaf }) =>
      entry && leafOf(entry).equals(leaf) && Value.Check(Erasure, entry.data) ? entry.data.ranges : [],
    )
    .filter((range) => range.first <= last && range.last >= first);
}
