import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { EventPattern, requireKnownPatterns, selectedTypes } from '#events';
import type { Ctx } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import type { UserId } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { openCursor, type Page, PageQuery, pageOf } from '#platform/page.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import { AuditedEvent } from './chain.ts';
import { resourcesOf } from './entries.ts';

export const AuditEvent = Type.Object(
  {
    id: Type.String(),
    sequence: Type.Integer({ description: 'The position in the chain of the project environment, without gaps.' }),
    occurredAt: Instant,
    action: Type.String(),
    actor: nullable(AuditedEvent.properties.actor),
    resources: Type.Array(Type.String(), { description: 'The ids of the affected records.' }),
    correlationId: nullable(Type.String()),
    example: Type.Optional(Type.Literal(true)),
    data: Type.Union([AuditedEvent.properties.data, Type.Null()], {
      description: 'Null, like `actor` and `correlationId`, if the entry named a person who was erased.',
    }),
    hash: Type.String({ description: 'The hash of the chain up to this entry, base64url.' }),
  },
  { title: 'AuditEvent' },
);
type AuditEvent = Static<typeof AuditEvent>;

export const TimeRange = Type.Object({
  since: Type.Optional(Type.String({ format: 'date-time', description: 'At or after.' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Before.' })),
});
export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  actor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The id of the actor: a user or an application.' }),
  ),
  action: Type.Optional(
    Type.String({ ...EventPattern, description: 'An event type, or a group such as `membership.*`.' }),
  ),
  resource: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The id of an affected record.' })),
  ...TimeRange.properties,
});
type AuditQuery = Static<typeof AuditQuery>;

export type AuditRow = Selectable<Tables['audit_entries']>;

export function recordOf({ id, sequence, occurred_at, action, entry, hash }: AuditRow): AuditEvent {
  return {
    id,
    sequence,
    occurredAt: occurred_at.toISOString(),
    action,
    actor: entry?.actor ?? null,
    resources: entry ? resourcesOf(entry.data) : [],
    correlationId: entry?.correlationId ?? null,
    ...(entry?.example && { example: true as const }),
    data: entry?.data ?? null,
    hash: hash.toString('base64url'),
  };
}

/** A request names one type or group; other parts may name several. */
type Search = Omit<AuditQuery, 'action'> & { action?: string | readonly string[] };

/**
 * The audit log of the scope, newest first. Each filter has an index in the order of the list, so the cost of a page
 * does not grow with the log.
 * @throws Problem VALIDATION_FAILED for an unknown action, INVALID_CURSOR
 */
export async function searchAudit(ctx: Ctx, query: Search): Promise<Page<AuditEvent>> {
  const { limit, cursor, actor, action, resource, since, until } = query;
  const list = JSON.stringify(['audit-events', actor, action, resource, since, until]);
  // From the table that the filter uses, so that its index gives the order.
  const at = sql.ref<Date>(resource === undefined ? 'e.occurred_at' : 'r.occurred_at');
  const place = sql.ref<number>(resource === undefined ? 'e.sequence' : 'r.sequence');
  let rows = matching(ctx, {
    actor,
    actions: action === undefined ? undefined : actionsOf(ctx, [action].flat()),
    resource,
  })
    .orderBy(at, 'desc')
    .orderBy(place, 'desc')
    .limit(limit + 1);
  if (since !== undefined) rows = rows.where(at, '>=', instantOf(since));
  if (until !== undefined) rows = rows.where(at, '<', instantOf(until));
  if (cursor !== undefined) {
    const [moment = '', sequence = ''] = openCursor(ctx, list, cursor).split(' ');
    rows = rows.where(sql<boolean>`(${at}, ${place}) < (${new Date(moment)}, ${Number(sequence)})`);
  }
  const keyOf = (row: AuditRow) => `${row.occurred_at.toISOString()} ${row.sequence}`;
  const page = pageOf(ctx, await rows.execute(), { list, limit, keyOf });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/**
 * A user's actions on other records in all projects of the realm, newest first; without the content of those records.
 * Served by audit_entries_by_actor.
 */
export async function activityOf(ctx: Pick<Ctx, 'db' | 'scope'>, userId: UserId, limit: number) {
  const rows = await ctx.db
    .selectFrom('audit_heads as h')
    .innerJoinLateral(
      (db) =>
        db
          .selectFrom('audit_entries')
          .select(['id', 'project_id', 'occurred_at', 'action', 'entry'])
          .where('workspace_id', '=', ctx.scope.workspaceId)
          .whereRef('project_id', '=', 'h.project_id')
          .whereRef('environment', '=', 'h.environment')
          .where('actor', '=', userId)
          .where(sql<boolean>`entry -> 'data' ->> 'userId' is distinct from ${userId}`)
          .orderBy('occurred_at', 'desc')
          .orderBy('sequence', 'desc')
          .limit(limit)
          .as('e'),
      (join) => join.onTrue(),
    )
    .select(['e.id', 'e.project_id', 'e.occurred_at', 'e.action', 'e.entry'])
    .where(acrossProjects(ctx, 'h'))
    .orderBy('e.occurred_at', 'desc')
    .orderBy('e.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, project_id: projectId, occurred_at: occurredAt, action, entry }) => ({
    id,
    projectId,
    occurredAt: occurredAt.toISOString(),
    action,
    resources: entry ? resourcesOf(entry.data) : [],
  }));
}

function actionsOf(ctx: Ctx, patterns: string[]): string[] {
  requireKnownPatterns(ctx, patterns, '/querystring/action');
  return selectedTypes(ctx, patterns);
}

type Filters = { actor: string | undefined; actions: string[] | undefined; resource: string | undefined };

function matching({ db, scope }: Ctx, { actor, actions, resource }: Filters) {
  let query = db.selectFrom('audit_entries as e').selectAll('e').where(inScope({ scope }, 'e'));
  if (actor !== undefined) query = query.where('e.actor', '=', actor);
  if (actions?.length === 1) query = query.where('e.action', '=', actions[0] ?? '');
  else if (actions) query = query.where(sql<boolean>`e.action = any(${actions})`);
  return query.$if(resource !== undefined, (about) =>
    about
      .innerJoin('audit_resources as r', (join) =>
        join.onRef('r.occurred_at', '=', 'e.occurred_at').onRef('r.sequence', '=', 'e.sequence'),
      )
      .where(inScope({ scope }, 'r'))
      .where('r.resource', '=', resource ?? ''),
  );
}
