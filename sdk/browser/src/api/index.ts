export { type Account, accountOf } from './account.ts';
export type {
  Brand,
  Enrollment,
  Factor,
  FactorChallenge,
  Proof,
  Sent,
  SignInMethods,
  Step,
  ThemeColours,
} from './answers.ts';
export { ApiAuth, type ApiAuthOptions } from './api-auth.ts';
export { createPasskey, getPasskey, hasPasskeys, offersPasskeys } from './passkeys.ts';
export type { LeaveOptions, Registration } from './ways-in.ts';
