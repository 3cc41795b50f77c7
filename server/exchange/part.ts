import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeCodesOf } from './exchange-codes.ts';

export const part = {
  removals: [rowsOfProject('exchange_codes')],
  cleanUps: { 'expired exchange codes': expiredRowsOf('exchange_codes') },
  endProofs: removeCodesOf,
} satisfies Part;
