import { sql } from 'kysely';
import { type Ctx, type Environment, systemCtx, type TxCtx } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import { lookUpTexts } from '#platform/dns.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { type DomainRow, newProof, proofName, proofValue } from './domains.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Consecutive look-ups without proof, an hour apart, after which a domain is lost: a single one may coincide with a
 * change of the zone.
 */
const FAILURES_TO_LOSE = 2;
const BATCH = 20;

/** The result of a look-up. `unanswered`: no name server responded, so the proof may exist. */
export type Finding = { kind: 'proven' } | { kind: 'absent' | 'unanswered'; fault: string; found: string[] };

/** Looks up the proof of a domain in DNS. */
export async function findProof(system: System, domain: Pick<ProvenRow, 'host' | 'token'>): Promise<Finding> {
  const name = proofName(domain.host);
  const response = await lookUpTexts(system, name);
  if (!response.answered)
    return { kind: 'unanswered', fault: `The look-up of ${name} got no response (${response.reason}).`, found: [] };
  const found = response.texts.map((text) => text.trim().slice(0, 200)).slice(0, 10);
  if (found.includes(proofValue(domain))) return { kind: 'proven' };
  const fault =
    found.length === 0 ? `There is no TXT record at ${name}.` : `The TXT record at ${name} has another value.`;
  return { kind: 'absent', fault, found };
}

/** The columns that change when a look-up found the proof. */
export function provenColumns({ now }: Pick<TxCtx, 'now'>, before: Pick<DomainRow, 'status' | 'verified_at'>) {
  return {
    status: 'verified' as const,
    verified_at: before.status === 'verified' ? before.verified_at : now,
    checked_at: now,
    fault: null,
    failed_checks: 0,
    next_check_at: new Date(now.getTime() + DAY_MS),
  };
}

/**
 * The columns that change when a look-up found no proof. The second in a row marks the domain as lost and replaces its
 * token, so that an old record proves nothing.
 */
export function absentColumns({ now }: Pick<TxCtx, 'now'>, before: Pick<DomainRow, 'failed_checks'>, fault: string) {
  const failed = before.failed_checks + 1;
  return {
    checked_at: now,
    fault,
    failed_checks: failed,
    ...(failed >= FAILURES_TO_LOSE && { status: 'lost' as const, next_check_at: null, token: newProof() }),
  };
}

/** The columns that the tables of proven domains share. */
type ProvenRow = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  host: string;
  token: string;
};

/** A table with the columns `status` and `next_check_at`, and the function that stores the result of a look-up. */
type Rechecked<Row> = {
  table: keyof Tables;
  actor: string;
  store: (ctx: Ctx, domain: Row, finding: Finding) => Promise<unknown>;
};

/** Looks up due proofs. Several processes may run it at once, because each claims the domains that it looks up. */
export async function recheckProofs<Row extends ProvenRow>(system: System, rechecked: Rechecked<Row>): Promise<void> {
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    const due = await takeDue<Row>(system, rechecked.table);
    if (due.length === 0) return;
    await Promise.all(due.map((domain) => recheck(system, rechecked, domain)));
  }
}

/**
 * Claims due domains for an hour: if a process dies, another one looks its domains up. Of concurrent processes, one gets a
 * domain: the other no longer finds it due. Served by `<table>_due`.
 */
async function takeDue<Row>(system: System, table: keyof Tables): Promise<Row[]> {
  const now = system.clock.now();
  const until = new Date(now.getTime() + HOUR_MS);
  const { rows } = await sql<{ workspace_id: WorkspaceId; id: string }>`
    select workspace_id, id from ${sql.table(table)} where status = 'verified' and next_check_at <= ${now}
    order by next_check_at limit ${BATCH} /* all workspaces */`.execute(system.db);
  const taken = await Promise.all(
    rows.map(({ workspace_id, id }) =>
      sql<Row>`update ${sql.table(table)} set next_check_at = ${until}
        where workspace_id = ${workspace_id} and id = ${id} and status = 'verified' and next_check_at <= ${now}
        returning *`.execute(singleWrite(system, 'claim')),
    ),
  );
  return taken.flatMap((one) => one.rows);
}

async function recheck<Row extends ProvenRow>(
  system: System,
  { actor, store }: Rechecked<Row>,
  domain: Row,
): Promise<void> {
  const { workspace_id: workspaceId, project_id: projectId, environment } = domain;
  const ctx = systemCtx(system, { workspaceId, projectId, environment }, actor, actor);
  try {
    await store(ctx, domain, await findProof(system, domain));
  } catch (error) {
    // The domain was removed or claimed again meanwhile.
    if (!(error instanceof Problem)) system.log.warn({ err: error, host: domain.host }, 'a domain was not checked');
  }
}
