import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const passwordsPart = {
  removals: [rowsOfWorkspace('passwords')],
} satisfies Part;
