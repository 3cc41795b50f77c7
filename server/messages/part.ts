import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { events } from './events.ts';
import { messageRoutes } from './messages.admin.ts';
import { removeOldMessages } from './messages.ts';
import { metrics } from './metrics.ts';
import { receiptRoutes } from './receipts.public.ts';
import { settleAbandoned } from './texts.ts';

export const part = {
  events,
  routes: {
    admin: messageRoutes,
    callbacks: receiptRoutes,
  },
  sealed: { message: sealedIn('messages', 'body_sealed') },
  removals: [rowsOfProject('messages'), rowsOfProject('message_templates')],
  cleanUps: { removeOldMessages },
  sweeps: { settleAbandoned },
  metrics,
} satisfies Part;
