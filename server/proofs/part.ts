import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const proofsPart = {
  removals: [rowsOfProject('flows')],
  cleanUps: { 'expired flows': expiredRowsOf('flows') },
} satisfies Part;
