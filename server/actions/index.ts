export { refusalOf } from './asking.ts';
export {
  askForPassword,
  askToEnter,
  claimsOfActions,
  hasClaimActions,
  requireMayRegister,
  reviewMessage,
} from './moments.ts';
export { part } from './part.ts';
