import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const permissionsPart = {
  removals: [rowsOfProject('permissions')],
} satisfies Part;
