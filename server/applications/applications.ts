import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { JWK } from 'jose';
import { type Generated, sql } from 'kysely';
import { revokeTokens } from '#access-tokens';
import type { StoredGrant } from '#apis';
import { projectOf } from '#environments';
import { emit } from '#events';
import { permissionsChanged } from '#permissions';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import { type Json, later } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { feedCache } from '#platform/feed-cache.ts';
import { type ApplicationId, type Id, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { System, SystemInTx } from '#platform/system.ts';
import { endDescended } from '#sessions';
import { CLOSING_TOPIC, isClosed, workspaceByRoutingKey } from '#tenancy';
import { accountPage, isAccountPage } from './account-page.ts';
import { type ApplicationKind, type Grant, grantsOf } from './grants.ts';
import type { RegistrationTokenId } from './registration-tokens.ts';
import type { StoredSaml } from './saml.ts';

export type ApplicationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: ApplicationId;
  client_id: string;
  kind: ApplicationKind;
  name: string;
  redirect_uris: string[];
  origins: string[];
  permissions: string[];
  post_logout_redirect_uris: Generated<string[]>;
  backchannel_logout_uri: Generated<string | null>;
  first_party: Generated<boolean>;
  subject_type: Generated<'public' | 'pairwise'>;
  jwks: Json<{ keys: JWK[] }> | null;
  profile: Generated<'oauth' | 'fapi2'>;
  pkce: Generated<'required' | 'optional'>;
  id_token_claims: Generated<'requested' | 'scopes'>;
  uses_default_organization: Generated<boolean>;
  apis: Json<StoredGrant[]>;
  dpop_bound: Generated<boolean>;
  grants: Grant[];
  access_token_seconds: Generated<number | null>;
  refresh_token_seconds: Generated<number | null>;
  registration_token_id: Generated<RegistrationTokenId | null>;
  saml: Json<StoredSaml> | null;
  enabled: boolean;
  tokens_ended_at: Date | null;
  sign_ins_ended_at: Generated<Date | null>;
  created_at: Date;
  updated_at: Date;
};

type SecretId = Id<'sec'>;

type ApplicationSecretsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  application_id: ApplicationId;
  id: SecretId;
  hash: Buffer;
  hint: string;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    applications: ApplicationsTable;
    application_secrets: ApplicationSecretsTable;
  }
}

/** An OAuth/OIDC client of one project environment, as requests use it. */
export type Application = {
  id: ApplicationId;
  clientId: string;
  workspaceId: WorkspaceId;
  projectId: ProjectId;
  environment: Environment;
  kind: ApplicationKind;
  name: string;
  redirectUris: string[];
  origins: string[];
  /** What a management client may be granted. */
  permissions: string[];
  postLogoutRedirectUris: string[];
  /** Where it is notified that a session ended (OpenID Connect Back-Channel Logout). */
  backchannelLogoutUri: string | null;
  /** First-party: no consent is asked for. */
  firstParty: boolean;
  /** `pairwise`: its subjects differ from those of other applications. */
  subjectType: 'public' | 'pairwise';
  /** The public keys of its assertions; null: it has a secret, or is a public client. */
  jwks: { keys: JWK[] } | null;
  /** `fapi2`: must follow the FAPI 2.0 Security Profile. */
  profile: 'oauth' | 'fapi2';
  /** `optional`: it may request codes without a PKCE challenge. For confidential `web` applications only. */
  pkce: 'required' | 'optional';
  /** `scopes`: its ID tokens carry the claims of the granted scopes, too, not only those asked for by `claims`. */
  idTokenClaims: 'requested' | 'scopes';
  /** Sign-ins that name no organization enter the default organization of the person. */
  usesDefaultOrganization: boolean;
  /** The APIs it may get access tokens for (RFC 8707). */
  apis: StoredGrant[];
  /** Its tokens must be bound to its key (RFC 9449). */
  dpopBound: boolean;
  /** The OAuth grant types it uses. */
  grants: Grant[];
  /** Lifetime of its access or management tokens, in seconds; null: the project's. */
  accessTokenSeconds: number | null;
  /** How long its refresh tokens may go unused, in seconds; null: as long as the project's sessions. */
  refreshTokenSeconds: number | null;
  /** Registered dynamically rather than by an administrator (RFC 7591). */
  selfRegistered: boolean;
  enabled: boolean;
  /** Tokens dated up to this time are invalid: a little after the last new secret or disabling. */
  tokensEndedAt: Date | null;
  /** User tokens issued up to this time are invalid: a little after the last disabling. */
  signInsEndedAt: Date | null;
  /** SHA-256 of each live secret. */
  secretHashes: Buffer[];
  /** The service provider of an application by SAML. */
  saml: StoredSaml | null;
  /** It only signs people in and gets no code or token (OAuth 2.0 Multiple Response Type Encoding Practices §4). */
  signInOnly: boolean;
};

