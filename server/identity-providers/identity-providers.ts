import type { Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { addressesOf } from '#domains';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, type Json } from '#platform/db.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { type Preset, type PresetName, ProviderOptions, presetNames, presets } from './presets.ts';

export type ProviderId = Id<'idp'>;

type IdentityProvidersTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: ProviderId;
  key: string;
  name: string;
  preset: PresetName;
  client_id: string;
  client_secret_sealed: string | null;
  options: Json<ProviderOptions>;
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    identity_providers: IdentityProvidersTable;
  }
}

const PURPOSE = 'identity-provider-secret';

const key = Type.String({ minLength: 1, maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$', examples: ['google'] });
const fields = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  clientId: Type.String({ minLength: 1, maxLength: 500 }),
  enabled: Type.Boolean(),
  options: ProviderOptions,
};
const clientSecret = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: 'Stored encrypted, never shown again. Apple: the private key (PEM).',
});

export const NewProvider = Type.Object(
  {
    key,
    preset: Type.Enum(presetNames),
    clientId: fields.clientId,
    clientSecret: Type.Optional(clientSecret),
    name: Type.Optional(fields.name),
    enabled: Type.Optional(fields.enabled),
    options: Type.Optional(ProviderOptions),
  },
  { additionalProperties: false },
);

export const ProviderChanges = Type.Partial(Type.Object({ ...fields, clientSecret }), {
  additionalProperties: false,
  minProperties: 1,
});

/** An identity provider of a project, without its secret. */
export const Provider = Type.Object(
  {
    id: IdSchema('idp'),
    key: Type.String(),
    preset: Type.String(),
    name: Type.String(),
    clientId: Type.String(),
    hasSecret: Type.Boolean(),
    enabled: Type.Boolean(),
    options: ProviderOptions,
    callbackUrl: Type.String({
      description: "The callback address to register at the provider, at the environment's own address.",
    }),
    callbackUrls: Type.Array(Type.String(), {
      description:
        'All callback addresses, including those of the auth domains bound to the project: people return to the address they came from.',
    }),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'IdentityProvider' },
);
type Provider = Static<typeof Provider>;

/** A provider as used for signing in. */
export type UpstreamProvider = {
  id: ProviderId;
  key: string;
  name: string;
  preset: Preset;
  clientId: string;
  clientSecret: string | null;
  options: ProviderOptions;
  enabled: boolean;
};

type Row = Selectable<IdentityProvidersTable>;

async function recordsOf(
  { system, scope }: Pick<TxCtx, 'system' | 'scope'>,
  rows: readonly Row[],
): Promise<Provider[]> {
  const { auth: own } = await addressesOf(system, scope);
  const { auth } = system.config.addresses[scope.environment];
  return rows.map((row) => recordOf(row, auth, own));
}

