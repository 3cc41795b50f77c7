import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { metrics } from './metrics.ts';

export const part = {
  removals: [rowsOfWorkspace('passwords')],
  reclaim: rowsSince('passwords', 'changed_at'),
  imported: ['passwords'],
  metrics,
} satisfies Part;
