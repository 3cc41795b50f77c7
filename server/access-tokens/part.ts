import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export const part = {
  removals: [rowsOfWorkspace('revocations')],
  cleanUps: { 'expired revocations': expiredRowsOf('revocations') },
} satisfies Part;
