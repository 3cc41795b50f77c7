import type pg from 'pg';
import { type NumberedEvent, publicActor } from '#events';
import type { Environment, Scope } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { type AuditedEvent, genesisOf, leafOf, linkOf } from './chain.ts';

type Scoped = { workspace_id: WorkspaceId; project_id: ProjectId; environment: Environment };

type AuditEntriesTable = Scoped & {
  sequence: number;
  id: string;
  occurred_at: Date;
  action: string;
  actor: string;
  /** Null if it named a user who was erased. */
  entry: Json<AuditedEvent> | null;
  leaf: Buffer;
  hash: Buffer;
};
type AuditResourcesTable = Scoped & { resource: string; occurred_at: Date; sequence: number };
type AuditHeadsTable = Scoped & {
  first: number;
  sequence: number;
  hash: Buffer;
  /** How many checkpoints of the chain were signed. */
  checkpoints: number | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    audit_entries: AuditEntriesTable;
    audit_resources: AuditResourcesTable;
    audit_heads: AuditHeadsTable;
  }
}

const ID = /^[a-z]{2,10}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** The ids of records in an event's data. */
export function resourcesOf(data: Record<string, unknown>): string[] {
  const values = Object.values(data).flat();
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && ID.test(value)))];
}

/** The id of the actor; `system` parts and anonymous actors go by name. */
function actorKey(actor: NumberedEvent['actor']): string {
  if (actor.kind === 'customer') return actor.userId;
  if (actor.kind === 'management') return actor.applicationId;
  if (actor.kind === 'setup_link') return actor.setupLinkId;
  return actor.kind === 'system' ? actor.name : actor.kind;
}

function entryOf(event: NumberedEvent): AuditedEvent {
  return {
    id: event.id,
    sequence: event.sequence,
    occurredAt: event.occurredAt.toISOString(),
    action: event.type,
    actor: publicActor(event.actor),
    correlationId: event.correlationId,
    ...(event.example && { example: true as const }),
    data: event.data,
  };
}

type Head = { hash: Buffer; first: number };
type Link = { event: NumberedEvent; entry: AuditedEvent; leaf: Buffer; hash: Buffer };

/**
 * Extends the chain of each scope by newly numbered events, in the same transaction: an event has a number if and only
 * if it has its link. One process numbers at a time, so the chain has one end.
 */
export async function auditFollower(client: pg.ClientBase, events: readonly NumberedEvent[]): Promise<void> {
  const byScope = [...Map.groupBy(events, keyOf).values()];
  const heads = await headsOf(
    client,
    byScope.flatMap(([first]) => first ?? []),
  );
  const chains = byScope.map((scoped) => extend(scoped, heads));
  await client.query({ name: 'audit-entries', text: INSERT_ENTRIES, values: columnsOf(chains.flat()) });
  await client.query({ name: 'audit-resources', text: INSERT_RESOURCES, values: resourceColumns(events) });
  await client.query({ name: 'audit-heads', text: UPSERT_HEADS, values: headColumns(chains, heads) });
}

function keyOf({ workspaceId, projectId, environment }: Scope): string {
  return `${workspaceId}/${projectId}/${environment}`;
}

function extend(events: readonly NumberedEvent[], heads: ReadonlyMap<string, Head>): Link[] {
  const [begin] = events;
  if (!begin) return [];
  let previous = heads.get(keyOf(begin))?.hash ?? genesisOf(begin);
  return events.map((event) => {
    const entry = entryOf(event);
    const leaf = leafOf(entry);
    previous = linkOf(previous, leaf);
    return { event, entry, leaf, hash: previous };
  });
}

/** Served by the primary key. */
const HEADS = `
select h.workspace_id as "workspaceId", h.project_id as "projectId", h.environment, h.first, h.hash
from unnest($1::text[], $2::text[], $3::text[]) as scope (workspace_id, project_id, environment)
join audit_heads h using (workspace_id, project_id, environment)`;

async function headsOf(client: pg.ClientBase, scopes: readonly Scope[]): Promise<Map<string, Head>> {
  const { rows } = await client.query<Scope & Head>({
    name: 'read-audit-heads',
    text: HEADS,
    values: scopeColumns(scopes),
  });
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function scopeColumns(scopes: readonly Scope[]): unknown[][] {
  return [
    scopes.map(({ workspaceId }) => workspaceId),
    scopes.map(({ projectId }) => projectId),
    scopes.map(({ environment }) => environment),
  ];
}

const INSERT_ENTRIES = `
insert into audit_entries (workspace_id, project_id, environment, sequence, id, occurred_at, action, actor, entry, leaf, hash)
select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::text[], $8::text[],
  $9::json[], $10::bytea[], $11::bytea[])`;

function columnsOf(links: readonly Link[]): unknown[][] {
  const events = links.map(({ event }) => event);
  return [
    ...scopeColumns(events),
    events.map(({ sequence }) => sequence),
    events.map(({ id }) => id),
    events.map(({ occurredAt }) => occurredAt),
    events.map(({ type }) => type),
    events.map(({ actor }) => actorKey(actor)),
    links.map(({ entry }) => JSON.stringify(entry)),
    links.map(({ leaf }) => leaf),
    links.map(({ hash }) => hash),
  ];
}

const INSERT_RESOURCES = `
insert into audit_resources (workspace_id, project_id, environment, occurred_at, sequence, resource)
select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::text[])`;

function resourceColumns(events: readonly NumberedEvent[]): unknown[][] {
  const named = events.flatMap((event) => resourcesOf(event.data).map((resource) => ({ ...event, resource })));
  return [
    ...scopeColumns(named),
    named.map(({ occurredAt }) => occurredAt),
    named.map(({ sequence }) => sequence),
    named.map(({ resource }) => resource),
  ];
}

const UPSERT_HEADS = `
insert into audit_heads (workspace_id, project_id, environment, first, sequence, hash)
select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[])
on conflict (workspace_id, project_id, environment) do update set sequence = excluded.sequence, hash = excluded.hash`;

function headColumns(chains: readonly Link[][], heads: ReadonlyMap<string, Head>): unknown[][] {
  const ends = chains.flatMap((links) => links.at(-1) ?? []);
  const firsts = chains.flatMap(([link]) => (link ? [heads.get(keyOf(link.event))?.first ?? link.event.sequence] : []));
  return [
    ...scopeColumns(ends.map(({ event }) => event)),
    firsts,
    ends.map(({ event }) => event.sequence),
    ends.map(({ hash }) => hash),
  ];
}
