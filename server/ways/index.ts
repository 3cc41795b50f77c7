export { countWays } from './metrics.ts';
export { part } from './part.ts';
export { relyingPartyOf } from './relying-party.ts';
export {
  enterWithBoth,
  type FirstFactor,
  personWith,
  type SignedIn,
  SignInResponse,
  signedIn,
  signIn,
  signInFields,
  signInResponse,
} from './sign-in.ts';
export { askByMessage, Passage, requireMethod, requireOpenRegistration } from './ways.ts';
