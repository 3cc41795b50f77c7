import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ApiGrant, NewApiGrants, readApis, shownGrants } from '#apis';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { type ApplicationId, IdSchema } from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { ofRemoved, type Removed } from '#platform/removal.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import type { ApplicationsTable } from './applications.ts';
import { TOKEN_EXCHANGE } from './grants.ts';
import { Jwks } from './jwks.ts';
import { SamlApplication, SamlChanges, shownSaml } from './saml.ts';

const address = Type.String({ minLength: 1, maxLength: 2_000 });
const addresses = (description: string) => Type.Array(address, { maxItems: 50, uniqueItems: true, description });
const lifetime = (minimum: number, maximum: number, description: string) =>
  Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], { description });

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  redirectUris: addresses('Where sign-ins end; compared as exact strings.'),
  postLogoutRedirectUris: addresses('Where signing out ends.'),
  backchannelLogoutUri: Type.Union([address, Type.Null()], {
    description: 'Is notified when sessions end (OpenID Connect Back-Channel Logout 1.0).',
  }),
  origins: addresses('Web origins that may call with cookies or across origins.'),
  permissions: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: 200,
    uniqueItems: true,
    description: 'Of a management client: the permissions it may be granted.',
  }),
  firstParty: Type.Boolean({
    description:
      'False for an application of a third party: people are asked for consent, and its tokens are accepted at userinfo, introspection and resource servers, never exchanged for a session.',
  }),
  subjectType: Type.Enum(['public', 'pairwise'], { description: '`pairwise`: subjects that no other sector sees.' }),
  jwks: Type.Union([Jwks, Type.Null()], {
    description: 'Keys with which the client authenticates instead of a secret.',
  }),
  profile: Type.Enum(['oauth', 'fapi2'], { description: '`fapi2`: must follow the FAPI 2.0 Security Profile.' }),
  pkce: Type.Enum(['required', 'optional'], {
    description:
      '`optional`, for the kind `web` without the profile `fapi2` only: it may request codes without PKCE (RFC 7636). Then nothing but its own check of `nonce` or `state` detects a code that somebody else obtained.',
  }),
  idTokenClaims: Type.Enum(['requested', 'scopes'], {
    description:
      'What its ID tokens say about the person: `requested`: the claims that the `claims` parameter asks for in them; the others are at userinfo (OpenID Connect Core §5.4). `scopes`: the claims of the granted scopes, too, for software that does not read userinfo.',
  }),
  usesDefaultOrganization: Type.Boolean({
    description:
      'Sign-ins that name no organization enter the person’s default organization, if the person may enter it.',
  }),
  apis: NewApiGrants,
  dpopBound: Type.Boolean({ description: 'Its tokens must be bound to its key (RFC 9449).' }),
  grants: Type.Array(
    Type.Enum([
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
      TOKEN_EXCHANGE,
    ]),
    {
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      description:
        'The OAuth grant types it uses, out of those of its kind; all of these when absent. Token exchange (RFC 8693) is for confidential first-party applications, is never the default, and needs the permission `applications:delegate`.',
    },
  ),
  accessTokenSeconds: lifetime(60, 3_600, 'Lifetime of its access or management tokens; null: the project’s.'),
  refreshTokenSeconds: lifetime(
    300,
    365 * 86_400,
    'How long its refresh tokens may go unused; null: as long as the project’s sessions. None outlives its session.',
  ),
};

const { name, ...others } = fields;
export const NewApplicationBody = Type.Object(
  {
    kind: Type.Enum(['spa', 'web', 'native', 'management', 'device', 'saml']),
    name,
    ...Type.Partial(Type.Object(others)).properties,
    saml: Type.Optional(SamlChanges),
  },
  { additionalProperties: false },
);
export const ApplicationChanges = Type.Partial(Type.Object({ ...fields, enabled: Type.Boolean(), saml: SamlChanges }), {
  additionalProperties: false,
  minProperties: 1,
});

const Secret = Type.Object({
  id: IdSchema('sec'),
  hint: Type.String({ description: 'Its last four characters.' }),
  createdAt: Instant,
});

