import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const factorsPart = {
  removals: [rowsOfWorkspace('mfa_factors')],
} satisfies Part;
