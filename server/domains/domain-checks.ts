import { sql } from 'kysely';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { Limit } from '#platform/limits.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import { perSystem, type System } from '#platform/system.ts';
import { wantCertificates } from './acme.ts';
import {
  type Domain,
  type DomainId,
  type DomainRow,
  domainRecord,
  eventDataOf,
  findDomain,
  lockDomain,
  proofValue,
  verifiedElsewhere,
} from './domains.ts';
import { absentColumns, type Finding, findProof, provenColumns, recheckProofs } from './proofs.ts';

/** Limits manual look-ups per domain. */
const byHand = perSystem((system) => new Limit(system, { name: 'domain-verify', points: 10, seconds: 60 }));

/** A domain and the result of its look-up. */
export type LookedUp = { domain: DomainRow; finding: Finding };

/**
 * Looks up a domain's proof now.
 * @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED
 */
export async function lookUpProof(ctx: Ctx, id: DomainId, organizationId?: OrganizationId): Promise<LookedUp> {
  const domain = await findDomain(ctx, id, organizationId);
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
 * Marks a domain as verified, serialized with other checks.
 * @throws Problem ALREADY_EXISTS, CONFLICT if another check replaced the domain's token after the look-up
 */
async function holdProven(ctx: Ctx, before: DomainRow, asked: 'by hand' | 'daily'): Promise<DomainRow> {
  try {
    return await transaction(ctx, async (tx) => {
      const domain = await lockDomain(tx, before.id);
      if (domain.token !== before.token) throw problem('CONFLICT');
      const held = await keepProven(tx, domain);
      if (domain.status !== 'verified') {
        await unbindOthers(tx, domain.host);
        await announce(tx, { topic: 'domain', key: domain.host });
        await emit(tx, 'domain.verified', eventDataOf(domain));
        if (domain.organization_id !== null) await bindForSigningIn(tx, domain);
      } else if (asked === 'by hand') await emit(tx, 'domain.checked', eventDataOf(domain));
      return held;
    });
  } catch (error) {
    if (isUniqueViolation(error, 'domains_verified')) throw verifiedElsewhere();
    throw error;
  }
}

/** A domain of an organization has one purpose, so it serves that as soon as it is verified. */
async function bindForSigningIn(tx: TxCtx, domain: DomainRow): Promise<void> {
  const binding = { workspace_id: tx.scope.workspaceId, domain_id: domain.id, purpose: 'auth' as const };
  const { numInsertedOrUpdatedRows: bound } = await tx.db
    .insertInto('domain_bindings')
    .values({ ...binding, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  await wantCertificates(tx);
  if (bound) await emit(tx, 'domain.bound', { ...eventDataOf(domain), purpose: 'auth' });
}

function keepProven(tx: TxCtx, domain: DomainRow): Promise<DomainRow> {
  return tx.db
    .updateTable('domains')
    .set({ ...provenColumns(tx, domain), lost_at: null })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', domain.id)
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

type Unbound = Pick<DomainRow, 'workspace_id' | 'project_id' | 'environment' | 'id' | 'organization_id'> & {
  purpose: string;
};

/** Removes the bindings of earlier holders of the host, so that a new proof of theirs can't revive them. */
async function unbindOthers(tx: TxCtx, host: string): Promise<void> {
  const { rows } = await sql<Unbound>`
    delete from domain_bindings b using domains d
    where d.host = ${host} and d.status <> 'verified' and b.workspace_id = d.workspace_id and b.domain_id = d.id
    returning d.workspace_id, d.project_id, d.environment, d.id, d.organization_id, b.purpose /* all workspaces */`.execute(
    tx.db,
  );
  for (const { workspace_id: workspaceId, project_id: projectId, environment, purpose, ...domain } of rows) {
    const theirs = { ...tx, scope: { workspaceId, projectId, environment }, actor: SYSTEM };
    // biome-ignore lint/performance/noAwaitInLoops: two at most for each former holder, on one connection
    await emit(theirs, 'domain.unbound', { ...eventDataOf({ ...domain, host }), purpose });
  }
}

const SYSTEM = { kind: 'system', name: 'domains' } as const;

/** Looks up due proofs: of each verified domain daily, or an hour after a look-up that found no proof. */
export function recheckDomains(system: System): Promise<void> {
  return recheckProofs<DomainRow>(system, { table: 'domains', actor: 'domains', store: storeDaily });
}

function storeDaily(ctx: Ctx, domain: DomainRow, finding: Finding): Promise<unknown> {
  if (finding.kind === 'proven') return holdProven(ctx, domain, 'daily');
  // A missing response does not prove that the record is gone: the domain goes on serving and is looked up again in
  // an hour.
  const store = finding.kind === 'absent' ? countFailure : noteFault;
  return transaction(ctx, (tx) => store(tx, domain, finding.fault));
}

/** Counts a look-up that found no proof. */
async function countFailure(tx: TxCtx, before: DomainRow, fault: string): Promise<void> {
  const domain = await lockDomain(tx, before.id);
  if (domain.token !== before.token || domain.status !== 'verified') return;
  const changes = absentColumns(tx, domain, fault);
  const lost = changes.status === 'lost';
  await tx.db
    .updateTable('domains')
    .set({ ...changes, ...(lost && { lost_at: tx.now }) })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', domain.id)
    .execute();
  const about = { ...eventDataOf(domain), fault };
  if (!lost) return emit(tx, 'domain.check_failed', about);
  await announce(tx, { topic: 'domain', key: domain.host });
  await emit(tx, 'domain.lost', about);
}
