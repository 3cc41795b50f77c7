import { Auth, type AuthOptions } from '@latchkey/browser';
import { ApiAuth, type ApiAuthOptions } from '@latchkey/browser/api';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import {
  AccountPanel,
  AuthLoading,
  type Language,
  LatchkeyProvider,
  ProtectedRoute,
  SignedIn,
  SignedOut,
  SignInButton,
  SignInForm,
  UserButton,
  useUser,
} from '../src/index.ts';

type Settings = AuthOptions & { organizations?: { id: string; name: string }[] };
type FormSettings = ApiAuthOptions & { language?: Language };

function Orders() {
  const user = useUser();
  return (
    <p>
      Orders of {user?.name}, organization {user?.org_id ?? 'none'}
    </p>
  );
}

/** Like a router. */
function usePath(): string {
  return useSyncExternalStore(
    (changed) => {
      addEventListener('popstate', changed);
      return () => removeEventListener('popstate', changed);
    },
    () => location.pathname,
  );
}

function Routes() {
  const path = usePath();
  if (path === '/account')
    return (
      <SignedIn>
        <AccountPanel />
      </SignedIn>
    );
  if (path === '/sign-in') return <SignInForm />;
  if (path !== '/orders') return null;
  return (
    <ProtectedRoute>
      <Orders />
    </ProtectedRoute>
  );
}

/** The application of the tests. */
export function start({ organizations, ...options }: Settings): void {
  const auth = new Auth(options);
  const root = createRoot(document.body.appendChild(document.createElement('main')));
  root.render(
    <StrictMode>
      <LatchkeyProvider auth={auth}>
        <h1>The application</h1>
        <AuthLoading>Loading</AuthLoading>
        <SignedOut>
          <SignInButton />
        </SignedOut>
        <SignedIn>
          <UserButton {...(organizations && { organizations })} />
        </SignedIn>
        <Routes />
      </LatchkeyProvider>
    </StrictMode>,
  );
}

/** The same with the form at `signInUrl`, or else on the page, where it leads to the account. */
export function startWithForm({ language, ...options }: FormSettings): void {
  const auth = new ApiAuth(options);
  const root = createRoot(document.body.appendChild(document.createElement('main')));
  root.render(
    <StrictMode>
      <LatchkeyProvider auth={auth} {...(language && { language })}>
        <h1>The application</h1>
        {options.signInUrl === undefined ? (
          <>
            <SignedOut>
              <SignInForm returnTo={new URL(location.href).searchParams.get('then') ?? undefined} />
            </SignedOut>
            <SignedIn>
              <UserButton />
              <AccountPanel />
            </SignedIn>
          </>
        ) : (
          <Routes />
        )}
      </LatchkeyProvider>
    </StrictMode>,
  );
}
