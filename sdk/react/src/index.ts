export {
  AuthLoading,
  ProtectedRoute,
  SignedIn,
  SignedOut,
  SignInButton,
  SignOutButton,
} from './parts.tsx';
export { LatchkeyProvider, type LatchkeyProviderProps, useAuth, useOrganization, useUser } from './provider.tsx';
export type { Language, Texts } from './texts.ts';
export { type OrganizationChoice, OrganizationSwitcher, UserButton } from './user-button.tsx';
