import type { Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { hostNameFrom, newProof, verificationOf } from '#domains';
import { emit } from '#events';
import { RoleKey } from '#members';
import { requireOrganizationRoom } from '#organization-limits';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { domainOf } from '#platform/email-address.ts';
import { type Id, IdSchema, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { CONSUMER_MAIL_DOMAINS } from './consumer-mail-domains.ts';
import { type Authority, asAdministrator } from './organization-authority.ts';
import { lockJoiningRoles, lockKnownRoles } from './organization-roles.ts';
import { getOrganization, lockOrganization, OrganizationRef } from './organizations.ts';

type OrganizationDomainId = Id<'odm'>;

type OrganizationDomainsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  id: OrganizationDomainId;
  host: string;
  status: 'pending' | 'verified' | 'lost';
  token: string;
  auto_join: boolean;
  roles: string[];
  verified_at: Date | null;
  checked_at: Date | null;
  fault: string | null;
  failed_checks: number;
  next_check_at: Date | null;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    organization_domains: OrganizationDomainsTable;
  }
}

export type OrganizationDomainRow = Selectable<OrganizationDomainsTable>;

const Roles = Type.Array(RoleKey, {
  maxItems: 10,
  uniqueItems: true,
  description: 'The roles that people get in the organization when they join by the domain.',
});
const AutoJoin = Type.Boolean({
  description:
    'People with a verified address at the domain join the organization when they sign in, except people who left it or were removed from it.',
});

export const NewOrganizationDomain = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, description: 'The part of mail addresses behind the @.' }),
  },
  { additionalProperties: false },
);
export const OrganizationDomainChanges = Type.Partial(Type.Object({ autoJoin: AutoJoin, roles: Roles }), {
  additionalProperties: false,
  minProperties: 1,
});
export const OrganizationDomainRef = Type.Object({ ...OrganizationRef.properties, domainId: IdSchema('odm') });
export type DomainRef = Static<typeof OrganizationDomainRef>;

export const OrganizationDomain = Type.Object(
  {
    id: IdSchema('odm'),
    host: Type.String(),
    status: Type.Enum(['pending', 'verified', 'lost'], {
      description: '`lost`: the proof was missing, so nobody joins by the domain until it is verified again.',
    }),
    verification: Type.Object(
      { type: Type.Literal('TXT'), name: Type.String(), value: Type.String() },
      { description: 'The DNS record that proves the domain. Keep it: it is looked up every day.' },
    ),
    autoJoin: AutoJoin,
    roles: Roles,
    fault: Type.Union([Type.String(), Type.Null()], { description: 'The fault found by the last look-up.' }),
    checkedAt: nullable(Instant),
    verifiedAt: nullable(Instant),
    createdAt: Instant,
  },
  { title: 'OrganizationDomain' },
);
export type OrganizationDomain = Static<typeof OrganizationDomain>;

