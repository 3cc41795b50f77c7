import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { addressesOf } from '#domains';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, type Json } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { API_TOPIC, type ApiId, keyOfScope, type ScopeId } from './known-apis.ts';

/**
 * A scope that applications may be granted. Grants and consents name it by its id, so they end with it: a later scope of
 * the same name has another id.
 */
type StoredScope = { id: ScopeId; name: string; description: string };

type ApisTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: ApiId;
  identifier: string;
  name: string;
  scopes: Json<StoredScope[]>;
  access_token_seconds: number | null;
  require_permissions: boolean;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    apis: ApisTable;
  }
}

/** APIs per project environment, and scopes per API. */
const MAX_APIS = 100;
const MAX_SCOPES = 100;

/** The scopes of OpenID Connect and of Latchkey, which no API can define. */
const RESERVED_SCOPES = [
  'openid',
  'profile',
  'email',
  'phone',
  'address',
  'offline_access',
  'roles',
  'permissions',
  'organization',
] as const;

const ApiScope = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      // RFC 6749 §3.3
      pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
      examples: ['orders:read'],
    }),
    description: Type.String({
      maxLength: 200,
      description: 'What it allows, in the words of the consent page; the name is shown when it is empty.',
    }),
  },
  { additionalProperties: false },
);

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Shown on the consent page.' }),
  scopes: Type.Array(ApiScope, { maxItems: MAX_SCOPES }),
  accessTokenSeconds: Type.Union([Type.Integer({ minimum: 60, maximum: 3_600 }), Type.Null()], {
    description: 'The maximum lifetime of its access tokens; null: that of the application.',
  }),
  requirePermissions: Type.Boolean({
    description: 'People get only the scopes that are named like a permission they have in the project.',
  }),
};

const identifier = Type.String({
  minLength: 3,
  maxLength: 500,
  // RFC 3986 §4.3: no fragment. In ASCII, so that every API compares it in the same way.
  pattern: "^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?@!$&'()*+,;=%\\[\\]-]+$",
  examples: ['https://api.example.com/orders'],
  description: 'The audience of its tokens: an absolute URI (RFC 8707). It never changes.',
});

const { name, ...others } = fields;
export const NewApi = Type.Object(
  { identifier, name, ...Type.Partial(Type.Object(others)).properties },
  { additionalProperties: false },
);
export const ApiChanges = Type.Partial(Type.Object(fields), { additionalProperties: false, minProperties: 1 });
type ApiChanges = Static<typeof ApiChanges>;

export const Api = Type.Object(
  {
    id: IdSchema('api'),
    identifier: Type.String(),
    ...fields,
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'Api' },
);
export type Api = Static<typeof Api>;

