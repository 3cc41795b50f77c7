import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const part = {
  removals: [rowsOfProject('organization_brandings')],
} satisfies Part;
