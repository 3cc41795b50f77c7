import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeCodesOf } from './exchange-codes.ts';

export { Binding, CodeChallenge, challengeOf, requireBegun, type Shown } from './bindings.ts';
export { browserOf, keepMark, newMark } from './browser-mark.ts';
export {
  EXCHANGE_CODE,
  issueExchangeCode,
  lookAtExchangeCode,
  projectOfCode,
  spendExchangeCode,
} from './exchange-codes.ts';
export { requireChallenge, requireRedirectUri, withQuery } from './redirects.ts';

export const part = {
  removals: [rowsOfProject('exchange_codes')],
  cleanUps: { 'expired exchange codes': expiredRowsOf('exchange_codes') },
  endProofs: removeCodesOf,
} satisfies Part;
