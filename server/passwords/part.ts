import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const passwordsPart: Part = {
  removals: [rowsOfWorkspace('passwords')],
};
