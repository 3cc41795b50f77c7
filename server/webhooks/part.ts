import type { Part } from '#platform/part.ts';
import { rowsOfProject, rowsOfWorkspace } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { secretsIn } from '#platform/signing-secrets.ts';
import { deliveryRoutes } from './deliveries.admin.ts';
import { endpointActionRoutes } from './endpoint-actions.admin.ts';
import { endpointRepairRoutes } from './endpoint-repair.admin.ts';
import { endpointRoutes } from './endpoints.admin.ts';
import { events } from './events.ts';
import { metrics } from './metrics.ts';
import { deliveries } from './removal.ts';
import { replayTask } from './replay.task.ts';
import { deleteOldDeliveries } from './retention.ts';

export const part = {
  events,
  routes: {
    admin: [...deliveryRoutes, ...endpointActionRoutes, ...endpointRepairRoutes, ...endpointRoutes],
  },
  permissions: {
    'webhooks:read': 'See webhook endpoints, deliveries and event types',
    'webhooks:write': 'Change webhook endpoints, retry and replay deliveries',
  },
  sealed: {
    'webhook-headers': sealedIn('webhook_endpoints', 'headers_sealed'),
    'webhook-secret': secretsIn('webhook_endpoints'),
  },
  removals: [deliveries, rowsOfWorkspace('webhook_attempts'), rowsOfProject('webhook_endpoints')],
  cleanUps: { deleteOldDeliveries },
  tasks: { replay_webhooks: replayTask },
  metrics,
} satisfies Part;
