export { relyingPartyOf } from './relying-party.ts';
export {
  signInResponse,
  enterWithBoth,
  type FirstFactor,
  type SignedIn,
  SignInResponse,
  signedIn,
  signIn,
  signInFields,
} from './sign-in.ts';
export { askByMessage, Passage, requireMethod } from './ways.ts';
