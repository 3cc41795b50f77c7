import type { Part } from '#platform/part.ts';
import { rowsOfProject, rowsOfWorkspace } from '#platform/removal.ts';
import { deliveries } from './removal.ts';
import { replayTask } from './replay.task.ts';
import { deleteOldDeliveries } from './retention.ts';

export const webhooksPart = {
  removals: [deliveries, rowsOfWorkspace('webhook_attempts'), rowsOfProject('webhook_endpoints')],
  cleanUps: { deleteOldDeliveries },
  tasks: { replay_webhooks: replayTask },
} satisfies Part;
