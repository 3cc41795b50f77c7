import { sql } from 'kysely';
import { type Finding, findProof, newProof, verificationOf } from '#domains';
import { emit } from '#events';
import { type Ctx, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { Problem, problem, problemWithRetry } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import {
  type DomainRef,
  domainRecord,
  findOrganizationDomain,
  lockOrganizationDomain,
  type OrganizationDomain,
  type OrganizationDomainRow,
} from './organization-domains.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Consecutive look-ups without proof, an hour apart, after which a domain is lost. */
const FAILURES_TO_LOSE = 2;
const BATCH = 20;

const byHand = limits({ 'organization-domain-verify': { points: 10, seconds: 60 } });

/** A domain and the result of its look-up. */
export type LookedUp = { domain: OrganizationDomainRow; finding: Finding };

/**
 * Looks up the proof of a domain now.
 * @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED
 */
export async function lookUpOrganizationDomain(ctx: Ctx, ref: DomainRef): Promise<LookedUp> {
  const domain = await findOrganizationDomain(ctx, ref);
  const taken = await byHand(ctx.system)['organization-domain-verify'].take(ctx, limitKey(domain.id), { told: true });
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  return { domain, finding: await findProof(ctx.system, domain) };
}

/**
 * Stores the result of a look-up.
 * @throws Problem NOT_FOUND, DOMAIN_NOT_VERIFIED with the records found, ALREADY_EXISTS while another organization of the
 * project environment holds the domain
 */
export async function verifyOrganizationDomain(ctx: Ctx, { domain, finding }: LookedUp): Promise<OrganizationDomain> {
  if (finding.kind === 'proven') return domainRecord(await holdProven(ctx, domain));
  await transaction(ctx, (tx) => note(tx, domain, { fault: finding.fault }));
  const { value } = verificationOf(domain);
  throw problem('DOMAIN_NOT_VERIFIED', {
    detail: `${finding.fault} Expected a TXT record with the value ${value}. A new record can take a while to become visible.`,
    extensions: { expected: value, found: finding.found },
  });
}

/** A look-up does not count if the domain's token changed since. */
async function holdProven(ctx: Ctx, before: OrganizationDomainRow): Promise<OrganizationDomainRow> {
  try {
    return await transaction(ctx, async (tx) => {
      const domain = await lockOrganizationDomain(tx, refOf(before));
      if (domain.token !== before.token) throw problem('CONFLICT');
      const held = await note(tx, domain, {
        status: 'verified',
        verified_at: domain.status === 'verified' ? domain.verified_at : tx.now,
        fault: null,
        failed_checks: 0,
        next_check_at: new Date(tx.now.getTime() + DAY_MS),
      });
      const event = domain.status === 'verified' ? 'organization.domain.checked' : 'organization.domain.verified';
      await emit(tx, event, { ...refOf(domain), host: domain.host });
      return held;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'organization_domains_verified')) throw error;
    await hastenCheck(ctx, before.host);
    throw problem(
      'ALREADY_EXISTS',
      'Another organization of this project has verified this domain. If you own it now, remove its TXT record and try again in an hour.',
    );
  }
}

/** Looks up the holder's proof soon instead of within a day: at most once an hour, however many others claim the domain. */
async function hastenCheck(ctx: Ctx, host: string): Promise<void> {
  await transaction(ctx, (tx) =>
    tx.db
      .updateTable('organization_domains')
      .set({
        next_check_at: sql<Date>`least(next_check_at, greatest(${tx.now}::timestamptz, checked_at + interval '1 hour'))`,
      })
      .where(inScope(tx))
      .where('host', '=', host)
      .where('status', '=', 'verified')
      .execute(),
  );
}

function refOf({ organization_id: organizationId, id: domainId }: OrganizationDomainRow): DomainRef {
  return { organizationId, domainId };
}

function note(tx: TxCtx, domain: OrganizationDomainRow, changes: Partial<OrganizationDomainRow>) {
  return tx.db
    .updateTable('organization_domains')
    .set({ checked_at: tx.now, ...changes })
    .where(inScope(tx))
    .where('organization_id', '=', domain.organization_id)
    .where('id', '=', domain.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Looks up due proofs: each verified domain daily, or an hour after a look-up without proof or response. Each due domain
 * is claimed by one process.
 */
export async function recheckOrganizationDomains(system: System): Promise<void> {
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    const due = await takeDue(system);
    if (due.length === 0) return;
    await Promise.all(due.map((domain) => recheck(system, domain)));
  }
}

/** Claims due domains for an hour. Served by organization_domains_due. */
async function takeDue(system: System): Promise<OrganizationDomainRow[]> {
  const now = system.clock.now();
  const { rows } = await sql<OrganizationDomainRow>`
    update organization_domains set next_check_at = ${new Date(now.getTime() + HOUR_MS)}
    where (workspace_id, project_id, environment, organization_id, id) in (
      select workspace_id, project_id, environment, organization_id, id from organization_domains
      where status = 'verified' and next_check_at <= ${now} order by next_check_at limit ${BATCH} for update skip locked
    ) returning * /* all workspaces */`.execute(singleWrite(system, 'claim'));
  return rows;
}

async function recheck(system: System, domain: OrganizationDomainRow): Promise<void> {
  const { workspace_id: workspaceId, project_id: projectId, environment } = domain;
  const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'organizations', 'organizations');
  try {
    const finding = await findProof(system, domain);
    if (finding.kind === 'proven') await holdProven(ctx, domain);
    else if (finding.kind === 'absent') await transaction(ctx, (tx) => countFailure(tx, domain, finding.fault));
    // A missing response does not prove that the record is gone.
    else await transaction(ctx, (tx) => note(tx, domain, { fault: finding.fault }));
  } catch (error) {
    // The domain was removed meanwhile.
    if (!(error instanceof Problem)) system.log.warn({ err: error, host: domain.host }, 'a domain was not checked');
  }
}

/** The second look-up without proof in a row marks the domain as lost and replaces its token. */
async function countFailure(tx: TxCtx, before: OrganizationDomainRow, fault: string): Promise<void> {
  const domain = await lockOrganizationDomain(tx, refOf(before));
  if (domain.token !== before.token || domain.status !== 'verified') return;
  const failed = domain.failed_checks + 1;
  const lost = failed >= FAILURES_TO_LOSE;
  await note(tx, domain, {
    fault,
    failed_checks: failed,
    ...(lost && { status: 'lost' as const, next_check_at: null, token: newProof() }),
  });
  const event = lost ? 'organization.domain.lost' : 'organization.domain.check_failed';
  await emit(tx, event, { ...refOf(domain), host: domain.host, fault });
}
