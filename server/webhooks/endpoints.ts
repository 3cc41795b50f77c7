import { type Generated, type Selectable, sql, type Updateable } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit, requireKnownPatterns } from '#events';
import { getOrganization } from '#organizations';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { type Id, IdSchema, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { prepared } from '#platform/prepared.ts';
import { problem } from '#platform/problem.ts';
import { ReceiverUrl } from '#platform/receiver-address.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { newSecret, rotated, type StoredSecret, sealSecret } from '#platform/signing-secrets.ts';
import type { System } from '#platform/system.ts';
import {
  CustomHeaders,
  EventSelection,
  mergedHeaders,
  openHeaders,
  requireHeadersForNewOrigin,
  requireOwnHeaders,
  SECRET_PURPOSE,
  sealHeaders,
  shownHeaders,
} from './endpoint-rules.ts';

export type EndpointId = Id<'whe'>;
export type DisabledReason = 'request' | 'gone' | 'failing';

type WebhookEndpointsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: EndpointId;
  purpose: string;
  key: string | null;
  url: string;
  description: string;
  events: string[];
  /** The organization whose events it gets; null: all. */
  organization_id: Generated<OrganizationId | null>;
  headers_sealed: string | null;
  secrets: Json<StoredSecret[]>;
  enabled: boolean;
  disabled_reason: DisabledReason | null;
  failing_since: Date | null;
  paused_until: Date | null;
  /** When a delivery to its current address first succeeded; null: never. */
  succeeded_at: Generated<Date | null>;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    webhook_endpoints: WebhookEndpointsTable;
  }
}

export type EndpointRow = Selectable<WebhookEndpointsTable>;
type EndpointUpdate = Updateable<WebhookEndpointsTable>;

/** Endpoints per project environment. */
const MAX_ENDPOINTS = 50;
export const EVENTS = 'events';

const description = Type.String({ maxLength: 500 });

export const NewEndpoint = Type.Object(
  {
    url: ReceiverUrl,
    events: EventSelection,
    description: Type.Optional(description),
    organizationId: Type.Optional(
      Type.Union([IdSchema('org'), Type.Null()], {
        description:
          'Only events about this organization are sent: those whose `data.organizationId` names it. It cannot be changed.',
      }),
    ),
    enabled: Type.Optional(Type.Boolean()),
    headers: Type.Optional(CustomHeaders),
  },
  { additionalProperties: false },
);

export const EndpointChanges = Type.Partial(
  Type.Object({
    url: ReceiverUrl,
    events: EventSelection,
    description,
    enabled: Type.Boolean(),
    headers: CustomHeaders,
  }),
  { additionalProperties: false, minProperties: 1 },
);
type EndpointChanges = Static<typeof EndpointChanges>;

export const Endpoint = Type.Object(
  {
    id: IdSchema('whe'),
    url: Type.String(),
    description: Type.String(),
    events: Type.Array(Type.String()),
    organizationId: nullable(IdSchema('org')),
    headers: Type.Record(Type.String(), Type.String()),
    enabled: Type.Boolean(),
    disabledReason: nullable(Type.Enum(['request', 'gone', 'failing'])),
    failingSince: Type.Union([Instant, Type.Null()], { description: 'Every attempt since then has failed.' }),
    pausedUntil: Type.Union([Instant, Type.Null()], { description: 'The receiver asked for a pause until then.' }),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'WebhookEndpoint' },
);
export type Endpoint = Static<typeof Endpoint>;

export const EndpointWithSecret = Type.Object(
  {
    ...Endpoint.properties,
    secret: Type.String({ description: 'Signs the deliveries (`whsec_…`). Shown only once.' }),
  },
  { title: 'WebhookEndpointWithSecret' },
);
type EndpointWithSecret = Static<typeof EndpointWithSecret>;

function scopedEndpoints(ctx: Ctx | TxCtx) {
  return ctx.db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where(inScope(ctx))
    .where('purpose', '=', EVENTS)
    .where('deleted_at', 'is', null);
}

