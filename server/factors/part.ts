import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { events } from './events.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('mfa_factors')],
  reclaim: rowsSince('mfa_factors', 'created_at'),
} satisfies Part;