export const ApplicationRecord = Type.Object(
  {
    id: IdSchema('app'),
    clientId: Type.String(),
    kind: NewApplicationBody.properties.kind,
    ...fields,
    apis: Type.Array(ApiGrant),
    grants: Type.Array(fields.grants.items, {
      description: 'The OAuth grant types it uses; the kind `saml` has none.',
    }),
    saml: Type.Union([SamlApplication, Type.Null()], { description: 'Of the kind `saml`.' }),
    registrationTokenId: Type.Union([IdSchema('rgt'), Type.Null()], {
      description: 'The token it registered itself with; null: an administrator added it.',
    }),
    enabled: Type.Boolean(),
    secrets: Type.Array(Secret, { description: 'The active secrets, oldest first.' }),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'Application' },
);
export type ApplicationRecord = Static<typeof ApplicationRecord>;

/** The record with the first secret, which is shown only once. */
export const CreatedApplication = Type.Object({
  ...ApplicationRecord.properties,
  secret: Type.Union([Type.String(), Type.Null()], { description: 'Shown once.' }),
});
export const NewSecret = Type.Object({ ...Secret.properties, secret: Type.String({ description: 'Shown once.' }) });

type Row = Selectable<ApplicationsTable> & {
  secrets: { id: Static<typeof Secret>['id']; hint: string; created_at: string }[] | null;
};

function scoped(ctx: Ctx | TxCtx) {
  return ctx.db
    .selectFrom('applications as a')
    .selectAll('a')
    .select(
      sql<Row['secrets']>`(
        select json_agg(json_build_object('id', s.id, 'hint', s.hint, 'created_at', s.created_at) order by s.id)
        from application_secrets s
        where s.workspace_id = ${ctx.scope.workspaceId} and s.project_id = a.project_id and s.environment = a.environment and s.application_id = a.id
      )`.as('secrets'),
    )
    .where(inScope(ctx, 'a'));
}

function recordOf(row: Row, apis: Awaited<ReturnType<typeof readApis>>): ApplicationRecord {
  return {
    id: row.id,
    clientId: row.client_id,
    kind: row.kind,
    name: row.name,
    redirectUris: row.redirect_uris,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    backchannelLogoutUri: row.backchannel_logout_uri,
    origins: row.origins,
    permissions: row.permissions,
    firstParty: row.first_party,
    subjectType: row.subject_type,
    jwks: row.jwks && Value.Parse(Jwks, row.jwks),
    profile: row.profile,
    pkce: row.pkce,
    idTokenClaims: row.id_token_claims,
    usesDefaultOrganization: row.uses_default_organization,
    apis: shownGrants(row.apis, apis),
    dpopBound: row.dpop_bound,
    grants: row.grants,
    accessTokenSeconds: row.access_token_seconds,
    refreshTokenSeconds: row.refresh_token_seconds,
    saml: row.saml && shownSaml(row.saml),
    registrationTokenId: row.registration_token_id,
    enabled: row.enabled,
    secrets: (row.secrets ?? []).map(({ id, hint, created_at }) => ({
      id,
      hint,
      createdAt: new Date(created_at).toISOString(),
    })),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export const ApplicationQuery = Type.Object({
  ...PageQuery.properties,
  apiId: Type.Optional({ ...IdSchema('api'), description: 'Only the applications that may use this API.' }),
});

/** The applications of a project, newest first. Served by the primary key. */
export async function listApplications(
  ctx: Ctx,
  { limit, cursor, apiId }: Static<typeof ApplicationQuery>,
): Promise<Page<ApplicationRecord>> {
  const list = apiId === undefined ? 'applications' : `applications of ${apiId}`;
  const all = scoped(ctx);
  const query = apiId === undefined ? all : all.where(sql<boolean>`a.apis @> ${JSON.stringify([{ apiId }])}`);
  const [page, apis] = await Promise.all([newestFirst(ctx, query, { list, limit, cursor, by: 'a.id' }), readApis(ctx)]);
  return { items: page.rows.map((row) => recordOf(row, apis)), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getApplication(ctx: Ctx | TxCtx, id: ApplicationId): Promise<ApplicationRecord> {
  const row = await scoped(ctx).where('a.id', '=', id).executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(row, await readApis(ctx));
}

/** The applications of the removed project or workspace. Served by the primary key. */
export async function applicationIdsOf(tx: TxCtx, removed: Removed): Promise<ApplicationId[]> {
  const { rows } = await sql<{ id: ApplicationId }>`select id from applications where ${ofRemoved(removed)}`.execute(
    tx.db,
  );
  return rows.map(({ id }) => id);
}
