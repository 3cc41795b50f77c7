export { Binding, CodeChallenge, challengeOf, requireBegun, type Shown } from './bindings.ts';
export { browserOf, keepMark, newMark } from './browser-mark.ts';
export {
  EXCHANGE_CODE,
  issueExchangeCode,
  lookAtExchangeCode,
  projectOfCode,
  removeCodesOf,
  spendExchangeCode,
} from './exchange-codes.ts';
export { exchangePart } from './part.ts';
export { requireChallenge, requireRedirectUri, withQuery } from './redirects.ts';
