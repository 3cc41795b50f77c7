import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

/** People belong to a workspace; those of a project that is removed are looked after by the members' part. */
export const peoplePart = {
  removals: [rowsOfWorkspace('users', 'identifiers')],
} satisfies Part;
