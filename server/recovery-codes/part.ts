import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { events } from './events.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('recovery_codes')],
  reclaim: rowsSince('recovery_codes', 'created_at'),
} satisfies Part;
