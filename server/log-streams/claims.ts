import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { auditBacklogs } from '#audit';
import type { Scope } from '#platform/ctx.ts';
import { inScope } from '#platform/scoped.ts';
import { preparedWrite, singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { isOpen } from '#tenancy';
import { REQUEST_MS } from './destinations.ts';
import type { StreamId, StreamRow } from './streams.ts';

/** Longer than any request takes. A process renews its claim before each request, so no other one sends the stream then. */
const CLAIM_MS = REQUEST_MS + 30_000;

/** A stream as it was read when this process claimed it. */
export type Claimed = StreamRow & { claim: string };

/** Identifies a stream for which entries wait. */
export type StreamRef = Scope & { id: StreamId };

/**
 * The active streams of open projects and workspaces that have new entries, that no process is sending and that are not waiting after a
 * failure.
 */
export async function waitingStreams(system: System): Promise<StreamRef[]> {
  const now = system.clock.now();
  const { rows } = await sql<StreamRef & { after: number }>`
    select workspace_id as "workspaceId", project_id as "projectId", environment, id, position as after
    from log_streams /* all workspaces */
    where state = 'active' and (claimed_until is null or claimed_until <= ${now}) and (next_attempt_at is null or next_attempt_at <= ${now})
      and ${isOpen('log_streams')}
    order by sent_at nulls first`.execute(system.db);
  const backlogs = await auditBacklogs(system, rows);
  return rows.filter(({ after }, index) => (backlogs[index]?.last ?? 0) > after);
}

/** @returns null if another process has claimed the stream, or it no longer waits */
export async function claimStream(system: System, ref: StreamRef): Promise<Claimed | null> {
  const now = system.clock.now();
  const until = new Date(now.getTime() + CLAIM_MS);
  const claim = randomUUID();
  const row = await singleWrite(system, 'claim')
    .updateTable('log_streams')
    .set({ claim, claimed_until: until })
    .where(inScope({ scope: ref }))
    .where('id', '=', ref.id)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
    .where((eb) => eb.or([eb('next_attempt_at', 'is', null), eb('next_attempt_at', '<=', now)]))
    .returningAll()
    .executeTakeFirst();
  return row ? { ...row, claim } : null;
}

const RENEW = preparedWrite(
  'renew-log-stream',
  'claim',
  `update log_streams set claimed_until = $7
   where workspace_id = $1 and project_id = $2 and environment = $3 and id = $4 and claim = $5 and version = $6
     and state = 'active'`,
);

/** @returns false if the stream was paused, changed, removed or claimed by another process */
export async function renewClaim(system: System, row: Claimed): Promise<boolean> {
  const until = new Date(system.clock.now().getTime() + CLAIM_MS);
  const { rowCount } = await RENEW(system, [...keyOf(row), row.claim, row.version, until]);
  return rowCount === 1;
}

const RELEASE = preparedWrite(
  'release-log-stream',
  'claim',
  `update log_streams set claim = null, claimed_until = null
   where workspace_id = $1 and project_id = $2 and environment = $3 and id = $4 and claim = $5`,
);

export async function releaseStream(system: System, row: Claimed): Promise<void> {
  await RELEASE(system, [...keyOf(row), row.claim]);
}

function keyOf(row: StreamRow): string[] {
  return [row.workspace_id, row.project_id, row.environment, row.id];
}