function recordOf(row: Row, auth: string, own: readonly string[]): Provider {
  const callbackAt = (address: string) => `${address}/v1/auth/login/social/${row.key}/callback`;
  return {
    id: row.id,
    key: row.key,
    preset: row.preset,
    name: row.name,
    clientId: row.client_id,
    hasSecret: row.client_secret_sealed !== null,
    enabled: row.enabled,
    options: row.options,
    callbackUrl: callbackAt(auth),
    callbackUrls: [auth, ...own].map(callbackAt),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The project's providers, newest first. Served by the primary key. */
export async function listProviders(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<Provider>> {
  const query = ctx.db.selectFrom('identity_providers').selectAll().where(inScope(ctx));
  const page = await newestFirst(ctx, query, { list: 'providers', limit, cursor });
  return { items: await recordsOf(ctx, page.rows), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getProvider(ctx: Ctx | TxCtx, id: ProviderId): Promise<Provider> {
  const [provider] = await recordsOf(
    ctx,
    await ctx.db.selectFrom('identity_providers').selectAll().where(inScope(ctx)).where('id', '=', id).execute(),
  );
  if (!provider) throw problem('NOT_FOUND');
  return provider;
}

/**
 * Adds a provider.
 * @throws Problem ALREADY_EXISTS, VALIDATION_FAILED when the preset needs more
 */
export async function createProvider(ctx: Ctx | TxCtx, provider: Static<typeof NewProvider>): Promise<Provider> {
  const options = provider.options ?? {};
  checkOptions(provider.preset, options);
  const id = newId('idp', ctx.now);
  return transaction(ctx, async (tx) => {
    try {
      await tx.db
        .insertInto('identity_providers')
        .values({
          ...scopeColumns(tx),
          id,
          key: provider.key,
          name: provider.name ?? presets[provider.preset].name,
          preset: provider.preset,
          client_id: provider.clientId,
          client_secret_sealed: sealed(tx, id, provider.clientSecret),
          options: JSON.stringify(options),
          enabled: provider.enabled ?? true,
          created_at: tx.now,
          updated_at: tx.now,
        })
        .execute();
    } catch (error) {
      throw isUniqueViolation(error, 'identity_providers_key')
        ? problem('ALREADY_EXISTS', `A provider already exists with the key "${provider.key}".`)
        : error;
    }
    await emit(tx, 'identity.provider.created', { providerId: id, key: provider.key });
    return getProvider(tx, id);
  });
}

function sealed(tx: TxCtx, id: ProviderId, secret: string | undefined): string | null {
  return secret === undefined ? null : tx.system.keyring.seal(secret, PURPOSE, id);
}

/** The options that each preset requires. */
const NEEDED: Partial<Record<PresetName, readonly (keyof ProviderOptions)[]>> = {
  oidc: ['issuer'],
  apple: ['teamId', 'keyId'],
};

function checkOptions(preset: PresetName, options: ProviderOptions): void {
  const missing = (NEEDED[preset] ?? []).filter((name) => options[name] === undefined);
  if (missing.length === 0) return;
  const errors = missing.map((name) => ({ pointer: `/body/options/${name}`, message: `is needed for "${preset}"` }));
  throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

const ADDRESSES = ['issuer', 'authorizationEndpoint', 'tokenEndpoint', 'userinfoEndpoint', 'emailsEndpoint'] as const;

/** The origins of a provider's addresses, to which its secret and the resulting tokens are sent. */
function originsOf(options: ProviderOptions): string[] {
  return ADDRESSES.flatMap((name) => {
    const address = options[name];
    return address === undefined ? [] : [new URL(address).origin];
  });
}

/**
 * A stored secret is only used with the origins it was given for: otherwise an administrator who can't read it could
 * have it sent to a server of their own.
 * @throws Problem VALIDATION_FAILED
 */
function requireSecretForNewOrigin(before: Row, { options, clientSecret }: Static<typeof ProviderChanges>): void {
  if (options === undefined || clientSecret !== undefined || before.client_secret_sealed === null) return;
  const known = originsOf(before.options);
  if (originsOf(options).every((origin) => known.includes(origin))) return;
  const message = 'is needed again: an address of the provider has a new origin, and the stored secret does not follow';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/clientSecret', message }] } });
}

/**
 * Changes a provider.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export async function updateProvider(
  ctx: Ctx,
  id: ProviderId,
  changes: Static<typeof ProviderChanges>,
): Promise<Provider> {
  return transaction(ctx, async (tx) => {
    const before = await tx.db
      .selectFrom('identity_providers')
      .selectAll()
      .where(inScope(tx))
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw problem('NOT_FOUND');
    checkOptions(before.preset, changes.options ?? before.options);
    requireSecretForNewOrigin(before, changes);
    await tx.db
      .updateTable('identity_providers')
      .set({
        ...(changes.name !== undefined && { name: changes.name }),
        ...(changes.clientId !== undefined && { client_id: changes.clientId }),
        ...(changes.clientSecret !== undefined && { client_secret_sealed: sealed(tx, id, changes.clientSecret) }),
        ...(changes.enabled !== undefined && { enabled: changes.enabled }),
        ...(changes.options !== undefined && { options: JSON.stringify(changes.options) }),
        updated_at: tx.now,
      })
      .where(inScope(tx))
      .where('id', '=', id)
      .execute();
    await emit(tx, 'identity.provider.updated', { providerId: id, key: before.key });
    return getProvider(tx, id);
  });
}

/**
 * Removes a provider. Linked identities stay, in case it is added again.
 * @throws Problem NOT_FOUND
 */
export async function deleteProvider(ctx: Ctx, id: ProviderId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const removed = await tx.db
      .deleteFrom('identity_providers')
      .where(inScope(tx))
      .where('id', '=', id)
      .returning('key')
      .executeTakeFirst();
    if (!removed) throw problem('NOT_FOUND');
    await emit(tx, 'identity.provider.deleted', { providerId: id, key: removed.key });
  });
}

/** The enabled providers, sorted by name. */
export async function enabledProviders(ctx: Ctx | TxCtx): Promise<{ id: string; name: string; preset: string }[]> {
  const rows = await ctx.db
    .selectFrom('identity_providers')
    .selectAll()
    .where(inScope(ctx))
    .where('enabled', '=', true)
    .orderBy('name')
    .execute();
  return rows.map((row) => ({ id: row.key, name: row.name, preset: row.preset }));
}

/**
 * A provider to sign in with: by its key if it is enabled, or by its id.
 * @throws Problem NOT_FOUND when there is none
 */
export async function upstreamProvider(
  ctx: Ctx,
  { by, value }: { by: 'key' | 'id'; value: string },
): Promise<UpstreamProvider> {
  const row = await ctx.db
    .selectFrom('identity_providers')
    .selectAll()
    .where(inScope(ctx))
    .where((eb) => eb(eb.ref(by), '=', eb.val(value)))
    .executeTakeFirst();
  if (!row || (by === 'key' && !row.enabled))
    throw problem('NOT_FOUND', 'There is no such identity provider in this project.');
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    preset: presets[row.preset],
    clientId: row.client_id,
    clientSecret: row.client_secret_sealed && ctx.system.keyring.open(row.client_secret_sealed, PURPOSE, row.id),
    options: row.options,
    enabled: row.enabled,
  };
}
