import type { SignInOptions } from '@latchkey/browser';
import { type ComponentProps, type ReactNode, useEffect } from 'react';
import { useAuth, useTexts } from './provider.tsx';

type Children = { children?: ReactNode };

/** Shows its content while somebody is signed in. */
export function SignedIn({ children }: Children): ReactNode {
  return useAuth().state.status === 'signed-in' ? children : null;
}

/** Shows its content while nobody is signed in. */
export function SignedOut({ children }: Children): ReactNode {
  return useAuth().state.status === 'signed-out' ? children : null;
}

/** Shows its content until it is known whether somebody is signed in. */
export function AuthLoading({ children }: Children): ReactNode {
  return useAuth().state.status === 'loading' ? children : null;
}

type ButtonProps = Omit<ComponentProps<'button'>, 'onClick' | 'type'>;

/** A button that goes to the pages of Latchkey, or to your page with the form. */
export function SignInButton({ options, children, ...button }: ButtonProps & { options?: SignInOptions }): ReactNode {
  const { auth } = useAuth();
  const { texts, language } = useTexts();
  const signIn = () => auth.signIn({ uiLocales: language, ...options });
  return (
    <button className="latchkey-button" {...button} type="button" onClick={() => signIn().catch(report)}>
      {children ?? texts.signIn}
    </button>
  );
}

/** A button that signs out in all tabs and at Latchkey. */
export function SignOutButton({ children, ...button }: ButtonProps): ReactNode {
  const { auth } = useAuth();
  const { texts } = useTexts();
  return (
    <button className="latchkey-button" {...button} type="button" onClick={() => auth.signOut().catch(report)}>
      {children ?? texts.signOut}
    </button>
  );
}

/**
 * Shows its content to people who are signed in; others go to sign in, and come back to this address. After a sign-in that failed, and
 * while Latchkey cannot be reached, the fallback stays.
 */
export function ProtectedRoute({
  children,
  fallback,
  options,
}: Children & { fallback?: ReactNode; options?: SignInOptions }): ReactNode {
  const { auth, state, error } = useAuth();
  const { language } = useTexts();
  // A form on the page takes the place of pages to go to.
  const canLeave = !('signInUrl' in auth) || auth.signInUrl !== null;
  const mustSignIn =
    canLeave &&
    state.status === 'signed-out' &&
    state.reason !== 'offline' &&
    state.reason !== 'signed_out' &&
    error === null;
  useEffect(() => {
    if (mustSignIn) auth.signIn({ uiLocales: language, ...options }).catch(report);
  }, [auth, mustSignIn, language, options]);
  return state.status === 'signed-in' ? children : fallback;
}

/** Hands an error of a button to the handlers of the page. */
export function report(error: unknown): void {
  reportError(error);
}
