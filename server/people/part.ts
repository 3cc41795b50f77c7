import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

/** Users belong to a workspace; the members part removes those of a removed project. */
export const peoplePart = {
  removals: [rowsOfWorkspace('users')],
} satisfies Part;
