import { type Static, Type } from 'typebox';
import type { Ctx, Scope } from '#platform/ctx.ts';
import { prepared } from '#platform/prepared.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { AuditEvent, type AuditRow, recordOf } from './search.ts';

/** An audit entry for programs that read the log in order. */
export const AuditRecord = Type.Object({
  ...AuditEvent.properties,
  erased: Type.Optional(Type.Literal(true, { description: 'The entry named a person who was erased.' })),
});
export type AuditRecord = Static<typeof AuditRecord>;

const inOrder = prepared<AuditRow & { last: number | null }>(
  'audit-in-order',
  `select e.workspace_id, e.project_id, e.environment, e.sequence, e.id, e.occurred_at, e.action, e.actor, e.entry, e.leaf, e.hash,
     head.sequence as last
   from (values ($1::text, $2::text, $3::text)) as scope (workspace_id, project_id, environment)
   left join audit_heads head using (workspace_id, project_id, environment)
   left join lateral (
     select * from audit_entries
     where audit_entries.workspace_id = scope.workspace_id and audit_entries.project_id = scope.project_id
       and audit_entries.environment = scope.environment and audit_entries.sequence > $4 and audit_entries.sequence <= $5
       and ($6::text[] is null or action = any($6))
     order by audit_entries.sequence limit $7) e on true`,
);

/** How many entries a statement examines for selected types, so that a rare type does not make it slow. */
const MAX_EXAMINED = 10_000;

/**
 * Reads the audit log of a scope in order, from one snapshot, so no entry up to `reached` can appear later. Served by the
 * primary key.
 * @param range `actions` null: all
 * @returns `reached`: the sequence to continue after; it advances past entries that were not selected
 */
export async function readAudit(
  { system, scope }: { system: System; scope: Scope },
  { after, actions, limit }: { after: number; actions: readonly string[] | null; limit: number },
): Promise<{ entries: AuditRecord[]; reached: number }> {
  const { workspaceId, projectId, environment } = scope;
  const until = after + MAX_EXAMINED;
  const { rows } = await inOrder(system, [workspaceId, projectId, environment, after, until, actions, limit]);
  const found = rows.filter((row) => row.id !== null);
  const last = Math.min(rows[0]?.last ?? 0, until);
  return {
    entries: found.map((row) => ({ ...recordOf(row), ...(row.entry === null && { erased: true as const }) })),
    reached: Math.max(after, found.length === limit ? (found.at(-1)?.sequence ?? 0) : last),
  };
}

/** A place in the audit log of a scope: everything up to the sequence was read. */
export type AuditPosition = Scope & { after: number };

/** `last`: the newest sequence of the scope; `oldest`: when the first entry after the position occurred. */
export type AuditBacklog = { last: number; oldest: Date | null };

const backlog = prepared<AuditBacklog>(
  'audit-backlog',
  `select head.sequence as last, (
     select occurred_at from audit_entries
     where workspace_id = $1 and project_id = $2 and environment = $3 and sequence > $4
     order by sequence limit 1) as oldest
   from audit_heads head where workspace_id = $1 and project_id = $2 and environment = $3`,
);

/**
 * How much follows each position: one result per position, in the same order. Each is a statement of its own, because the
 * workspaces may be on several servers. Served by the primary keys.
 */
export function auditBacklogs(system: System, positions: readonly AuditPosition[]): Promise<AuditBacklog[]> {
  return Promise.all(
    positions.map(async ({ workspaceId, projectId, environment, after }) => {
      const { rows } = await backlog(system, [workspaceId, projectId, environment, after]);
      return rows[0] ?? { last: 0, oldest: null };
    }),
  );
}

/**
 * Entries are numbered after their transactions commit, so their times are not strictly in the order of their numbers.
 * No entry is expected to be further than this from the place that its time would give it.
 */
const MAX_DISPLACEMENT = 1_000;

/** The newest sequence of the scope; 0 before its first entry. */
export async function lastAuditSequence({ db, scope }: Pick<Ctx, 'db' | 'scope'>): Promise<number> {
  const head = await db.selectFrom('audit_heads').select('sequence').where(inScope({ scope })).executeTakeFirst();
  return head?.sequence ?? 0;
}

const beforeTime = prepared<{ sequence: number }>(
  'audit-sequence-before',
  `select coalesce(
     (select min(near.sequence) - 1 from (
        select sequence from audit_entries
        where workspace_id = $1 and project_id = $2 and environment = $3 and occurred_at >= $4
        order by occurred_at, sequence limit ${MAX_DISPLACEMENT}) near),
     (select sequence from audit_heads where workspace_id = $1 and project_id = $2 and environment = $3),
     0)::bigint as sequence`,
);

/**
 * The sequence before the first entry at or after a time; the newest sequence if there is none. It is one statement, because
 * an entry that is numbered between two would be passed. Served by audit_entries_by_time.
 */
export async function auditSequenceBefore(
  { system, scope }: Pick<Ctx, 'system' | 'scope'>,
  since: Date,
): Promise<number> {
  const { workspaceId, projectId, environment } = scope;
  const { rows } = await beforeTime(system, [workspaceId, projectId, environment, since]);
  return rows[0]?.sequence ?? 0;
}
