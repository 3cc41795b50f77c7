import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const linkedIdentitiesPart = {
  removals: [rowsOfWorkspace('linked_identities')],
} satisfies Part;
