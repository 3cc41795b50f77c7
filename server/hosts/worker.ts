import { auditFollower, signDueCheckpoints } from '#audit';
import {
  endPaymentTask,
  findOverdue,
  forgetOldConversions,
  forgetOldNotices,
  issueStatements,
  renewDue,
  reportUsage,
  syncPaymentTask,
} from '#billing';
import { orderCertificatesTask } from '#domains';
import { Dispatcher } from '#events';
import { dailyFigures } from '#figures';
import { importTask } from '#imports';
import { rotateDueKeys } from '#keys';
import { PARTS, removeScopeTask } from '#lifecycle';
import { forgetOldMessages, openSending, settleAbandoned } from '#messages';
import { composeLogout, oidcCleanup } from '#oidc';
import { forgetIdempotencyKeys } from '#platform/http-once.ts';
import { startJobs } from '#platform/jobs.ts';
import { forgetOldLimits } from '#platform/limits.ts';
import { repeat } from '#platform/repeating.ts';
import type { System } from '#platform/system.ts';
import { eraseUserTask } from '#self';
import { forgetDeadSessions, forgetDeadTokens } from '#sessions';
import { forgetSilentWorkers, quarantineRefused, startHeartbeat, statusNoticeTask } from '#status';
import { Deliverer, deliverWebhooksTask, forgetOldDeliveries, replayTask, webhookFanOut } from '#webhooks';

const CLEAN_UP_MS = 10 * 60_000;
/** Subscriptions, statements and messages that a killed process left behind. */
const SWEEP_MS = 30_000;
const CONCURRENCY = 8;

/** Everything that happens without a request: numbering events, delivering them, sending messages, cleaning up. */
export async function startWorker(system: System): Promise<{ stop: () => Promise<void> }> {
  const deliverer = new Deliverer(system, { logout: composeLogout });
  const sending = openSending(system, quarantineRefused(system));
  const tasks = {
    send_message: sending.task,
    deliver_webhooks: deliverWebhooksTask(deliverer),
    replay_webhooks: replayTask(system),
    status_notice: statusNoticeTask(system),
    sync_payment: syncPaymentTask(system),
    end_payment: endPaymentTask(system),
    erase_user: eraseUserTask(system),
    import_members: importTask(system),
    order_certificates: orderCertificatesTask(system),
    remove_scope: removeScopeTask(system),
  };
  const jobs = await startJobs(system, tasks, CONCURRENCY);
  const dispatcher = new Dispatcher(system, [auditFollower, webhookFanOut(system), dailyFigures()]);
  const heartbeat = startHeartbeat(system);
  const cleaning = repeat(system, CLEAN_UP_MS, {
    ...Object.assign({}, ...PARTS.map(({ cleanUps }) => cleanUps)),
    forgetDeadTokens,
    forgetDeadSessions,
    oidcCleanup,
    rotateDueKeys,
    forgetOldDeliveries,
    forgetOldConversions,
    forgetOldMessages,
    forgetOldNotices,
    forgetIdempotencyKeys,
    forgetOldLimits,
    forgetSilentWorkers,
    signDueCheckpoints,
  });
  const sweeping = repeat(system, SWEEP_MS, { settleAbandoned, renewDue, issueStatements, findOverdue, reportUsage });
  return {
    stop: async () => {
      heartbeat.stop();
      await Promise.all([cleaning, sweeping, jobs, dispatcher, deliverer].map((part) => part.stop()));
      sending.close();
    },
  };
}
