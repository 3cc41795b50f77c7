import type { Static } from 'typebox';
import { storedGrants } from '#apis';
import { emit } from '#events';
import { requireAuthority } from '#members';
import { requireKnownPermissions } from '#permissions';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import type { ApplicationId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import { prepareFirstKey } from '#saml-keys';
import { endDescended } from '#sessions';
import {
  type ApplicationChanges,
  type ApplicationRecord,
  type CreatedApplication,
  getApplication,
  type NewApplicationBody,
} from './application-records.ts';
import { createApplication, endTokens } from './applications.ts';
import { checkCombination } from './combinations.ts';
import { type ApplicationKind, type Grant, TOKEN_EXCHANGE } from './grants.ts';
import { checkParty } from './parties.ts';
import { checkAddresses } from './redirect-uris.ts';
import { checkSamlFields, mergedSaml, type SamlChanges, type StoredSaml } from './saml.ts';
import { type Described, describedServiceProvider } from './saml-metadata.ts';

/**
 * Adds an application. Confidential kinds without keys get a secret, which is shown only once.
 * @throws Problem VALIDATION_FAILED, AUTHORIZATION_DENIED for an application that may do more than the actor
 */
export async function addApplication(
  ctx: Ctx,
  application: Static<typeof NewApplicationBody>,
): Promise<Static<typeof CreatedApplication>> {
  checkSamlFields(application.kind, application);
  checkAddresses(ctx.scope.environment, application.kind, application);
  checkCombination(application);
  const written = samlWritten(application);
  const described = written && (await describedServiceProvider(ctx, written, null));
  const keepFirstKey = written && (await prepareFirstKey(ctx));
  return transaction(ctx, async (tx) => {
    await requireKnownPermissions(tx, application.permissions ?? []);
    await requireAuthority(tx, 'application.create', { grants: strengthOf({ firstParty: true, ...application }) });
    const apis = await storedGrants(tx, { machine: application.kind === 'management' }, application.apis ?? []);
    const saml = written && (await mergedSaml(tx, null, { changes: written, described }));
    const { id, secret } = await createApplication(tx, { ...application, apis, saml });
    if (keepFirstKey) await keepFirstKey(tx);
    return { ...(await getApplication(tx, id)), secret };
  });
}

/**
 * Gives a built-in application the addresses from the configuration, which has validated them: on localhost they may be
 * http in either environment. Effective on the next request in every process.
 * @throws Problem NOT_FOUND
 */
export async function moveApplication(
  tx: TxCtx,
  id: ApplicationId,
  addresses: { redirectUris: string[]; postLogoutRedirectUris: string[] },
): Promise<void> {
  const application = await lockApplication(tx, id);
  await write(tx, application, addresses);
  await announce(tx, { topic: 'application', key: application.clientId });
  await emit(tx, 'application.updated', { applicationId: id, fields: Object.keys(addresses) });
}

/**
 * Changes the given fields, effective on the next request in every process. Disabling, or removing keys or permissions,
 * ends the application's tokens at once.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED, AUTHORIZATION_DENIED for an application that may do more than the
 * actor, before or after
 */
export async function updateApplication(
  ctx: Ctx,
  id: ApplicationId,
  changes: Static<typeof ApplicationChanges>,
): Promise<ApplicationRecord> {
  const described = changes.saml ? await describedAnew(ctx, id, changes.saml) : null;
  return transaction(ctx, async (tx) => {
    const before = await lockApplication(tx, id);
    checkSamlFields(before.kind, changes);
    checkAddresses(tx.scope.environment, before.kind, changes);
    checkCombination({ ...before, ...changes });
    checkParty(before, changes.firstParty);
    await requireKnownPermissions(tx, changes.permissions ?? []);
    const grants = [...strengthOf(before), ...strengthOf({ ...before, ...changes })];
    await requireAuthority(tx, 'application.change', { grants });
    const saml = changes.saml && (await mergedSaml(tx, before.storedSaml, { changes: changes.saml, described }));
    await write(tx, before, { ...changes, saml });
    const ended = changes.enabled === false || changes.permissions !== undefined || changes.jwks !== undefined;
    if (ended) await endTokens(tx, id, changes.enabled === false ? { enabled: false } : {});
    if (changes.firstParty === false) await endDescended(tx, { applicationId: id }, 'application_third_party');
    await announce(tx, { topic: 'application', key: before.clientId });
    if (changes.enabled === false && before.enabled) await emit(tx, 'application.disabled', { applicationId: id });
    await emit(tx, 'application.updated', { applicationId: id, fields: Object.keys(changes) });
    return getApplication(tx, id);
  });
}

async function describedAnew(ctx: Ctx, id: ApplicationId, changes: SamlChanges): Promise<Described | null> {
  const { saml } = changes.refresh ? await getApplication(ctx, id) : { saml: null };
  return describedServiceProvider(ctx, changes, saml?.metadataUrl ?? null);
}

/**
 * The permissions an application effectively has. A first-party application gets the whole session of its users, so
 * changing its addresses needs the same trust. A machine that may use APIs does so without asking anyone. With token
 * exchange an application acts for the people of the project.
 */
export function strengthOf({ kind, permissions = [], firstParty, apis = [], grants = [] }: Strength): string[] {
  const machine = kind === 'management';
  return [
    ...(!machine && firstParty ? ['applications:trust'] : permissions),
    ...(machine && apis.length > 0 ? ['apis:write'] : []),
    ...(grants.includes(TOKEN_EXCHANGE) ? ['applications:delegate'] : []),
  ];
}

type Strength = {
  kind: ApplicationKind;
  permissions?: readonly string[];
  firstParty: boolean;
  apis?: readonly unknown[];
  grants?: readonly Grant[];
};

/** The settings of a new application by SAML; null for other kinds. */
function samlWritten({ kind, saml }: Pick<Static<typeof NewApplicationBody>, 'kind' | 'saml'>): SamlChanges | null {
  return kind === 'saml' ? (saml ?? {}) : null;
}

type Changes = Omit<Static<typeof ApplicationChanges>, 'saml'> & { saml?: StoredSaml | undefined };

async function write(
  tx: TxCtx,
  { id, kind }: Pick<ApplicationRecord, 'id' | 'kind'>,
  { saml, ...changes }: Changes,
): Promise<void> {
  const { jwks, apis } = changes;
  const columns = {
    name: changes.name,
    redirect_uris: changes.redirectUris,
    post_logout_redirect_uris: changes.postLogoutRedirectUris,
    backchannel_logout_uri: changes.backchannelLogoutUri,
    origins: changes.origins,
    permissions: changes.permissions,
    first_party: changes.firstParty,
    subject_type: changes.subjectType,
    jwks: jwks ? JSON.stringify(jwks) : jwks,
    profile: changes.profile,
    pkce: changes.pkce,
    id_token_claims: changes.idTokenClaims,
    uses_default_organization: changes.usesDefaultOrganization,
    apis: apis && JSON.stringify(await storedGrants(tx, { machine: kind === 'management' }, apis)),
    dpop_bound: changes.dpopBound,
    grants: changes.grants,
    access_token_seconds: changes.accessTokenSeconds,
    refresh_token_seconds: changes.refreshTokenSeconds,
    saml: saml && JSON.stringify(saml),
    enabled: changes.enabled,
    updated_at: tx.now,
  };
  await tx.db
    .updateTable('applications')
    // The query builder skips undefined values.
    .set(columns)
    .where(inScope(tx))
    .where('id', '=', id)
    .execute();
}

/**
 * Serializes changes of one application.
 * @throws Problem NOT_FOUND
 */
export async function lockApplication(
  tx: TxCtx,
  id: ApplicationId,
): Promise<ApplicationRecord & { storedSaml: StoredSaml | null }> {
  const locked = await tx.db
    .selectFrom('applications')
    .select('saml')
    .where(inScope(tx))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return { ...(await getApplication(tx, id)), storedSaml: locked?.saml ?? null };
}

/**
 * Removes an application; its tokens end at once.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED for an application that may do more than the actor
 */
export async function deleteApplication(ctx: Ctx, id: ApplicationId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const application = await lockApplication(tx, id);
    await requireAuthority(tx, 'application.delete', { grants: strengthOf(application) });
    await endTokens(tx, id, {});
    await endDescended(tx, { applicationId: id }, 'application_removed');
    await tx.db.deleteFrom('applications').where(inScope(tx)).where('id', '=', id).execute();
    await announce(tx, { topic: 'application', key: application.clientId });
    await emit(tx, 'application.deleted', { applicationId: id });
  });
}
