import { reviewMessage } from '#actions';
import { auditFollower } from '#audit';
import { startBackups } from '#backups';
import { Dispatcher } from '#events';
import { countMail, dailyFigures, figuresByKey } from '#figures';
import { Streamer } from '#log-streams';
import { openSending } from '#messages';
import { composeLogout } from '#oidc';
import { backfillTask, continueBackfills } from '#platform/backfills.ts';
import { deleteExpiredIdempotencyKeys } from '#platform/http-once.ts';
import { startJobs } from '#platform/jobs.ts';
import { deleteOldLimits } from '#platform/limits.ts';
import { repeat } from '#platform/repeating.ts';
import type { System } from '#platform/system.ts';
import { heedArrivals, startHeartbeat, statusReceivers } from '#status';
import { Deliverer, deliverWebhooksTask, webhookFanOut } from '#webhooks';
import { PARTS } from './parts.ts';

const CLEAN_UP_MS = 10 * 60_000;
const SWEEP_MS = 30_000;
/** Concurrent jobs. Each takes a connection for a moment when it starts and ends. */
export const JOB_CONNECTIONS = 8;

/** Starts all work outside of requests: numbering and delivering events, sending messages, cleaning up. */
export async function startWorker(
  system: System,
  withSystemOf: Parameters<typeof startBackups>[1],
): Promise<{ stop: () => Promise<void> }> {
  const deliverer = new Deliverer(system, { logout: { compose: composeLogout }, ...statusReceivers });
  const streamer = new Streamer(system);
  const sending = openSending(system, {
    arrived: heedArrivals(system),
    review: reviewMessage,
    counted: countMail,
  });
  const tasks = {
    backfill: backfillTask(system),
    send_message: sending.task,
    deliver_webhooks: deliverWebhooksTask(deliverer),
    ...Object.fromEntries(
      PARTS.flatMap(({ tasks = {} }) => Object.entries(tasks)).map(([name, task]) => [name, task(system)]),
    ),
  };
  const jobs = await startJobs(system, tasks, Math.min(JOB_CONNECTIONS, system.config.database.pool));
  await continueBackfills(system);
  const dispatcher = new Dispatcher(system, [auditFollower, webhookFanOut(system), dailyFigures(), figuresByKey()]);
  const heartbeat = startHeartbeat(system);
  const cleaning = repeat(system, CLEAN_UP_MS, {
    ...Object.assign({}, ...PARTS.map(({ cleanUps }) => cleanUps)),
    deleteExpiredIdempotencyKeys,
    deleteOldLimits,
  });
  const sweeping = repeat(system, SWEEP_MS, Object.assign({}, ...PARTS.map(({ sweeps }) => sweeps)));
  const backups = startBackups(system, withSystemOf);
  return {
    stop: async () => {
      heartbeat.stop();
      await Promise.all(
        [cleaning, sweeping, backups, jobs, dispatcher, deliverer, streamer].map((part) => part.stop()),
      );
      sending.close();
    },
  };
}
