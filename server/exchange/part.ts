import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const exchangePart = {
  removals: [rowsOfProject('exchange_codes')],
  cleanUps: { 'expired exchange codes': expiredRowsOf('exchange_codes') },
} satisfies Part;
