import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { emitAll } from '#events';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import { leafOf } from './chain.ts';

/** The action of the entry that lists erased entries. */
const ERASED = 'audit.entries_erased' as const;

/** Ranges of consecutive entries, by sequence; both ends included. */
export const Ranges = Type.Array(Type.Object({ first: Type.Integer(), last: Type.Integer() }));
export type Ranges = Static<typeof Ranges>;

const Erasure = Type.Object({ ranges: Ranges });

/** The fewest ranges that cover the given sequences. */
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

/** The personal fields of events; the others are ids. */
const PERSONAL = ['email', 'phone', 'username'];

/**
 * Erases personal data of a user from the audit log of the realm: the content of entries about the user that contain an
 * address. Their hashes stay, so the chain still verifies. Another entry lists them, which distinguishes an erasure
 * from tampering. Entries of the user's own actions stay; their ids no longer lead to a person.
 * @returns the number of erased entries
 */
export async function eraseFromAudit(tx: TxCtx, userId: UserId, addresses: readonly string[]): Promise<number> {
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
  await emitAll(tx, events);
  return emptied.length;
}

function names(fields: readonly string[]) {
  return sql<boolean>`(entry -> 'data')::jsonb ?| ${[...fields]}`;
}

/** Invitations contain an address before the user exists. */
function invites(addresses: readonly string[]) {
  return sql<boolean>`(action like 'invitation.%' or action like 'team.invitation.%') and entry -> 'data' ->> 'email' = any(${[...addresses]})`;
}

/**
 * The erasures that the log itself records between two sequences. Ignores an entry that does not match its recorded
 * hash. Served by audit_entries_by_action.
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
