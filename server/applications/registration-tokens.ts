import { type Generated, type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type Environment, type Scope, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { isClosed, workspaceByRoutingKey } from '#tenancy';

export type RegistrationTokenId = Id<'rgt'>;

type RegistrationTokensTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: RegistrationTokenId;
  hash: Buffer;
  name: string;
  redirect_hosts: string[];
  quota: number;
  registered: Generated<number>;
  expires_at: Date | null;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    registration_tokens: RegistrationTokensTable;
  }
}

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'A name for the list, such as the recipient of the token.',
  }),
  redirectHosts: Type.Array(Type.String({ maxLength: 253, pattern: '^[a-z0-9.-]+$' }), {
    maxItems: 50,
    uniqueItems: true,
    description: 'Hosts that redirect addresses may be on; any when empty.',
  }),
  quota: Type.Integer({ minimum: 1, maximum: 1_000, description: 'How many applications it may register.' }),
};

export const NewRegistrationToken = Type.Object(
  {
    name: fields.name,
    redirectHosts: Type.Optional(fields.redirectHosts),
    quota: Type.Optional(fields.quota),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 31_536_000, description: 'Seconds; a day when absent.' }),
    ),
  },
  { additionalProperties: false },
);

export const RegistrationToken = Type.Object(
  {
    id: IdSchema('rgt'),
    ...fields,
    registered: Type.Integer({ description: 'How many it has registered.' }),
    expiresAt: nullable(Instant),
    createdAt: Instant,
  },
  { title: 'RegistrationToken' },
);
type RegistrationToken = Static<typeof RegistrationToken>;

/** The record with the token itself, which is shown only once. */
export const IssuedRegistrationToken = Type.Object({
  ...RegistrationToken.properties,
  token: Type.String({ description: 'Shown once.' }),
});

const DAY_SECONDS = 86_400;
const QUOTA = 10;
/** `lkg_`, the workspace's routing key, 256 random bits. */
const SHAPE = /^lkg_([a-z0-9]{8})_[A-Za-z0-9_-]{43}$/;

type Row = Selectable<RegistrationTokensTable>;

function recordOf(row: Row): RegistrationToken {
  return {
    id: row.id,
    name: row.name,
    redirectHosts: row.redirect_hosts,
    quota: row.quota,
    registered: row.registered,
    expiresAt: row.expires_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

/**
 * The tokens of a project environment, newest first, including used-up ones. Served by registration_tokens_of_scope.
 */
export async function listRegistrationTokens(
  ctx: Ctx,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<RegistrationToken>> {
  const query = ctx.db.selectFrom('registration_tokens').selectAll().where(inScope(ctx));
  const page = await newestFirst(ctx, query, { list: 'registration-tokens', limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getRegistrationToken(ctx: Ctx, id: RegistrationTokenId): Promise<RegistrationToken> {
  const row = await ctx.db
    .selectFrom('registration_tokens')
    .selectAll()
    .where(inScope(ctx))
    .where('id', '=', id)
    .executeTakeFirst();
  return recordOf(found(row));
}

/** Issues an initial access token (RFC 7591 §1.2): shown once, stored as a hash. */
export function issueRegistrationToken(
  ctx: Ctx,
  { name, redirectHosts = [], quota = QUOTA, expiresIn = DAY_SECONDS }: Static<typeof NewRegistrationToken>,
): Promise<Static<typeof IssuedRegistrationToken>> {
  return transaction(ctx, async (tx) => {
    const { routingKey } = await projectOf(tx.system, tx.scope, tx.db);
    const token = `lkg_${routingKey}_${randomSecret()}`;
    const row = await tx.db
      .insertInto('registration_tokens')
      .values({
        ...scopeColumns(tx),
        id: newId('rgt', tx.now),
        hash: hashSecret(token),
        name,
        redirect_hosts: redirectHosts,
        quota,
        expires_at: new Date(tx.now.getTime() + expiresIn * 1000),
        created_at: tx.now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'application.registration_token.created', { registrationTokenId: row.id, name });
    return { ...recordOf(row), token };
  });
}

/**
 * Removes a token. Applications registered with it stay.
 * @throws Problem NOT_FOUND
 */
export async function deleteRegistrationToken(ctx: Ctx, id: RegistrationTokenId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await tx.db
      .deleteFrom('registration_tokens')
      .where(inScope(tx))
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    await emit(tx, 'application.registration_token.deleted', { registrationTokenId: id, name: row.name });
  });
}

/** A presented token, with or without remaining quota. */
export type Presented = { id: RegistrationTokenId; scope: Scope; redirectHosts: readonly string[] };

/**
 * Finds a token. Served by registration_tokens_hash.
 * @returns undefined for a token that is unknown, expired, or of the other environment
 */
export async function findRegistrationToken(
  system: System,
  environment: Environment,
  token: string,
): Promise<Presented | undefined> {
  const [, routingKey] = SHAPE.exec(token) ?? [];
  const workspaceId = routingKey && (await workspaceByRoutingKey(system, routingKey));
  if (!workspaceId) return undefined;
  const row = await system.db
    .selectFrom('registration_tokens')
    .select(['id', 'project_id', 'redirect_hosts'])
    .where('workspace_id', '=', workspaceId)
    .where('hash', '=', hashSecret(token))
    .where('environment', '=', environment)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', system.clock.now())]))
    .executeTakeFirst();
  if (!row) return undefined;
  const scope = { workspaceId, projectId: row.project_id, environment };
  return (await isClosed(system, scope)) ? undefined : { id: row.id, scope, redirectHosts: row.redirect_hosts };
}

/**
 * Counts one registration. Safe to call concurrently.
 * @returns false when the quota is used up, or the token was removed meanwhile
 */
export async function takeRegistration(tx: TxCtx, id: RegistrationTokenId): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('registration_tokens')
    .set({ registered: sql`registered + 1` })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', id)
    .whereRef('registered', '<', 'quota')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
