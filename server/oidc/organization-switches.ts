import { hash } from 'node:crypto';
import { sql } from 'kysely';
import Provider, { errors, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import { Value } from 'typebox/value';
import { admit, deviceOfSession } from '#admission';
import { isFirstParty } from '#applications';
import { type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type OrganizationId } from '#platform/ids.ts';
import { parseSource } from '#platform/source.ts';
import type { System } from '#platform/system.ts';
import { findSession } from '#sessions';
import { ctxOf } from './accounts.ts';
import { applicationOf, type IssuerAddress, realmOf } from './clients.ts';
import { holdGrantOf } from './delegations.ts';
import { checkOrganization, organizationAsked } from './organizations.ts';
import { placeIn, routedLike } from './routed-ids.ts';

const UserIdSchema = IdSchema('usr');

/** The grants of the access tokens of requests that asked for another organization than that of their refresh token. */
const switched = new WeakMap<KoaContextWithOIDC['oidc'], Grant>();

/** What a token request presents. */
type Source = { kind?: string; consumed?: unknown } | undefined;

/**
 * Decides on the parameter `organization` of a token request. A refresh may name any organization of the person: its access
 * token is for that one, and the refresh token stays in its own. In other requests it can only confirm the grant's.
 * @throws AccessDenied, UnmetAuthenticationRequirements if the session may not enter it; the refresh token is not spent
 * then. InvalidRequest for another organization than the grant's
 */
export async function applyOrganization(
  system: System,
  issuer: IssuerAddress,
  { ctx, source }: { ctx: KoaContextWithOIDC; source: Source },
): Promise<void> {
  const { oidc } = ctx;
  const { organization } = Object(oidc.body);
  // A refresh token that was used before ends its grant and enters nothing.
  if (oidc.route !== 'token' || organization === undefined || source?.consumed) return;
  await checkOrganization(system, issuer, { ctx, named: organization });
  const found = await organizationAsked(ctxOf(system, applicationOf(oidc.client)), { organization });
  const { Grant: grant } = oidc.entities;
  if (found && found === grant?.organizationId) return;
  if (source?.kind !== 'RefreshToken' || !grant)
    throw new errors.InvalidRequest('organization must be that of the grant; a refresh may name another');
  if (!found) throw new errors.AccessDenied('the person cannot use this organization', 'no_organization');
  switched.set(oidc, await grantIn(system, issuer, { ctx, grant, organizationId: found }));
}

type Switch = { ctx: KoaContextWithOIDC; grant: Grant; organizationId: OrganizationId };

async function grantIn(system: System, issuer: IssuerAddress, { ctx, grant, organizationId }: Switch): Promise<Grant> {
  const application = applicationOf(ctx.oidc.client);
  const there = ctxOf(system, application);
  // A confidential application's server calls, so the address of the person is not known.
  const ip = ctx.oidc.client?.clientAuthMethod === 'none' ? parseSource(ctx.ip) : null;
  const id = await transaction({ ...there, trace: { ...there.trace, ip } }, async (tx) => {
    await requireAdmitted(tx, { grant, organizationId, party: isFirstParty(application) ? 'first' : 'third' });
    return (await holdGrantOf(tx, issuer, grant.jti)) ? derivedGrant(tx, issuer, { grant, organizationId }) : undefined;
  });
  const derived = id === undefined ? undefined : await ctx.oidc.provider.Grant.find(id);
  if (!derived) throw new errors.InvalidGrant('the grant has ended');
  return derived;
}

/** Decides again, as for a session that enters another organization. Locks the membership until the end of the transaction. */
async function requireAdmitted(
  tx: TxCtx,
  { grant, organizationId, party }: { grant: Grant; organizationId: OrganizationId; party: 'first' | 'third' },
): Promise<void> {
  const { accountId, sessionId } = grant;
  const proof = sessionId && (await findSession(tx, sessionId));
  if (!proof || !Value.Check(UserIdSchema, accountId)) throw new errors.InvalidGrant('the session has ended');
  const { decision } = await admit(tx, 'switch_context', {
    userId: accountId,
    organizationId,
    party,
    proof,
    device: deviceOfSession(tx, accountId, proof),
    isInside: async () => true,
  });
  if (decision.kind === 'refused')
    throw new errors.AccessDenied('the person cannot use this organization', decision.because);
  if (decision.kind === 'needs')
    throw new errors.UnmetAuthenticationRequirements('the organization asks for more than the session has proven');
}

/**
 * The grant for access tokens in another organization. It descends from the grant of the refresh token, has the same scopes
 * and ends with it, or with the membership. There is one for each organization.
 * @returns its id
 */
async function derivedGrant(
  tx: TxCtx,
  issuer: IssuerAddress,
  { grant, organizationId }: Omit<Switch, 'ctx'>,
): Promise<string> {
  const id = routedLike(grant.jti, hash('sha256', `${grant.jti} ${organizationId}`, 'base64url'));
  const place = placeIn(tx.scope, grant.jti);
  const own = JSON.stringify({ jti: id, organizationId });
  // `tokensFrom` stays: the access tokens that it ended must not become valid again.
  const { numAffectedRows } =
    await sql`insert into oidc_records (workspace_id, issuer, model, id, payload, grant_id, session_id, project_id, expires_at)
    select workspace_id, issuer, model, ${id}, payload - 'tokensFrom' || ${own}::jsonb, id, session_id, project_id, expires_at
    from oidc_records where workspace_id = ${place} and issuer = ${realmOf(issuer)} and model = 'Grant' and id = ${grant.jti}
    on conflict do nothing`.execute(tx.db);
  if (numAffectedRows === 0n)
    await sql`update oidc_records as own set expires_at = parent.expires_at, payload = coalesce(
        jsonb_set(parent.payload || ${own}::jsonb, '{tokensFrom}', own.payload->'tokensFrom'),
        parent.payload - 'tokensFrom' || ${own}::jsonb)
      from oidc_records as parent
      where own.workspace_id = ${place} and own.issuer = ${realmOf(issuer)} and own.model = 'Grant' and own.id = ${id}
        and parent.workspace_id = ${place} and parent.issuer = ${realmOf(issuer)} and parent.model = 'Grant'
        and parent.id = ${grant.jti}`.execute(tx.db);
  return id;
}

/** Makes the provider issue the access token of a request under the grant that {@link applyOrganization} found. */
export function useSwitchedGrants({ AccessToken }: Provider): void {
  const { save } = AccessToken.prototype;
  AccessToken.prototype.save = function saveInOrganization(...args) {
    const oidc = Provider.ctx?.oidc;
    const grant = oidc && switched.get(oidc);
    if (grant) {
      this.grantId = grant.jti;
      oidc.entity('Grant', grant);
    }
    return save.apply(this, args);
  };
}