export type NewApplication = Pick<Application, 'kind' | 'name'> &
  Partial<
    Pick<
      Application,
      | 'redirectUris'
      | 'postLogoutRedirectUris'
      | 'backchannelLogoutUri'
      | 'firstParty'
      | 'subjectType'
      | 'jwks'
      | 'profile'
      | 'pkce'
      | 'idTokenClaims'
      | 'usesDefaultOrganization'
      | 'apis'
      | 'dpopBound'
      | 'grants'
      | 'accessTokenSeconds'
      | 'refreshTokenSeconds'
      | 'origins'
      | 'saml'
    >
  > & { permissions?: readonly string[]; registrationTokenId?: RegistrationTokenId };

/** The workspace's routing key and 96 random bits. */
const CLIENT_ID = /^[a-z0-9]{8}\.[A-Za-z0-9_-]{16}$/;

const CONFIDENTIAL: readonly ApplicationKind[] = ['web', 'management'];

/**
 * Adds a client to `tx.scope`.
 * @returns its ids, and for confidential kinds the secret: shown once, stored as a hash
 */
export async function createApplication(
  tx: TxCtx,
  application: NewApplication,
): Promise<{ id: ApplicationId; clientId: string; secret: string | null }> {
  const { routingKey } = await projectOf(tx.system, tx.scope, tx.db);
  const id = newId('app', tx.now);
  const clientId = `${routingKey}.${randomBytes(12).toString('base64url')}`;
  await tx.db
    .insertInto('applications')
    .values({
      ...scopeColumns(tx),
      id,
      client_id: clientId,
      ...columnsOfKind(application),
      kind: application.kind,
      name: application.name,
      redirect_uris: application.redirectUris ?? [],
      origins: application.origins ?? [],
      permissions: [...(application.permissions ?? [])],
      post_logout_redirect_uris: application.postLogoutRedirectUris ?? [],
      backchannel_logout_uri: application.backchannelLogoutUri ?? null,
      first_party: application.firstParty ?? true,
      subject_type: application.subjectType ?? 'public',
      jwks: application.jwks ? JSON.stringify(application.jwks) : null,
      profile: application.profile ?? 'oauth',
      pkce: application.pkce ?? 'required',
      id_token_claims: application.idTokenClaims ?? 'requested',
      apis: JSON.stringify(application.apis ?? []),
      registration_token_id: application.registrationTokenId ?? null,
      enabled: true,
      tokens_ended_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .execute();
  const secret = CONFIDENTIAL.includes(application.kind) && !application.jwks ? (await addSecret(tx, id)).secret : null;
  await emit(tx, 'application.created', { applicationId: id, kind: application.kind });
  await announce(tx, { topic: 'application', key: clientId });
  return { id, clientId, secret };
}

function columnsOfKind({ kind, grants, saml, ...tokens }: NewApplication) {
  return {
    uses_default_organization: tokens.usesDefaultOrganization ?? false,
    saml: saml ? JSON.stringify(saml) : null,
    dpop_bound: tokens.dpopBound ?? false,
    grants: grants ?? [...grantsOf(kind)],
    access_token_seconds: tokens.accessTokenSeconds ?? null,
    refresh_token_seconds: tokens.refreshTokenSeconds ?? null,
  };
}

/** A new secret, which is shown only once. */
type IssuedSecret = { id: SecretId; hint: string; secret: string };

/**
 * Adds a secret to a client.
 * @returns the secret: shown once, stored as a hash
 */
export async function addSecret(tx: TxCtx, applicationId: ApplicationId): Promise<IssuedSecret> {
  const secret = `lks_${randomSecret()}`;
  const issued = { id: newId('sec', tx.now), hint: secret.slice(-4), secret };
  await tx.db
    .insertInto('application_secrets')
    .values({
      ...scopeColumns(tx),
      application_id: applicationId,
      id: issued.id,
      hash: hashSecret(secret),
      hint: issued.hint,
      created_at: tx.now,
    })
    .execute();
  return issued;
}

/**
 * Replaces all secrets of a client; its tokens end at once.
 * @throws Problem NOT_FOUND
 */
export async function rotateSecret(tx: TxCtx, applicationId: ApplicationId): Promise<string> {
  await endTokens(tx, applicationId, {});
  await tx.db
    .deleteFrom('application_secrets')
    .where(inScope(tx))
    .where('application_id', '=', applicationId)
    .execute();
  const { secret } = await addSecret(tx, applicationId);
  await emit(tx, 'application.secret.rotated', { applicationId });
  return secret;
}

/**
 * Disables a client; its tokens end at once.
 * @throws Problem NOT_FOUND
 */
export async function disableApplication(tx: TxCtx, applicationId: ApplicationId): Promise<void> {
  await endTokens(tx, applicationId, { enabled: false });
  await emit(tx, 'application.disabled', { applicationId });
}

/** How long another process may still issue tokens after a change it has not heard of, with a margin. Milliseconds. */
const HEARD_WITHIN_MS = 2_000;

/**
 * Changes a client and ends its management tokens in every process: those already issued and those being issued
 * meanwhile. What it may do for itself ends with them, such as acting as a person. Disabling also ends the tokens of its users; a changed secret alone does not, because a secret gives no
 * access to them. Each call ends all tokens issued since the last, even within the same second, which is the resolution
 * of their dates.
 */
export async function endTokens(
  tx: TxCtx,
  applicationId: ApplicationId,
  changes: { enabled?: boolean },
): Promise<void> {
  const now = new Date(tx.now.getTime() + HEARD_WITHIN_MS);
  const row = await tx.db
    .updateTable('applications')
    .set({
      ...changes,
      ...(changes.enabled === false && { sign_ins_ended_at: now }),
      tokens_ended_at: sql`greatest(${now}, ${later('tokens_ended_at', '1 second')})`,
      updated_at: tx.now,
    })
    .where(inScope(tx))
    .where('id', '=', applicationId)
    .returning(['client_id', 'tokens_ended_at'])
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  await revokeTokens(tx, [applicationId], row.tokens_ended_at ?? now);
  if (changes.enabled === false) await endDescended(tx, { applicationId }, 'application_disabled');
  await permissionsChanged(tx, { applicationId, clientId: row.client_id }, 'application_changed');
  await announce(tx, { topic: 'application', key: row.client_id });
}

/**
 * Finds a client of an environment by its client id, unless its project is being deleted. Cached while the change feed
 * is live.
 */
export async function findApplication(
  system: SystemInTx,
  environment: Environment,
  clientId: string,
): Promise<Application | undefined> {
  if (isAccountPage(clientId)) return accountPage(system, environment, clientId);
  if (!CLIENT_ID.test(clientId)) return undefined;
  const found = await applications(system, { environment, clientId });
  return found?.environment === environment && !(await isClosed(system, found)) ? found : undefined;
}

/** Compares a presented secret with all current secrets, in constant time. */
export function checkSecret(application: Application, secret: string): boolean {
  const presented = hashSecret(secret);
  return application.secretHashes.map((stored) => timingSafeEqual(stored, presented)).includes(true);
}

const applications = feedCache({
  topics: ['application', CLOSING_TOPIC],
  drops: ({ topic, key }, clientId) => topic === CLOSING_TOPIC || key === clientId,
  keyOf: ({ clientId }: Wanted) => clientId,
  load: loadApplication,
  max: 10_000,
});

type Wanted = { environment: Environment; clientId: string };

/** Served by applications_client_id and the primary key of the secrets. */
async function loadApplication(system: System, { environment, clientId }: Wanted): Promise<Application | undefined> {
  const workspaceId = await workspaceByRoutingKey(system, clientId.split('.', 1)[0] ?? '');
  if (!workspaceId) return undefined;
  const row = await system.lookups
    .selectFrom('applications as a')
    .selectAll('a')
    .select((eb) =>
      eb
        .selectFrom('application_secrets as s')
        .select((inner) => inner.fn.agg<Buffer[] | null>('array_agg', ['s.hash']).as('hashes'))
        .where('s.workspace_id', '=', workspaceId)
        .whereRef('s.project_id', '=', 'a.project_id')
        .whereRef('s.environment', '=', 'a.environment')
        .whereRef('s.application_id', '=', 'a.id')
        .as('hashes'),
    )
    .where('a.workspace_id', '=', workspaceId)
    .where('a.environment', '=', environment)
    .where('a.client_id', '=', clientId)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    id: row.id,
    clientId: row.client_id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    environment: row.environment,
    kind: row.kind,
    name: row.name,
    redirectUris: row.redirect_uris,
    origins: row.origins,
    permissions: row.permissions,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    backchannelLogoutUri: row.backchannel_logout_uri,
    firstParty: row.first_party,
    subjectType: row.subject_type,
    jwks: row.jwks,
    profile: row.profile,
    pkce: row.pkce,
    idTokenClaims: row.id_token_claims,
    usesDefaultOrganization: row.uses_default_organization,
    apis: row.apis,
    dpopBound: row.dpop_bound,
    grants: row.grants,
    accessTokenSeconds: row.access_token_seconds,
    refreshTokenSeconds: row.refresh_token_seconds,
    selfRegistered: row.registration_token_id !== null,
    enabled: row.enabled,
    tokensEndedAt: row.tokens_ended_at,
    signInsEndedAt: row.sign_ins_ended_at,
    secretHashes: row.hashes ?? [],
    saml: row.saml,
    signInOnly: row.kind === 'saml',
  };
}
