import { type Generated, type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { lockEnvironment } from '#environments';
import { emit } from '#events';
import { requireOrganizationRoom } from '#organization-limits';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { type Id, IdSchema, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { randomSecret } from '#platform/keyring.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import { hostNameFrom } from './host-names.ts';

export type DomainId = Id<'dom'>;

type DomainsTable = {
  workspace_id: WorkspaceId;
  id: DomainId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: Generated<OrganizationId | null>;
  host: string;
  status: 'pending' | 'verified' | 'lost';
  token: string;
  verified_at: Date | null;
  lost_at: Date | null;
  checked_at: Date | null;
  fault: string | null;
  failed_checks: Generated<number>;
  next_check_at: Date | null;
  created_at: Date;
};

/** What a domain serves: sign-in, the API, or the status page of its project. */
export type Purpose = 'auth' | 'api' | 'status';

type DomainBindingsTable = {
  workspace_id: WorkspaceId;
  domain_id: DomainId;
  purpose: Purpose;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    domains: DomainsTable;
    domain_bindings: DomainBindingsTable;
  }
}

export type DomainRow = Selectable<DomainsTable>;

export const NewDomain = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'Such as `login.example.com`. Names in other scripts are accepted and stored in ASCII (A-labels).',
    }),
  },
  { additionalProperties: false },
);

export const Domain = Type.Object(
  {
    id: IdSchema('dom'),
    host: Type.String(),
    organizationId: nullable(IdSchema('org')),
    status: Type.Enum(['pending', 'verified', 'lost'], {
      description: '`lost`: the proof was missing, so the domain serves nothing until it is verified again.',
    }),
    verification: Type.Object(
      { type: Type.Literal('TXT'), name: Type.String(), value: Type.String() },
      { description: 'The DNS record that proves the domain. Keep it: it is looked up every day.' },
    ),
    fault: Type.Union([Type.String(), Type.Null()], { description: 'The fault found by the last look-up.' }),
    checkedAt: nullable(Instant),
    verifiedAt: nullable(Instant),
    lostAt: nullable(Instant),
    createdAt: Instant,
  },
  { title: 'Domain' },
);
export type Domain = Static<typeof Domain>;

/** The limit per project environment, for domains of any status. */
const MAX_DOMAINS = 50;
const HOUR_MS = 3_600_000;

/** The name of the record that proves a host. */
export function proofName(host: string): string {
  return `_latchkey-verification.${host}`;
}

/** The required value of the record. */
export function proofValue({ token }: Pick<DomainRow, 'token'>): string {
  return `latchkey-verification=${token}`;
}

/** The record that proves a host. */
export function verificationOf(domain: Pick<DomainRow, 'host' | 'token'>): Domain['verification'] {
  return { type: 'TXT', name: proofName(domain.host), value: proofValue(domain) };
}

export function newProof(): string {
  return randomSecret();
}

/** The domain that an event is about, with the organization that has it. */
export function eventDataOf({
  id,
  host,
  organization_id: organizationId,
}: Pick<DomainRow, 'id' | 'host' | 'organization_id'>) {
  return { domainId: id, host, ...(organizationId && { organizationId }) };
}

