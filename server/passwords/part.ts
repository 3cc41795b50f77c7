import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';

export const part = {
  removals: [rowsOfWorkspace('passwords')],
  reclaim: rowsSince('passwords', 'changed_at'),
  imported: ['passwords'],
} satisfies Part;
