import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { secretsIn } from '#platform/signing-secrets.ts';
import { actionRoutes } from './actions.admin.ts';
import { deleteOldCalls } from './calls.ts';
import { events } from './events.ts';
import { metrics } from './metrics.ts';

export const part = {
  events,
  routes: { admin: actionRoutes },
  permissions: {
    'actions:read': 'See actions and their calls',
    'actions:write': 'Change actions: who may register and sign in, the claims of tokens, the texts of messages',
  },
  sealed: { 'action-secret': secretsIn('actions') },
  removals: [rowsOfProject('action_calls'), rowsOfProject('actions')],
  cleanUps: { deleteOldCalls },
  metrics,
} satisfies Part;
