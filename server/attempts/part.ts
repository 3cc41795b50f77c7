import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const part = {
  removals: [rowsOfWorkspace('spent_proofs')],
  cleanUps: { 'expired spent proofs': expiredRowsOf('spent_proofs') },
} satisfies Part;
