import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const apisPart = { removals: [rowsOfProject('apis')] } satisfies Part;
