import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const environmentsPart = {
  removals: [rowsOfProject('project_environments')],
} satisfies Part;
