import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const identifiersPart = {
  removals: [rowsOfWorkspace('identifiers')],
} satisfies Part;
