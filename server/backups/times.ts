import { Cron } from 'croner';

/** The first time of a cron expression after a moment, in UTC. */
export function nextTime(schedule: string, after: Date): Date | null {
  return new Cron(schedule, { timezone: 'UTC' }).nextRun(after);
}
