import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { events } from './events.ts';
import { unlinkIssuersTask } from './unlinking.task.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('linked_identities')],
  imported: ['linked_identities'],
  reclaim: rowsSince('linked_identities', 'linked_at'),
  tasks: { unlink_issuers: unlinkIssuersTask },
} satisfies Part;
