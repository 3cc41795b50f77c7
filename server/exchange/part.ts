import { sql } from 'kysely';
import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { removeCodesOf } from './exchange-codes.ts';

export const part = {
  sealed: { 'exchange-code': sealedIn('exchange_codes', 'sealed', sql`encode(hash, 'hex')`) },
  removals: [rowsOfProject('exchange_codes')],
  cleanUps: { 'expired exchange codes': expiredRowsOf('exchange_codes') },
  endProofs: removeCodesOf,
} satisfies Part;