export function domainRecord(row: OrganizationDomainRow): OrganizationDomain {
  return {
    id: row.id,
    host: row.host,
    status: row.status,
    verification: verificationOf(row),
    autoJoin: row.auto_join,
    roles: row.roles,
    fault: row.fault,
    checkedAt: row.checked_at?.toISOString() ?? null,
    verifiedAt: row.verified_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

function domainsOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db
    .selectFrom('organization_domains')
    .selectAll()
    .where(inScope(ctx))
    .where('organization_id', '=', organizationId);
}

/**
 * The domains of an organization, newest first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listOrganizationDomains(
  ctx: Ctx,
  organizationId: OrganizationId,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<OrganizationDomain>> {
  await getOrganization(ctx, organizationId);
  const list = `domains of ${organizationId}`;
  const page = await newestFirst(ctx, domainsOf(ctx, organizationId), { list, limit, cursor });
  return { items: page.rows.map(domainRecord), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function findOrganizationDomain(
  ctx: Ctx | TxCtx,
  { organizationId, domainId }: DomainRef,
): Promise<OrganizationDomainRow> {
  return found(await domainsOf(ctx, organizationId).where('id', '=', domainId).executeTakeFirst());
}

/**
 * Serializes changes of a domain.
 * @throws Problem NOT_FOUND
 */
export async function lockOrganizationDomain(
  tx: TxCtx,
  { organizationId, domainId }: DomainRef,
): Promise<OrganizationDomainRow> {
  return found(await domainsOf(tx, organizationId).where('id', '=', domainId).forUpdate().executeTakeFirst());
}

/**
 * Claims a mail domain for an organization. Nobody joins by it until its proof is found. Several organizations may claim
 * the same domain, each with its own token; only one of them can verify it.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED for a host of a consumer mail service, ALREADY_EXISTS if the organization
 * has the domain already, CONFLICT at the limit
 */
export async function claimOrganizationDomain(
  ctx: Ctx | TxCtx,
  organizationId: OrganizationId,
  written: string,
): Promise<OrganizationDomain> {
  try {
    return await transaction(ctx, async (tx) => {
      await lockOrganization(tx, organizationId);
      const host = hostNameFrom(tx.system, written);
      if (CONSUMER_MAIL_DOMAINS.has(host)) throw consumerMail();
      await requireRoom(tx, organizationId);
      const row = await tx.db
        .insertInto('organization_domains')
        .values({
          ...scopeColumns(tx),
          organization_id: organizationId,
          id: newId('odm', tx.now),
          host,
          status: 'pending',
          token: newProof(),
          auto_join: false,
          roles: [],
          verified_at: null,
          checked_at: null,
          fault: null,
          failed_checks: 0,
          next_check_at: null,
          created_at: tx.now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await emit(tx, 'organization.domain.created', { organizationId, domainId: row.id, host });
      return domainRecord(row);
    });
  } catch (error) {
    throw isUniqueViolation(error, 'organization_domains_claim')
      ? problem('ALREADY_EXISTS', 'This organization already has the domain.')
      : error;
  }
}

function consumerMail() {
  const message = 'is a mail service that anybody can use, so its addresses belong to no organization';
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/host', message }] } });
}

/** The caller has locked the organization, so that the maximum is exact. */
async function requireRoom(tx: TxCtx, organizationId: OrganizationId): Promise<void> {
  const { length } = await domainsOf(tx, organizationId).execute();
  await requireOrganizationRoom(tx, 'domains', length);
}

/**
 * Changes whether people join by a domain, and their roles. The actor needs every permission of the earlier and the new
 * roles.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED for an unknown role or `owner`, AUTHORIZATION_DENIED
 */
export function changeOrganizationDomain(
  ctx: Ctx | TxCtx,
  ref: DomainRef,
  { autoJoin, roles }: Static<typeof OrganizationDomainChanges>,
  may: Authority = asAdministrator,
): Promise<OrganizationDomain> {
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, ref.organizationId);
    const before = await lockOrganizationDomain(tx, ref);
    const given = roles ?? before.roles;
    const affected = [...(await lockJoiningRoles(tx, roles ?? [])), ...(await lockKnownRoles(tx, before.roles))];
    await may(tx, 'organization.member.add', affected);
    const row = await tx.db
      .updateTable('organization_domains')
      .set({ auto_join: autoJoin ?? before.auto_join, roles: [...given].sort() })
      .where(inScope(tx))
      .where('organization_id', '=', ref.organizationId)
      .where('id', '=', ref.domainId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'organization.domain.updated', {
      ...ref,
      host: row.host,
      autoJoin: row.auto_join,
      roles: row.roles,
    });
    return domainRecord(row);
  });
}

/** @throws Problem NOT_FOUND */
export async function deleteOrganizationDomain(ctx: Ctx | TxCtx, ref: DomainRef): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { host } = await lockOrganizationDomain(tx, ref);
    await tx.db
      .deleteFrom('organization_domains')
      .where(inScope(tx))
      .where('organization_id', '=', ref.organizationId)
      .where('id', '=', ref.domainId)
      .execute();
    await emit(tx, 'organization.domain.deleted', { ...ref, host });
  });
}

/**
 * The organization that has verified the domain of an address, and so decides how its people sign in.
 * Served by organization_domains_verified.
 */
export async function organizationAt(ctx: Ctx | TxCtx, email: string): Promise<OrganizationId | undefined> {
  const row = await ctx.db
    .selectFrom('organization_domains')
    .select('organization_id as organizationId')
    .where(inScope(ctx))
    .where('status', '=', 'verified')
    .where('host', '=', domainOf(email))
    .executeTakeFirst();
  return row?.organizationId;
}

/** Whether the organization allows invitations to an address: some allow only those at their verified domains. */
export async function isAtInvitedDomain(tx: TxCtx, organizationId: OrganizationId, email: string): Promise<boolean> {
  const { invitesVerifiedDomainsOnly } = await getOrganization(tx, organizationId);
  return !invitesVerifiedDomainsOnly || (await organizationAt(tx, email)) === organizationId;
}
