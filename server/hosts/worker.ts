import { forgetDeadFlows } from '#auth';
import { dailyFigures, forgetActivePeople, forgetDeadOperatorSessions } from '#console-api';
import { Dispatcher } from '#events';
import { rotateDueKeys } from '#keys';
import { sendMessageTask } from '#messages';
import { backchannelLogoutTask, oidcCleanup } from '#oidc';
import { startJobs } from '#platform/jobs.ts';
import type { System } from '#platform/system.ts';
import { forgetDeadTokens } from '#sessions';
import { startHeartbeat } from '#status';
import { Deliverer, deliverWebhooksTask, forgetOldDeliveries, replayTask, webhookFanOut } from '#webhooks';

const CLEAN_UP_MS = 10 * 60_000;
const CONCURRENCY = 8;

/** Everything that happens without a request: numbering events, delivering them, sending messages, cleaning up. */
export async function startWorker(system: System): Promise<{ stop: () => Promise<void> }> {
  const deliverer = new Deliverer(system);
  const tasks = {
    send_message: sendMessageTask(system),
    backchannel_logout: backchannelLogoutTask(system),
    deliver_webhooks: deliverWebhooksTask(deliverer),
    replay_webhooks: replayTask(system),
  };
  const jobs = await startJobs(system, tasks, CONCURRENCY);
  const dispatcher = new Dispatcher(system, [webhookFanOut(system), dailyFigures()]);
  const heartbeat = startHeartbeat(system);
  const cleaning = setInterval(() => {
    Promise.all([
      forgetDeadTokens(system),
      forgetDeadFlows(system),
      forgetDeadOperatorSessions(system),
      forgetActivePeople(system),
      oidcCleanup(system),
      rotateDueKeys(system),
      forgetOldDeliveries(system),
    ]).catch((error: unknown) => system.log.warn({ err: error }, 'clean-up failed; it is tried again'));
  }, CLEAN_UP_MS);
  return {
    stop: async () => {
      clearInterval(cleaning);
      heartbeat.stop();
      await Promise.all([jobs.stop(), dispatcher.stop(), deliverer.stop()]);
    },
  };
}
