import { gauge, type Metric, shared } from '#platform/metrics.ts';
import { backupState } from './state.ts';

const roles = ['worker'] as const;
const stateOf = shared(backupState);

export const metrics: readonly Metric[] = [
  gauge({
    name: 'latchkey_backup_age_seconds',
    help: 'How long ago the newest backup at `LATCHKEY_BACKUP_TO` began. Absent until the first.',
    roles,
    read: async (system) => {
      const { newest } = await stateOf(system);
      return newest && (system.clock.now().getTime() - newest.started_at.getTime()) / 1000;
    },
  }),
  gauge({
    name: 'latchkey_backup_overdue_seconds',
    help: 'How long a scheduled backup has been due; 0 if none is. Absent without a schedule.',
    roles,
    read: async (system) => {
      if (system.config.backup.schedule === null) return null;
      const { dueSince } = await stateOf(system);
      return dueSince ? (system.clock.now().getTime() - dueSince.getTime()) / 1000 : 0;
    },
  }),
  gauge({
    name: 'latchkey_backup_failures',
    help: 'Failed tries since the newest backup.',
    roles,
    read: async (system) => (await stateOf(system)).failures.length,
  }),
  gauge({
    name: 'latchkey_backup_bytes',
    help: 'The size of the newest backup.',
    roles,
    read: async (system) => (await stateOf(system)).newest?.bytes ?? null,
  }),
  gauge({
    name: 'latchkey_backup_duration_seconds',
    help: 'How long the newest backup took.',
    roles,
    read: async (system) => {
      const { newest } = await stateOf(system);
      return newest && (newest.finished_at.getTime() - newest.started_at.getTime()) / 1000;
    },
  }),
  gauge({
    name: 'latchkey_backup_damaged',
    help: '1 if the backup that was verified last cannot be restored, 0 if it can. Absent until a backup was verified.',
    roles,
    read: async (system) => {
      const { verified } = await stateOf(system);
      return verified && (verified.verify_error === null ? 0 : 1);
    },
  }),
];
