import { sql } from 'kysely';
import { emit } from '#events';
import { type Ctx, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { lookUpTexts } from '#platform/dns.ts';
import { announce } from '#platform/feed.ts';
import { Limit } from '#platform/limits.ts';
import { Problem, problem, problemWithRetry } from '#platform/problem.ts';
import { singleWrite } from '#platform/single-writes.ts';
import { perSystem, type System } from '#platform/system.ts';
import {
  type Domain,
  type DomainId,
  type DomainRow,
  domainRecord,
  findDomain,
  lockDomain,
  newProof,
  proofName,
  proofValue,
  verifiedElsewhere,
} from './domains.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Consecutive look-ups without proof, an hour apart, after which a domain is lost: a single one may coincide with a
 * change of the zone.
 */
const FAILURES_TO_LOSE = 2;
const BATCH = 20;

/** Limits manual look-ups per domain. */
const byHand = perSystem((system) => new Limit(system, { name: 'domain-verify', points: 10, seconds: 60 }));

/** The result of a look-up. `unanswered` says nothing about the proof. */
export type Finding = { kind: 'proven' } | { kind: 'absent' | 'unanswered'; fault: string; found: string[] };

/** Looks up the proof of a domain in DNS. */
export async function findProof(system: System, domain: Pick<DomainRow, 'host' | 'token'>): Promise<Finding> {
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

/** A domain and the result of its look-up. */
export type LookedUp = { domain: DomainRow; finding: Finding };

/**
 * Looks up a domain's proof now.
 * @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED
 */
export async function lookUpProof(ctx: Ctx, id: DomainId): Promise<LookedUp> {
  const domain = await findDomain(ctx, id);
  const taken = await byHand(ctx.system).take(ctx, id, { told: true });
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  return { domain, finding: await findProof(ctx.system, domain) };
}

/**
 * Stores the result of a look-up. A domain that was pending or lost serves its bindings from then on, in every process.
 * @throws Problem NOT_FOUND, DOMAIN_NOT_VERIFIED with the records found, ALREADY_EXISTS when another project verified
 * it first
 */
export async function verifyDomain(ctx: Ctx, { domain, finding }: LookedUp): Promise<Domain> {
  if (finding.kind === 'proven') return domainRecord(await holdProven(ctx, domain, 'by hand'));
  await transaction(ctx, (tx) => noteFault(tx, domain, finding.fault));
  throw problem('DOMAIN_NOT_VERIFIED', {
    detail: `${finding.fault} Expected a TXT record with the value ${proofValue(domain)}. A new record can take a while to become visible.`,
    extensions: { expected: proofValue(domain), found: finding.found },
  });
}

/**
 * Marks a domain as verified, serialized with other checks. A look-up does not count if the domain's token changed
 * since.
 * @throws Problem ALREADY_EXISTS, CONFLICT
 */
async function holdProven(ctx: Ctx, before: DomainRow, asked: 'by hand' | 'daily'): Promise<DomainRow> {
  try {
    return await transaction(ctx, async (tx) => {
      const domain = await lockDomain(tx, before.id);
      if (domain.token !== before.token) throw problem('CONFLICT');
      const held = await keepProven(tx, domain);
      const { id: domainId, host } = domain;
      if (domain.status !== 'verified') {
        await unbindOthers(tx, host);
        await announce(tx, { topic: 'domain', key: host });
        await emit(tx, 'domain.verified', { domainId, host });
      } else if (asked === 'by hand') await emit(tx, 'domain.checked', { domainId, host });
      return held;
    });
  } catch (error) {
    if (isUniqueViolation(error, 'domains_verified')) throw verifiedElsewhere();
    throw error;
  }
}

function keepProven(tx: TxCtx, { id, status, verified_at: before }: DomainRow): Promise<DomainRow> {
  return tx.db
    .updateTable('domains')
    .set({
      status: 'verified',
      verified_at: status === 'verified' ? before : tx.now,
      lost_at: null,
      checked_at: tx.now,
      fault: null,
      failed_checks: 0,
      next_check_at: new Date(tx.now.getTime() + DAY_MS),
    })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function noteFault(tx: TxCtx, { id }: DomainRow, fault: string): Promise<void> {
  await tx.db
    .updateTable('domains')
    .set({ checked_at: tx.now, fault })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', id)
    .execute();
}

type Unbound = Pick<DomainRow, 'workspace_id' | 'project_id' | 'environment' | 'id'> & { purpose: string };

/** Removes the bindings of earlier holders of the host, so that a new proof of theirs can't revive them. */
async function unbindOthers(tx: TxCtx, host: string): Promise<void> {
  const { rows } = await sql<Unbound>`
    delete from domain_bindings b using domains d
    where d.host = ${host} and d.status <> 'verified' and b.workspace_id = d.workspace_id and b.domain_id = d.id
    returning d.workspace_id, d.project_id, d.environment, d.id, b.purpose /* all workspaces */`.execute(tx.db);
  for (const { workspace_id: workspaceId, project_id: projectId, environment, id, purpose } of rows) {
    const theirs = { ...tx, scope: { workspaceId, projectId, environment }, actor: SYSTEM };
    // biome-ignore lint/performance/noAwaitInLoops: two at most for each former holder, on one connection
    await emit(theirs, 'domain.unbound', { domainId: id, host, purpose });
  }
}

const SYSTEM = { kind: 'system', name: 'domains' } as const;

/**
 * Looks up due proofs: each verified domain daily, or an hour after a look-up without proof or response. Runs as a job,
 * in any number of processes: each due domain is claimed by one.
 */
export async function recheckDomains(system: System): Promise<void> {
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    const due = await takeDue(system);
    if (due.length === 0) return;
    await Promise.all(due.map((domain) => recheck(system, domain)));
  }
}

/** Claims due domains for an hour: if a process dies, another one looks its domains up. Served by domains_due. */
async function takeDue(system: System): Promise<DomainRow[]> {
  const now = system.clock.now();
  const { rows } = await sql<DomainRow>`
    update domains set next_check_at = ${new Date(now.getTime() + HOUR_MS)}
    where (workspace_id, id) in (
      select workspace_id, id from domains where status = 'verified' and next_check_at <= ${now}
      order by next_check_at limit ${BATCH} for update skip locked
    ) returning * /* all workspaces */`.execute(singleWrite(system, 'claim'));
  return rows;
}

async function recheck(system: System, domain: DomainRow): Promise<void> {
  const { workspace_id: workspaceId, project_id: projectId, environment } = domain;
  const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'domains', 'domains');
  try {
    const finding = await findProof(system, domain);
    if (finding.kind === 'proven') await holdProven(ctx, domain, 'daily');
    else if (finding.kind === 'absent') await transaction(ctx, (tx) => countFailure(tx, domain, finding.fault));
    // A missing response does not prove that the record is gone: the domain goes on serving and is looked up again in
    // an hour.
    else await transaction(ctx, (tx) => noteFault(tx, domain, finding.fault));
  } catch (error) {
    // The domain was removed or claimed again meanwhile.
    if (!(error instanceof Problem)) system.log.warn({ err: error, host: domain.host }, 'a domain was not checked');
  }
}

/**
 * Counts a look-up without proof. The second in a row marks the domain as lost and replaces its token, so that an old
 * record proves nothing.
 */
async function countFailure(tx: TxCtx, before: DomainRow, fault: string): Promise<void> {
  const domain = await lockDomain(tx, before.id);
  if (domain.token !== before.token || domain.status !== 'verified') return;
  const failed = domain.failed_checks + 1;
  const lost = failed >= FAILURES_TO_LOSE;
  await tx.db
    .updateTable('domains')
    .set({
      checked_at: tx.now,
      fault,
      failed_checks: failed,
      ...(lost && { status: 'lost', lost_at: tx.now, next_check_at: null, token: newProof() }),
    })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', domain.id)
    .execute();
  const about = { domainId: domain.id, host: domain.host, fault };
  if (!lost) return emit(tx, 'domain.check_failed', about);
  await announce(tx, { topic: 'domain', key: domain.host });
  await emit(tx, 'domain.lost', about);
}
