import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { environments, installationScope, systemCtx, transaction } from '#platform/ctx.ts';
import { isForeignKeyViolation, type Json } from '#platform/db.ts';
import { newId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { type Page, type PageQuery, pageOfWhole } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { changeBoard } from './boards.ts';
import { builtInComponents } from './built-in.ts';
import { Check } from './checks.ts';
import { GroupId, seedGroups } from './groups.ts';
import { MeasuredStatus } from './health.ts';
import { settleOverall } from './overall.ts';
import { inPage, installationPage, type OfPage, ofPage, type PageCtx, type PageDb, type StatusPage } from './pages.ts';
import { voiceIn } from './words.ts';

type Shown = 'always' | 'when_degraded' | 'never';
type StatusComponentsTable = OfPage & {
  id: string;
  group_id: string;
  name: string | null;
  description: string | null;
  position: number;
  shown: Shown;
  probe: Json<Check> | null;
  heartbeat_hash: Buffer | null;
  heartbeat_at: Date | null;
  status: Static<typeof MeasuredStatus>;
  status_since: Date;
  created_at: Date;
  updated_at: Date;
};
export type ComponentRow = Selectable<StatusComponentsTable>;

declare module '#platform/db.ts' {
  interface Tables {
    status_components: StatusComponentsTable;
  }
}

const Name = Type.String({ minLength: 1, maxLength: 100 });
const Description = Type.String({ maxLength: 500 });
const Position = Type.Integer({ minimum: 0, maximum: 1_000, description: 'Lower positions come first in the group.' });
const ShownField = Type.Enum(['always', 'when_degraded', 'never'], {
  description: 'A component that is `never` shown does not affect the status either.',
});

/** Built-in components have names for ids. */
const ComponentId = Type.String({
  pattern: `^(${builtInComponents.map(({ id }) => id).join('|')}|cmp_[0-7][0-9a-hjkmnp-tv-z]{25})$`,
  maxLength: 40,
  examples: ['cmp_01kaz3w9hqf8p9n2m4v5x6y7z8'],
});
export const ComponentIds = Type.Array(ComponentId, {
  title: 'StatusComponentIds',
  maxItems: 200,
  uniqueItems: true,
});
export const ComponentRef = Type.Object({ id: ComponentId });

export const Component = Type.Object(
  {
    id: Type.String(),
    groupId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    builtIn: Type.Boolean(),
    position: Type.Integer(),
    shown: ShownField,
    check: Type.Union([Check, Type.Null()], { description: 'Null for a built-in component.' }),
    heartbeatAt: nullable(Instant),
    status: MeasuredStatus,
    statusSince: Instant,
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'StatusComponent' },
);
type Component = Static<typeof Component>;

/** A new component, with the address for its heartbeats, which is shown once. */
export const CreatedComponent = Type.Interface([Component], {
  heartbeatUrl: Type.Union([Type.String({ format: 'uri' }), Type.Null()]),
});
export const NewComponent = Type.Object(
  {
    groupId: GroupId,
    name: Name,
    check: Check,
    description: Type.Optional(Description),
    position: Type.Optional(Position),
    shown: Type.Optional(ShownField),
  },
  { additionalProperties: false },
);
export const ComponentChanges = Type.Object(
  {
    groupId: Type.Optional(GroupId),
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    position: Type.Optional(Position),
    shown: Type.Optional(ShownField),
  },
  { additionalProperties: false, minProperties: 1 },
);
export const HeartbeatRef = Type.Object({ token: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) });

/** Limited because each component is probed: on the page of the installation, and on that of a project. */
const MAX_COMPONENTS = { installation: 200, project: 50 };
/** How often a component of a project's page is checked at most, in seconds. */
const LEAST_INTERVAL = 60;

function maxComponents({ slug }: StatusPage): number {
  return MAX_COMPONENTS[slug === null ? 'installation' : 'project'];
}

