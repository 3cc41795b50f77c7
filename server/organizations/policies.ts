import ipaddr from 'ipaddr.js';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { found, problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import type { EffectivePolicy } from '#platform/standing.ts';
import { changeOrganizationSessions } from '#sessions';
import { type Settings, SignInMethod, sessionLifetimes } from '#settings';
import { lockOrganization } from './organizations.ts';

const MAX_ADDRESSES = 100;

const fields = {
  signInMethods: nullable(
    Type.Array(SignInMethod, {
      minItems: 1,
      uniqueItems: true,
      description: 'A session enters only if its person signed in with one of these.',
    }),
  ),
  mfa: nullable(Type.Literal('required', { description: 'A session enters only with a second factor.' })),
  sessionIdleSeconds: nullable(
    Type.Integer({
      minimum: 300,
      description: 'A session leaves the organization when it is not refreshed for this long.',
    }),
  ),
  sessionAbsoluteSeconds: nullable(
    Type.Integer({ minimum: 300, description: 'The person must sign in again after this time.' }),
  ),
  addresses: nullable(
    Type.Array(Type.String({ minLength: 2, maxLength: 50, examples: ['203.0.113.0/24'] }), {
      minItems: 1,
      maxItems: MAX_ADDRESSES,
      uniqueItems: true,
      description: 'Addresses and ranges (CIDR) from which people enter and refresh.',
    }),
  ),
};

/** The policy of an organization; null stands for the project's setting. */
export const OrganizationPolicy = Type.Object(fields, { title: 'OrganizationPolicy' });
export type OrganizationPolicy = Static<typeof OrganizationPolicy>;
export const OrganizationPolicyChanges = Type.Partial(Type.Object(fields), {
  additionalProperties: false,
  minProperties: 1,
});

const NONE: OrganizationPolicy = {
  signInMethods: null,
  mfa: null,
  sessionIdleSeconds: null,
  sessionAbsoluteSeconds: null,
  addresses: null,
};

/** Completes a stored policy: a field that it lacks is null. */
export function policyOf(stored: Partial<OrganizationPolicy>): OrganizationPolicy {
  return { ...NONE, ...stored };
}

/** The stricter of the project's rules and the organization's, field by field. */
export function effectivePolicy(settings: Settings, own: OrganizationPolicy): EffectivePolicy {
  const { idle, absolute } = sessionLifetimes(settings);
  return {
    signInMethods: own.signInMethods?.filter((method) => settings.signInMethods.includes(method)) ?? null,
    mfaRequired: own.mfa === 'required' || settings.mfa === 'required',
    sessionIdleSeconds: Math.min(own.sessionIdleSeconds ?? idle, idle),
    sessionAbsoluteSeconds: Math.min(own.sessionAbsoluteSeconds ?? absolute, absolute),
    addresses: own.addresses,
  };
}

/** @throws Problem NOT_FOUND */
export async function getOrganizationPolicy(ctx: Ctx | TxCtx, id: OrganizationId): Promise<OrganizationPolicy> {
  const query = ctx.db.selectFrom('organizations').select('policy').where(inScope(ctx)).where('id', '=', id);
  return policyOf(found(await query.executeTakeFirst()).policy);
}

/**
 * Changes the policy. Ends the access tokens in the organization; the next refresh is decided by the new policy.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED for a field that is weaker than the project's setting, or for an invalid
 * address
 */
export function changeOrganizationPolicy(
  ctx: Ctx | TxCtx,
  id: OrganizationId,
  changes: Static<typeof OrganizationPolicyChanges>,
): Promise<OrganizationPolicy> {
  return transaction(ctx, async (tx) => {
    const { name } = await lockOrganization(tx, id);
    const { settings } = await projectOf(tx.system, tx.scope);
    requireStrict(settings, changes);
    const policy = { ...(await getOrganizationPolicy(tx, id)), ...changes };
    await tx.db
      .updateTable('organizations')
      .set({ policy: JSON.stringify(policy) })
      .where(inScope(tx))
      .where('id', '=', id)
      .execute();
    const changed = Object.keys(changes).sort();
    await emit(tx, 'organization.policy.changed', { organizationId: id, name, fields: changed });
    const reason = 'organization_policy_changed';
    await changeOrganizationSessions(tx, { organizationId: id, action: 'renew', reason });
    return policy;
  });
}

/**
 * Refuses invalid addresses, and fields that would have no effect because the project's setting is stricter.
 * @throws Problem VALIDATION_FAILED
 */
function requireStrict(settings: Settings, changes: Static<typeof OrganizationPolicyChanges>): void {
  const own = policyOf(changes);
  const effective = effectivePolicy(settings, own);
  const errors = [
    ...(own.signInMethods ?? []).flatMap((method, at) =>
      effective.signInMethods?.includes(method)
        ? []
        : [{ pointer: `/body/signInMethods/${at}`, message: `The project does not offer "${method}"` }],
    ),
    ...(['sessionIdleSeconds', 'sessionAbsoluteSeconds'] as const).flatMap((field) =>
      (own[field] ?? 0) <= effective[field]
        ? []
        : [{ pointer: `/body/${field}`, message: `The project allows at most ${effective[field]}` }],
    ),
    ...(own.addresses ?? []).flatMap((address, at) =>
      isRange(address)
        ? []
        : [{ pointer: `/body/addresses/${at}`, message: `"${address}" is not an address or range` }],
    ),
  ];
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

function isRange(text: string): boolean {
  return ipaddr.isValidCIDR(text) || (ipaddr.isValid(text) && !text.includes('%'));
}
