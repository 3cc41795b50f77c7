import { sql } from 'kysely';
import { absentColumns, findProof, provenColumns, recheckProofs, verificationOf } from '#domains';
import { emit } from '#events';
import { organizationRates } from '#organization-limits';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, later } from '#platform/db.ts';
import { limitKey } from '#platform/limits.ts';
import { found, problem, problemWithRetry } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import {
  type DomainRef,
  domainRecord,
  findOrganizationDomain,
  lockOrganizationDomain,
  type OrganizationDomain,
  type OrganizationDomainRow,
} from './organization-domains.ts';

type Finding = Awaited<ReturnType<typeof findProof>>;

/** A domain and the result of its look-up. */
export type LookedUp = { domain: OrganizationDomainRow; finding: Finding };

/**
 * Looks up the proof of a domain now.
 * @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED
 */
export async function lookUpOrganizationDomain(ctx: Ctx, ref: DomainRef): Promise<LookedUp> {
  const domain = await findOrganizationDomain(ctx, ref);
  const taken = await organizationRates(ctx.system)['organization-domain-verify'].take(ctx, limitKey(domain.id), {
    told: true,
  });
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  return { domain, finding: await findProof(ctx.system, domain) };
}

/**
 * Stores the result of a look-up.
 * @throws Problem NOT_FOUND, DOMAIN_NOT_VERIFIED with the records found, ALREADY_EXISTS while another organization of
 * the project environment holds the domain, CONFLICT
 */
export async function verifyOrganizationDomain(ctx: Ctx, { domain, finding }: LookedUp): Promise<OrganizationDomain> {
  if (finding.kind === 'proven') return domainRecord(await holdProven(ctx, domain, 'by hand'));
  await transaction(ctx, (tx) => note(tx, domain, { fault: finding.fault }));
  const { value } = verificationOf(domain);
  throw problem('DOMAIN_NOT_VERIFIED', {
    detail: `${finding.fault} Expected a TXT record with the value ${value}. A new record can take a while to become visible.`,
    extensions: { expected: value, found: finding.found },
  });
}

/**
 * Marks a domain as verified.
 * @throws Problem NOT_FOUND, ALREADY_EXISTS, CONFLICT if another check replaced the domain's token after the look-up
 */
async function holdProven(
  ctx: Ctx,
  before: OrganizationDomainRow,
  asked: 'by hand' | 'daily',
): Promise<OrganizationDomainRow> {
  try {
    return await transaction(ctx, async (tx) => {
      const domain = await lockOrganizationDomain(tx, refOf(before));
      if (domain.token !== before.token) throw problem('CONFLICT');
      const held = await note(tx, domain, provenColumns(tx, domain));
      const about = { ...refOf(domain), host: domain.host };
      if (domain.status !== 'verified') await emit(tx, 'organization.domain.verified', about);
      else if (asked === 'by hand') await emit(tx, 'organization.domain.checked', about);
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

/**
 * Brings the next look-up of the holder's proof forward. It happens at most once an hour, no matter how many other
 * organizations claim the domain.
 */
async function hastenCheck(ctx: Ctx, host: string): Promise<void> {
  await transaction(ctx, (tx) =>
    tx.db
      .updateTable('organization_domains')
      .set({
        next_check_at: sql<Date>`least(next_check_at, greatest(${tx.now}::timestamptz, ${later('checked_at', '1 hour')}))`,
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

/** @throws Problem NOT_FOUND if the domain was removed in the meantime */
async function note(tx: TxCtx, domain: OrganizationDomainRow, changes: Partial<OrganizationDomainRow>) {
  const row = await tx.db
    .updateTable('organization_domains')
    .set({ checked_at: tx.now, ...changes })
    .where(inScope(tx))
    .where('organization_id', '=', domain.organization_id)
    .where('id', '=', domain.id)
    .returningAll()
    .executeTakeFirst();
  return found(row);
}

/** Looks up due proofs: of each verified domain daily, or an hour after a look-up that found no proof. */
export function recheckOrganizationDomains(system: System): Promise<void> {
  return recheckProofs<OrganizationDomainRow>(system, {
    table: 'organization_domains',
    actor: 'organizations',
    store: storeDaily,
  });
}

function storeDaily(ctx: Ctx, domain: OrganizationDomainRow, finding: Finding): Promise<unknown> {
  if (finding.kind === 'proven') return holdProven(ctx, domain, 'daily');
  return transaction(ctx, async (tx) => {
    if (finding.kind === 'absent') await countFailure(tx, domain, finding.fault);
    // A missing response does not prove that the record is gone.
    else await note(tx, domain, { fault: finding.fault });
  });
}

/** Counts a look-up that found no proof. */
async function countFailure(tx: TxCtx, before: OrganizationDomainRow, fault: string): Promise<void> {
  const domain = await lockOrganizationDomain(tx, refOf(before));
  if (domain.token !== before.token || domain.status !== 'verified') return;
  const { status } = await note(tx, domain, absentColumns(tx, domain, fault));
  const event = status === 'lost' ? 'organization.domain.lost' : 'organization.domain.check_failed';
  await emit(tx, event, { ...refOf(domain), host: domain.host, fault });
}
