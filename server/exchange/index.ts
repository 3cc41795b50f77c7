export { Binding, CodeChallenge, challengeOf, requireBegun, type Shown } from './bindings.ts';
export { browserOf, keepMark, newMark } from './browser-mark.ts';
export {
  EXCHANGE_CODE,
  issueExchangeCode,
  lookAtExchangeCode,
  projectOfCode,
  spendExchangeCode,
} from './exchange-codes.ts';
export { part } from './part.ts';
export { requireChallenge, requireRedirectUri, withQuery } from './redirects.ts';
