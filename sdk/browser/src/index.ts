export { Auth } from './auth.ts';
export { AuthError, type AuthErrorCode, type StepUp } from './errors.ts';
export type { AuthOptions, AuthState, TokenOptions } from './options.ts';
export type { SignInOptions } from './redirect.ts';
export type { User } from './session.ts';
export type { Persistence } from './store.ts';
