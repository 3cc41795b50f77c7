import { Type } from 'typebox';
import { get, type Routes } from '#platform/route.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { backupState } from './state.ts';

const Backup = Type.Object(
  {
    name: Type.String(),
    startedAt: Instant,
    finishedAt: Instant,
    bytes: nullable(Type.Integer()),
    rows: nullable(Type.Integer()),
    error: nullable(Type.String({ description: 'Why it failed.' })),
    verifiedAt: nullable(Instant),
    verifyError: nullable(Type.String({ description: 'Why it could not be restored.' })),
  },
  { title: 'Backup' },
);

const Backups = Type.Object({
  schedule: nullable(Type.String({ description: 'A cron expression in UTC; null if none are made on a schedule.' })),
  dueSince: nullable(Instant),
  items: Type.Array(Backup),
  nextCursor: Type.Null(),
});

/** The page has no pagination: `latchkey backups` lists all. */
const MAX_SHOWN = 50;

export const backupRoutes: Routes = [
  get('/console/v1/backups', {
    permission: 'backups:read',
    level: 'workspace',
    summary: 'List the backups of the installation',
    description: 'For owners of the built-in workspace. The newest come first; failures are listed, too.',
    responses: { 200: Backups },
    handler: async ({ server: { system } }) => {
      const { records, dueSince } = await backupState(system);
      return {
        schedule: system.config.backup.schedule,
        dueSince: dueSince?.toISOString() ?? null,
        items: records.slice(0, MAX_SHOWN).map((record) => ({
          name: record.name,
          startedAt: record.started_at.toISOString(),
          finishedAt: record.finished_at.toISOString(),
          bytes: record.bytes,
          rows: record.row_count,
          error: record.error,
          verifiedAt: record.verified_at?.toISOString() ?? null,
          verifyError: record.verify_error,
        })),
        nextCursor: null,
      };
    },
  }),
];
