import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

/** The project's own row is deleted last, see `removeProject`. */
export const tenancyPart = {
  removals: [rowsOfProject('project_environments')],
} satisfies Part;
