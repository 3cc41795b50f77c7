import { Auth, type AuthOptions } from '@latchkey/browser';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import {
  AuthLoading,
  LatchkeyProvider,
  ProtectedRoute,
  SignedIn,
  SignedOut,
  SignInButton,
  UserButton,
  useUser,
} from '../src/index.ts';

type Settings = AuthOptions & { organizations?: { id: string; name: string }[] };

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
  if (usePath() !== '/orders') return null;
  return (
    <ProtectedRoute>
      <Orders />
    </ProtectedRoute>
  );
}

/** The application of the tests. */
export function start({ organizations = [], ...options }: Settings): void {
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
          <UserButton organizations={organizations} />
        </SignedIn>
        <Routes />
      </LatchkeyProvider>
    </StrictMode>,
  );
}
