import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { IdSchema, type OrganizationId, type ProjectId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inWorkspace } from '#platform/scoped.ts';
import { wantCertificates } from './acme.ts';
import { boundUrl } from './bound-addresses.ts';
import { type DomainId, findDomain, lockDomain, type Purpose } from './domains.ts';

const PurposeSchema = Type.Enum(['auth', 'api', 'status'], {
  description:
    'What the domain is used for. `status`: the status page of the project, and nothing else; a domain of a status page has no other purpose.',
});
const place = {
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production', 'prod']),
  purpose: PurposeSchema,
};

/** What a host serves. A domain belongs to one project environment, so its bindings can name no other. */
export const NewBinding = Type.Object(place, { additionalProperties: false });
export type NewBinding = Static<typeof NewBinding>;

export const BindingRef = Type.Object({
  purpose: PurposeSchema,
  projectId: Type.Optional(place.projectId),
  environment: Type.Optional(place.environment),
});

export const Binding = Type.Object(
  {
    projectId: place.projectId,
    environment: Type.Enum(['test', 'production']),
    purpose: PurposeSchema,
    address: Type.String({ format: 'uri', description: 'The base address; for `auth` also the issuer of tokens.' }),
    createdAt: Instant,
  },
  { title: 'DomainBinding' },
);
export type Binding = Static<typeof Binding>;

type Named = { projectId?: ProjectId; environment?: 'test' | 'production' | 'prod' };

/** @throws Problem CONTEXT_NOT_ALLOWED */
function requireOwnPlace({ scope }: Ctx, { projectId, environment }: Named): void {
  const named = environment === 'prod' ? 'production' : environment;
  if ((projectId ?? scope.projectId) === scope.projectId && (named ?? scope.environment) === scope.environment) return;
  throw problem(
    'CONTEXT_NOT_ALLOWED',
    'A domain can only be bound to the project and environment that added it. Add it there, with a token of that project.',
  );
}

/** @throws Problem CONTEXT_NOT_ALLOWED */
function requireProjects(organizationId: OrganizationId | null): void {
  if (organizationId !== null)
    throw problem('CONTEXT_NOT_ALLOWED', 'This domain belongs to an organization and serves its sign-in pages only.');
}

function recordOf(ctx: Ctx | TxCtx, host: string, { purpose, created_at: at }: { purpose: Purpose; created_at: Date }) {
  const { projectId, environment } = ctx.scope;
  const address = boundUrl(ctx.system, { environment, purpose, host });
  return { projectId, environment, purpose, address, createdAt: at.toISOString() };
}

/**
 * The bindings of a domain: at most one per purpose.
 * @throws Problem NOT_FOUND
 */
export async function listBindings(ctx: Ctx, id: DomainId): Promise<Binding[]> {
  const { host } = await findDomain(ctx, id);
  const rows = await ctx.db
    .selectFrom('domain_bindings')
    .select(['purpose', 'created_at'])
    .where(inWorkspace(ctx))
    .where('domain_id', '=', id)
    .orderBy('purpose')
    .execute();
  return rows.map((row) => recordOf(ctx, host, row));
}

/**
 * Makes a verified domain an address of its project environment, immediately and in every process.
 * @throws Problem NOT_FOUND, DOMAIN_NOT_VERIFIED, ALREADY_EXISTS, CONTEXT_NOT_ALLOWED, CONFLICT
 */
export async function bindDomain(ctx: Ctx, id: DomainId, binding: NewBinding): Promise<Binding> {
  requireOwnPlace(ctx, binding);
  const { purpose } = binding;
  try {
    return await transaction(ctx, async (tx) => {
      const { host, status, organization_id: organizationId } = await lockDomain(tx, id);
      requireProjects(organizationId);
      if (status !== 'verified') throw problem('DOMAIN_NOT_VERIFIED');
      await requireAlone(tx, id, purpose);
      const row = { purpose, created_at: tx.now };
      await tx.db
        .insertInto('domain_bindings')
        .values({ workspace_id: tx.scope.workspaceId, domain_id: id, ...row })
        .execute();
      await announce(tx, { topic: 'domain', key: host });
      await wantCertificates(tx);
      await emit(tx, 'domain.bound', { domainId: id, host, purpose });
      return recordOf(tx, host, row);
    });
  } catch (error) {
    if (isUniqueViolation(error, 'domain_bindings_pkey'))
      throw problem('ALREADY_EXISTS', `The domain is already bound as ${purpose} address.`);
    throw error;
  }
}

/**
 * Visitors of a status page must not be where people enter passwords, nor the other way round. The domain is locked.
 * @throws Problem CONFLICT
 */
async function requireAlone(tx: TxCtx, id: DomainId, purpose: Purpose): Promise<void> {
  const others = await tx.db
    .selectFrom('domain_bindings')
    .select('purpose')
    .where(inWorkspace(tx))
    .where('domain_id', '=', id)
    .where('purpose', '<>', purpose)
    .execute();
  if (others.length > 0 && (purpose === 'status' || others.some((other) => other.purpose === 'status')))
    throw problem('CONFLICT', 'The domain of a status page serves nothing else. Use another host, or unbind this one.');
}

/**
 * Removes a purpose from a domain, which then no longer serves it.
 * @throws Problem NOT_FOUND, CONTEXT_NOT_ALLOWED
 */
export async function unbindDomain(ctx: Ctx, id: DomainId, reference: Static<typeof BindingRef>): Promise<void> {
  requireOwnPlace(ctx, reference);
  const { purpose } = reference;
  await transaction(ctx, async (tx) => {
    const { host, organization_id: organizationId } = await lockDomain(tx, id);
    requireProjects(organizationId);
    const { numDeletedRows } = await tx.db
      .deleteFrom('domain_bindings')
      .where(inWorkspace(tx))
      .where('domain_id', '=', id)
      .where('purpose', '=', purpose)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw problem('NOT_FOUND');
    await announce(tx, { topic: 'domain', key: host });
    await emit(tx, 'domain.unbound', { domainId: id, host, purpose });
  });
}