function recordOf(row: ComponentRow): Component {
  const { id, group_id: groupId, position, shown, status } = row;
  const known = builtInComponents.find((one) => one.id === id);
  return {
    id,
    groupId,
    name: row.name ?? voiceIn('en').nameOf(id),
    description: row.description ?? voiceIn('en').aboutOf(id),
    builtIn: known !== undefined,
    position,
    shown,
    check: row.probe,
    heartbeatAt: row.heartbeat_at?.toISOString() ?? null,
    status,
    statusSince: row.status_since.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** Every component of a page, in display order. */
export async function readComponents({ db, page }: PageDb): Promise<ComponentRow[]> {
  return db.selectFrom('status_components').selectAll().where(inPage(page)).orderBy('position').orderBy('id').execute();
}

export async function listComponents(ctx: PageCtx, query: Static<typeof PageQuery>): Promise<Page<Component>> {
  const all = (await readComponents(ctx)).map(recordOf);
  return pageOfWhole(ctx, all, { list: 'status-components', query, positionOf: ({ position, id }) => [position, id] });
}

/** @throws Problem NOT_FOUND */
export async function getComponent(ctx: PageCtx, id: string): Promise<Component> {
  const row = await ctx.db
    .selectFrom('status_components')
    .selectAll()
    .where(inPage(ctx.page))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(row);
}

/**
 * Adds a custom component.
 * @throws Problem VALIDATION_FAILED for an unknown group or too short an interval, CONFLICT beyond the limit of the page
 */
export async function createComponent(
  ctx: PageCtx,
  component: Static<typeof NewComponent>,
): Promise<Static<typeof CreatedComponent>> {
  requireInterval(ctx.page, component.check);
  const secret = component.check.kind === 'heartbeat' ? randomSecret() : null;
  const row: ComponentRow = {
    ...ofPage(ctx.page),
    id: newId('cmp', ctx.now),
    group_id: component.groupId,
    name: component.name,
    description: component.description ?? '',
    position: component.position ?? 100,
    shown: component.shown ?? 'always',
    probe: component.check,
    heartbeat_hash: secret === null ? null : hashSecret(secret),
    heartbeat_at: null,
    status: 'operational',
    status_since: ctx.now,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await inKnownGroup(() =>
    changeBoard(ctx, async (tx) => {
      const most = maxComponents(tx.page);
      if ((await readComponents(tx)).length >= most)
        throw problem('CONFLICT', `A page has at most ${most} components.`);
      await tx.db
        .insertInto('status_components')
        .values({ ...row, probe: JSON.stringify(row.probe) })
        .execute();
      await emit(tx, 'status.component.created', { componentId: row.id, name: component.name });
    }),
  );
  const { status: address } = ctx.system.config.addresses;
  return { ...recordOf(row), heartbeatUrl: secret && `${address}/api/status/heartbeats/${secret}` };
}

function requireInterval({ slug }: StatusPage, check: Check): void {
  if (slug === null || check.kind === 'manual' || check.intervalSeconds >= LEAST_INTERVAL) return;
  throw problem('VALIDATION_FAILED', {
    extensions: {
      errors: [
        {
          pointer: '/body/check/intervalSeconds',
          message: `must be at least ${LEAST_INTERVAL} on the page of a project`,
        },
      ],
    },
  });
}

async function inKnownGroup<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isForeignKeyViolation(error)
      ? problem('VALIDATION_FAILED', {
          extensions: { errors: [{ pointer: '/body/groupId', message: 'is not a group of this page' }] },
        })
      : error;
  }
}

/**
 * Changes how a component is shown. Works for built-in components too.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export async function updateComponent(
  ctx: PageCtx,
  id: string,
  changes: Static<typeof ComponentChanges>,
): Promise<Component> {
  const { groupId, ...plain } = changes;
  return inKnownGroup(() =>
    changeBoard(ctx, async (tx) => {
      const row = await tx.db
        .updateTable('status_components')
        .set({ ...plain, ...(groupId !== undefined && { group_id: groupId }), updated_at: tx.now })
        .where(inPage(tx.page))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw problem('NOT_FOUND');
      await emit(tx, 'status.component.updated', { componentId: id, changed: Object.keys(changes) });
      await settleOverall(tx);
      return recordOf(row);
    }),
  );
}

/**
 * Removes a custom component. Its history is deleted when its retention ends.
 * @throws Problem NOT_FOUND, CONFLICT for a built-in one
 */
export async function deleteComponent(ctx: PageCtx, id: string): Promise<void> {
  if (builtInComponents.some((one) => one.id === id))
    throw problem('CONFLICT', 'Built-in components cannot be removed; set `shown` to `never` to hide one.');
  await changeBoard(ctx, async (tx) => {
    const { numDeletedRows } = await tx.db
      .deleteFrom('status_components')
      .where(inPage(tx.page))
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw problem('NOT_FOUND');
    await emit(tx, 'status.component.deleted', { componentId: id });
    await settleOverall(tx);
  });
}

/**
 * Records a heartbeat. Served by status_components_heartbeat.
 * @throws Problem NOT_FOUND
 */
export async function takeHeartbeat(system: System, token: string): Promise<void> {
  const { numUpdatedRows } = await singleWrite(system, 'count')
    .updateTable('status_components')
    .set({ heartbeat_at: system.clock.now() })
    .where(sql<boolean>`heartbeat_hash = ${hashSecret(token)} /* all workspaces */`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw problem('NOT_FOUND');
}

/** @throws Problem VALIDATION_FAILED that points at the first unknown component */
export async function requireComponents(tx: PageDb, ids: readonly string[]): Promise<void> {
  const known = new Set((await readComponents(tx)).map(({ id }) => id));
  const errors = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ pointer: `/body/componentIds/${index}`, message: 'is not a component of this page' }],
  );
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** Adds the built-in components in both environments. */
export async function seedComponents(system: System): Promise<void> {
  const now = system.clock.now();
  const rows = environments.flatMap((environment) =>
    builtInComponents.map(({ id, group, shown }, index) => ({
      ...ofPage(installationPage(environment)),
      id,
      group_id: group,
      name: null,
      description: null,
      position: (index + 1) * 10,
      shown,
      probe: null,
      heartbeat_hash: null,
      heartbeat_at: null,
      status: 'operational' as const,
      status_since: now,
      created_at: now,
      updated_at: now,
    })),
  );
  await transaction(systemCtx(system, installationScope('test'), 'status', 'status'), async (tx) => {
    await seedGroups(tx);
    await tx.db
      .insertInto('status_components')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['environment', 'id']).doNothing())
      .execute();
  });
}
