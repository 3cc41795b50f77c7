import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { removeIdentifiersSince } from './unproven.ts';

export const part = {
  removals: [rowsOfWorkspace('identifiers')],
  reclaim: removeIdentifiersSince,
  imported: ['identifiers'],
} satisfies Part;