export function domainRecord(row: DomainRow): Domain {
  return {
    id: row.id,
    host: row.host,
    organizationId: row.organization_id,
    status: row.status,
    verification: verificationOf(row),
    fault: row.fault,
    checkedAt: row.checked_at?.toISOString() ?? null,
    verifiedAt: row.verified_at?.toISOString() ?? null,
    lostAt: row.lost_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

/**
 * The domains of a project environment and its organizations, or of one organization, newest first. Served by
 * domains_of_scope and domains_of_organization.
 */
export async function listDomains(
  ctx: Ctx,
  { limit, cursor }: Static<typeof PageQuery>,
  organizationId?: OrganizationId,
): Promise<Page<Domain>> {
  let query = ctx.db.selectFrom('domains').selectAll().where(inScope(ctx));
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  const page = await newestFirst(ctx, query, { list: JSON.stringify(['domains', organizationId]), limit, cursor });
  return { items: page.rows.map(domainRecord), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND, also for a domain of another organization if one is given */
export async function findDomain(ctx: Ctx | TxCtx, id: DomainId, organizationId?: OrganizationId): Promise<DomainRow> {
  let query = ctx.db.selectFrom('domains').selectAll().where(inScope(ctx)).where('id', '=', id);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return found(await query.executeTakeFirst());
}

/**
 * Locks a domain, which serializes its changes.
 * @throws Problem NOT_FOUND
 */
export async function lockDomain(tx: TxCtx, id: DomainId): Promise<DomainRow> {
  const row = await tx.db
    .selectFrom('domains')
    .selectAll()
    .where(inScope(tx))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

/**
 * Claims a host for the project environment or one of its organizations. It serves nothing until its proof is found.
 * Several projects and organizations may claim an unverified host; each claim has its own token, so a proof for another
 * claim does not count.
 * @throws Problem VALIDATION_FAILED, ALREADY_EXISTS when it is claimed here or verified elsewhere, CONFLICT at the
 * limit
 */
export async function claimDomain(
  ctx: Ctx,
  written: string,
  organizationId: OrganizationId | null = null,
): Promise<Domain> {
  const host = hostNameFrom(ctx.system, written);
  await refuseTakeOver(ctx, host, organizationId);
  try {
    return await transaction(ctx, async (tx) => {
      await refuseAtLimit(tx, organizationId);
      const row = await tx.db
        .insertInto('domains')
        .values({
          workspace_id: tx.scope.workspaceId,
          id: newId('dom', tx.now),
          project_id: tx.scope.projectId,
          environment: tx.scope.environment,
          organization_id: organizationId,
          host,
          status: 'pending',
          token: newProof(),
          verified_at: null,
          lost_at: null,
          checked_at: null,
          fault: null,
          next_check_at: null,
          created_at: tx.now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await emit(tx, 'domain.created', eventDataOf(row));
      return domainRecord(row);
    });
  } catch (error) {
    if (isUniqueViolation(error, 'domains_claim')) throw problem('ALREADY_EXISTS', 'This domain already exists.');
    throw error;
  }
}

/**
 * Refuses a host that another project or organization has verified. The caller may own it by now, so the holder's proof is looked up
 * soon instead of within a day: at most once an hour, however many claims there are. Served by domains_verified.
 */
async function refuseTakeOver(ctx: Ctx, host: string, organizationId: OrganizationId | null): Promise<void> {
  const { workspaceId, projectId, environment } = ctx.scope;
  const held = await transaction(ctx, async (tx) => {
    const { rows } = await sql<Pick<DomainRow, 'workspace_id' | 'id' | 'next_check_at' | 'checked_at'>>`
      select workspace_id, id, next_check_at, checked_at from domains
      where host = ${host} and status = 'verified'
        and (workspace_id, project_id, environment, coalesce(organization_id, ''))
          <> (${workspaceId}, ${projectId}, ${environment}, ${organizationId ?? ''})
      for update /* all workspaces */`.execute(tx.db);
    const [holder] = rows;
    if (!holder) return false;
    const soon = Math.max(tx.now.getTime(), (holder.checked_at?.getTime() ?? 0) + HOUR_MS);
    const next = new Date(Math.min(holder.next_check_at?.getTime() ?? soon, soon));
    await tx.db
      .updateTable('domains')
      .set({ next_check_at: next })
      .where('workspace_id', '=', holder.workspace_id)
      .where('id', '=', holder.id)
      .execute();
    return true;
  });
  if (held) throw verifiedElsewhere();
}

export function verifiedElsewhere() {
  return problem(
    'ALREADY_EXISTS',
    'Another project or organization has verified this host. If you own it now, remove its TXT record and try again in an hour.',
  );
}

/** Serializes additions to a scope, so that the limit holds. */
async function refuseAtLimit(tx: TxCtx, organizationId: OrganizationId | null): Promise<void> {
  await lockEnvironment(tx);
  const { count } = await tx.db
    .selectFrom('domains')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(inScope(tx))
    .where('organization_id', 'is not distinct from', organizationId)
    .executeTakeFirstOrThrow();
  if (organizationId !== null) return requireOrganizationRoom(tx, 'customDomains', count);
  if (count >= MAX_DOMAINS)
    throw problem('CONFLICT', {
      detail: `A project environment has at most ${MAX_DOMAINS} domains. Remove one first.`,
      extensions: { limit: MAX_DOMAINS },
    });
}

/**
 * Removes a domain with its bindings. It stops serving immediately.
 * @throws Problem NOT_FOUND
 */
export async function deleteDomain(ctx: Ctx | TxCtx, id: DomainId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const domain = await lockDomain(tx, id);
    const { host } = domain;
    await tx.db.deleteFrom('domains').where('workspace_id', '=', tx.scope.workspaceId).where('id', '=', id).execute();
    await announce(tx, { topic: 'domain', key: host });
    await emit(tx, 'domain.deleted', eventDataOf(domain));
  });
}
