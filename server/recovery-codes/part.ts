import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const recoveryCodesPart = {
  removals: [rowsOfWorkspace('recovery_codes')],
} satisfies Part;