function recordOf(row: Selectable<ApisTable>): Api {
  return {
    id: row.id,
    identifier: row.identifier,
    name: row.name,
    scopes: row.scopes.map(({ name: scope, description }) => ({ name: scope, description })),
    accessTokenSeconds: row.access_token_seconds,
    requirePermissions: row.require_permissions,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The APIs of a project environment, newest first. Served by the primary key. */
export async function listApis(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<Api>> {
  const query = ctx.db.selectFrom('apis').selectAll().where(inScope(ctx));
  const page = await newestFirst(ctx, query, { list: 'apis', limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getApi(ctx: Ctx | TxCtx, id: ApiId): Promise<Api> {
  const row = await ctx.db.selectFrom('apis').selectAll().where(inScope(ctx)).where('id', '=', id).executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(row);
}

/**
 * Adds an API.
 * @throws Problem VALIDATION_FAILED, ALREADY_EXISTS, CONFLICT beyond the maximum
 */
export async function createApi(ctx: Ctx | TxCtx, api: Static<typeof NewApi>): Promise<Api> {
  await checkIdentifier(ctx, api.identifier);
  checkScopes(api.scopes);
  try {
    return await transaction(ctx, async (tx) => {
      await requireRoom(tx);
      const row = {
        ...scopeColumns(tx),
        id: newId('api', tx.now),
        identifier: api.identifier,
        name: api.name,
        access_token_seconds: api.accessTokenSeconds ?? null,
        require_permissions: api.requirePermissions ?? false,
        created_at: tx.now,
        updated_at: tx.now,
      };
      const scopes = storedScopes(tx, [], api.scopes ?? []);
      await tx.db
        .insertInto('apis')
        .values({ ...row, scopes: JSON.stringify(scopes) })
        .execute();
      await announce(tx, { topic: API_TOPIC, key: keyOfScope(tx.scope) });
      await emit(tx, 'api.created', { apiId: row.id, identifier: row.identifier });
      return recordOf({ ...row, scopes });
    });
  } catch (error) {
    throw isUniqueViolation(error, 'apis_identifier')
      ? problem('ALREADY_EXISTS', `The API "${api.identifier}" already exists.`)
      : error;
  }
}

/**
 * Serializes additions to one project environment, so that the limit is exact.
 * @throws Problem CONFLICT
 */
async function requireRoom(tx: TxCtx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`apis/${keyOfScope(tx.scope)}`}, 0))`.execute(tx.db);
  const { count } = await tx.db
    .selectFrom('apis')
    .where(inScope(tx))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= MAX_APIS)
    throw problem('CONFLICT', {
      detail: `A project environment has up to ${MAX_APIS} APIs; remove one first.`,
      extensions: { limit: MAX_APIS, current: count },
    });
}

/**
 * Changes the given fields; tokens issued from then on follow. A scope that is left out ends for every application and
 * every consent.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export function updateApi(ctx: Ctx, id: ApiId, changes: ApiChanges): Promise<Api> {
  checkScopes(changes.scopes);
  return transaction(ctx, async (tx) => {
    const before = await tx.db
      .selectFrom('apis')
      .select('scopes')
      .where(inScope(tx))
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw problem('NOT_FOUND');
    const row = await tx.db
      .updateTable('apis')
      // The query builder skips undefined values.
      .set({
        name: changes.name,
        scopes: changes.scopes && JSON.stringify(storedScopes(tx, before.scopes, changes.scopes)),
        access_token_seconds: changes.accessTokenSeconds,
        require_permissions: changes.requirePermissions,
        updated_at: tx.now,
      })
      .where(inScope(tx))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await announce(tx, { topic: API_TOPIC, key: keyOfScope(tx.scope) });
    await emit(tx, 'api.updated', { apiId: id, identifier: row.identifier, fields: Object.keys(changes) });
    return recordOf(row);
  });
}

/**
 * Removes an API; no further tokens are issued for it.
 * @throws Problem NOT_FOUND
 */
export async function deleteApi(ctx: Ctx, id: ApiId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await tx.db
      .deleteFrom('apis')
      .where(inScope(tx))
      .where('id', '=', id)
      .returning('identifier')
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    await announce(tx, { topic: API_TOPIC, key: keyOfScope(tx.scope) });
    await emit(tx, 'api.deleted', { apiId: id, identifier: row.identifier });
  });
}

/** A scope that stays keeps its id, and with it its grants and consents. */
function storedScopes({ now }: TxCtx, before: readonly StoredScope[], scopes: Api['scopes']): StoredScope[] {
  return scopes.map((scope) => ({
    id: before.find((known) => known.name === scope.name)?.id ?? newId('scp', now),
    name: scope.name,
    description: scope.description,
  }));
}

/** @throws Problem VALIDATION_FAILED */
function checkScopes(scopes: Api['scopes'] = []): void {
  const names = scopes.map((scope) => scope.name);
  const errors = names.flatMap((scope, index) => {
    const pointer = `/body/scopes/${index}/name`;
    if (RESERVED_SCOPES.some((reserved) => reserved === scope))
      return [{ pointer, message: `"${scope}" is a scope of OpenID Connect or of Latchkey` }];
    return names.indexOf(scope) === index ? [] : [{ pointer, message: `"${scope}" is given twice` }];
  });
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/**
 * Latchkey's own addresses are audiences of sessions and management tokens.
 * @throws Problem VALIDATION_FAILED
 */
async function checkIdentifier({ system, scope }: Ctx | TxCtx, uri: string): Promise<void> {
  const { console, test, production } = system.config.addresses;
  const own = await addressesOf(system, scope);
  const addresses = [console, test.auth, test.api, production.auth, production.api, ...own.auth, ...own.api];
  const href = URL.parse(uri)?.href;
  const fault = href === undefined ? 'must be an absolute URI' : 'is an address of Latchkey itself';
  if (href === undefined || addresses.some((address) => URL.parse(address)?.href === href))
    throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/identifier', message: fault }] } });
}
