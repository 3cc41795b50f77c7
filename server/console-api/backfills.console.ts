import { Type } from 'typebox';
import { listBackfills } from '#platform/backfills.ts';
import { get, type Routes } from '#platform/route.ts';
import { Instant, nullable } from '#platform/schemas.ts';

const Backfill = Type.Object(
  {
    name: Type.String({ description: 'The name of the migration.' }),
    state: Type.Enum(['waiting', 'running', 'failed', 'done'], {
      description: '`waiting`: no process with the role worker continues it. `failed`: its last step failed.',
    }),
    rowsDone: Type.Integer(),
    rowsEstimated: Type.Integer({ description: 'How many rows the table had when the migration ran, as an estimate.' }),
    updatedAt: Instant,
    completedAt: nullable(Instant),
    error: nullable(Type.String({ description: 'Why the last step failed.' })),
    nextAttemptAt: Type.Union([Instant, Type.Null()], {
      description: 'When a failed step is tried again; null if no more.',
    }),
  },
  { title: 'Backfill' },
);

const Backfills = Type.Object({ items: Type.Array(Backfill), nextCursor: Type.Null() });

export const backfillRoutes: Routes = [
  get('/console/v1/backfills', {
    permission: 'backfills:read',
    level: 'workspace',
    summary: 'List the backfills of the installation',
    description:
      'For owners of the built-in workspace: how far the worker is with what the migrations of an upgrade leave to it, the newest first.',
    responses: { 200: Backfills },
    handler: async ({ server: { system } }) => {
      const found = await listBackfills(system);
      return {
        items: found.map(({ done, total, updatedAt, completedAt, nextAttemptAt, ...rest }) => ({
          ...rest,
          rowsDone: done,
          rowsEstimated: Math.max(done, total),
          updatedAt: updatedAt.toISOString(),
          completedAt: completedAt?.toISOString() ?? null,
          nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
        })),
        nextCursor: null,
      };
    },
  }),
];