function recordOf({ system, now }: Pick<TxCtx, 'system' | 'now'>, row: EndpointRow): Endpoint {
  const paused = row.paused_until !== null && row.paused_until > now;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    organizationId: row.organization_id,
    headers: shownHeaders(openHeaders(system.keyring, row.headers_sealed, row.id)),
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.toISOString() ?? null,
    pausedUntil: paused ? (row.paused_until?.toISOString() ?? null) : null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The project's endpoints, newest first. Served by webhook_endpoints_of_scope. */
export async function listEndpoints(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<Endpoint>> {
  const query = scopedEndpoints(ctx);
  const page = await newestFirst(ctx, query, { list: 'webhook-endpoints', limit, cursor });
  return { items: page.rows.map((row) => recordOf(ctx, row)), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getEndpoint(ctx: Ctx | TxCtx, id: EndpointId): Promise<Endpoint> {
  const row = await scopedEndpoints(ctx).where('id', '=', id).executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(ctx, row);
}

/** @throws Problem NOT_FOUND */
export async function lockEndpoint(tx: TxCtx, id: EndpointId): Promise<EndpointRow> {
  const row = await scopedEndpoints(tx).where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

/** Any endpoint of the workspace, of any purpose and state. Served by the primary key. */
export async function findRow(
  system: System,
  { workspaceId, endpointId }: { workspaceId: WorkspaceId; endpointId: EndpointId },
): Promise<EndpointRow | undefined> {
  return (await byId(system, [workspaceId, endpointId])).rows[0];
}

const byId = prepared<EndpointRow>(
  'webhook-endpoint',
  'select * from webhook_endpoints where workspace_id = $1 and id = $2',
);

/** Like {@link findRow}, but locks the row until the transaction ends. */
export function lockRow(tx: TxCtx, id: EndpointId): Promise<EndpointRow | undefined> {
  return tx.db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Adds an endpoint whose address was checked.
 * @returns the endpoint with its secret, which is shown only this once
 * @throws Problem VALIDATION_FAILED, NOT_FOUND for an organization that the project does not have, CONFLICT at fifty
 */
export async function createEndpoint(ctx: Ctx, endpoint: Static<typeof NewEndpoint>): Promise<EndpointWithSecret> {
  const headers = endpoint.headers ?? {};
  requireKnownPatterns(ctx, endpoint.events, '/body/events');
  requireOwnHeaders(headers);
  const id = newId('whe', ctx.now);
  const secret = newSecret();
  return transaction(ctx, async (tx) => {
    await requireRoom(tx);
    const organizationId = endpoint.organizationId ?? null;
    if (organizationId !== null) await getOrganization(tx, organizationId);
    const { keyring } = tx.system;
    await tx.db
      .insertInto('webhook_endpoints')
      .values({
        ...scopeColumns(tx),
        id,
        purpose: EVENTS,
        key: null,
        url: endpoint.url,
        description: endpoint.description ?? '',
        events: endpoint.events,
        organization_id: organizationId,
        headers_sealed: sealHeaders(keyring, headers, id),
        secrets: JSON.stringify([sealSecret(keyring, secret, { purpose: SECRET_PURPOSE, recordId: id, now: tx.now })]),
        enabled: endpoint.enabled ?? true,
        disabled_reason: endpoint.enabled === false ? 'request' : null,
        failing_since: null,
        paused_until: null,
        created_at: tx.now,
        updated_at: tx.now,
        deleted_at: null,
      })
      .execute();
    await emit(tx, 'webhook.endpoint.created', { endpointId: id, url: endpoint.url });
    return { ...(await getEndpoint(tx, id)), secret };
  });
}

/**
 * Serialises additions to one scope, so that the limit is exact.
 * @throws Problem CONFLICT
 */
async function requireRoom(tx: TxCtx): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  const lock = `webhook-endpoints/${workspaceId}/${projectId}/${environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx.db);
  const { count } = await scopedEndpoints(tx)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= MAX_ENDPOINTS)
    throw problem('CONFLICT', {
      detail: `A project environment has up to ${MAX_ENDPOINTS} webhook endpoints; remove one first.`,
      extensions: { limit: MAX_ENDPOINTS, current: count },
    });
}

type Changed = { set: EndpointUpdate; changed: string[] };

/**
 * Changes an endpoint. A new address must have been checked.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export async function updateEndpoint(ctx: Ctx, id: EndpointId, changes: EndpointChanges): Promise<Endpoint> {
  if (changes.events) requireKnownPatterns(ctx, changes.events, '/body/events');
  if (changes.headers) requireOwnHeaders(changes.headers);
  return transaction(ctx, async (tx) => {
    const row = await lockEndpoint(tx, id);
    const headers = openHeaders(tx.system.keyring, row.headers_sealed, row.id);
    requireHeadersForNewOrigin({ url: row.url, headers }, changes);
    const { set, changed } = changesOf(tx, row, changes);
    if (changed.length > 0) {
      await updateRow(tx, id, set);
      await emit(tx, 'webhook.endpoint.updated', { endpointId: id, url: set.url ?? row.url, changed });
    }
    if (changes.enabled !== undefined) await switchEndpoint(tx, row, changes.enabled ? null : 'request');
    return getEndpoint(tx, id);
  });
}

function changesOf(
  { system }: TxCtx,
  row: EndpointRow,
  { url, events, description: text, headers }: EndpointChanges,
): Changed {
  const set = {
    // No delivery to the new address has succeeded yet.
    ...(url !== undefined && { url, ...(url !== row.url && { succeeded_at: null }) }),
    ...(events !== undefined && { events }),
    ...(text !== undefined && { description: text }),
    ...(headers !== undefined && {
      headers_sealed: sealHeaders(
        system.keyring,
        mergedHeaders(openHeaders(system.keyring, row.headers_sealed, row.id), headers),
        row.id,
      ),
    }),
  };
  const changed = Object.keys(set)
    .filter((name) => name !== 'succeeded_at')
    .map((name) => (name === 'headers_sealed' ? 'headers' : name));
  return { set, changed };
}

async function updateRow(tx: TxCtx, id: EndpointId, set: EndpointUpdate): Promise<void> {
  await tx.db
    .updateTable('webhook_endpoints')
    .set({ ...set, updated_at: tx.now })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', id)
    .execute();
}

/**
 * Enables or disables an endpoint; waiting deliveries continue when it is enabled again.
 * @throws Problem NOT_FOUND
 */
export function setEnabled(ctx: Ctx, id: EndpointId, enabled: boolean): Promise<Endpoint> {
  return transaction(ctx, async (tx) => {
    await switchEndpoint(tx, await lockEndpoint(tx, id), enabled ? null : 'request');
    return getEndpoint(tx, id);
  });
}

/**
 * Sets the state of an endpoint.
 * @param reason why it is disabled; null enables it
 * @returns whether the state changed
 */
export async function switchEndpoint(tx: TxCtx, row: EndpointRow, reason: DisabledReason | null): Promise<boolean> {
  const enabled = reason === null;
  if (row.enabled === enabled) return false;
  await updateRow(tx, row.id, {
    enabled,
    disabled_reason: reason,
    // The five days count from the next failure.
    ...(enabled && { failing_since: null, paused_until: null }),
  });
  // Receivers of other parts are internal and emit no events.
  if (row.purpose !== EVENTS) return true;
  const about = { endpointId: row.id, url: row.url };
  if (reason === null) await emit(tx, 'webhook.endpoint.enabled', about);
  else await emit(tx, 'webhook.endpoint.disabled', { ...about, reason });
  return true;
}

/**
 * Deletes an endpoint; its deliveries stay readable until their retention ends.
 * @throws Problem NOT_FOUND
 */
export async function deleteEndpoint(ctx: Ctx, id: EndpointId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { url } = await lockEndpoint(tx, id);
    await updateRow(tx, id, { deleted_at: tx.now, enabled: false, secrets: '[]', headers_sealed: null });
    await emit(tx, 'webhook.endpoint.deleted', { endpointId: id, url });
  });
}

/**
 * Rotates the secret of an endpoint; earlier secrets also sign for `overlapSeconds`.
 * @throws Problem NOT_FOUND, CONFLICT
 */
export function rotateSecret(ctx: Ctx, id: EndpointId, overlapSeconds: number): Promise<EndpointWithSecret> {
  const secret = newSecret();
  return transaction(ctx, async (tx) => {
    const row = await lockEndpoint(tx, id);
    const until = new Date(tx.now.getTime() + overlapSeconds * 1000);
    const added = sealSecret(tx.system.keyring, secret, { purpose: SECRET_PURPOSE, recordId: id, now: tx.now });
    await updateRow(tx, id, { secrets: JSON.stringify(rotated(row.secrets, added, until)) });
    await emit(tx, 'webhook.endpoint.secret_rotated', {
      endpointId: id,
      url: row.url,
      overlapUntil: until.toISOString(),
    });
    return { ...(await getEndpoint(tx, id)), secret };
  });
}
