'use client';

export { AccountPanel } from './account/account-panel.tsx';
export { type AccountData, type AccountState, type PendingProof, useAccount } from './account/use-account.ts';
export {
  AuthLoading,
  ProtectedRoute,
  SignedIn,
  SignedOut,
  SignInButton,
  SignOutButton,
} from './parts.tsx';
export {
  type AnyAuth,
  LatchkeyProvider,
  type LatchkeyProviderProps,
  useAuth,
  useOrganization,
  useUser,
} from './provider.tsx';
export { SignInForm } from './sign-in/sign-in-form.tsx';
export { type SignIn, type SignInOptions, type SignInView, useSignIn } from './sign-in/use-sign-in.ts';
export type { FormTexts } from './texts/form-en.ts';
export type { Language, Texts } from './texts.ts';
export { type OrganizationChoice, OrganizationSwitcher, UserButton, useOrganizations } from './user-button.tsx';
