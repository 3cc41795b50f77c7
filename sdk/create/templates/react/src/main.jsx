import { Auth } from '@latchkey/browser';
import { AuthLoading, LatchkeyProvider, SignedIn, SignedOut, SignInButton, UserButton, useAuth, useUser } from '@latchkey/react';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@latchkey/react/styles.css';
import './style.css';

const auth = new Auth({
  issuer: import.meta.env.VITE_LATCHKEY_ISSUER,
  clientId: import.meta.env.VITE_LATCHKEY_CLIENT_ID,
  resource: import.meta.env.VITE_LATCHKEY_API,
});

/** What the API says about the person. */
function Greeting() {
  const { auth } = useAuth();
  const user = useUser();
  const [answer, setAnswer] = useState('One moment…');
  useEffect(() => {
    auth
      .fetch('/api/greeting')
      .then((response) => response.json())
      .then(({ text }) => setAnswer(text))
      .catch((error) => setAnswer(error.message));
  }, [auth]);
  return (
    <>
      <p>You are signed in as {user.email ?? user.sub}.</p>
      <p>The API says: {answer}</p>
    </>
  );
}

function App() {
  const { error } = useAuth();
  return (
    <main>
      <header>
        <h1>My application</h1>
        <SignedIn>
          <UserButton />
        </SignedIn>
      </header>
      {error && <p role="alert">The sign-in failed: {error.message}</p>}
      <AuthLoading>One moment…</AuthLoading>
      <SignedOut>
        <p>You are not signed in.</p>
        <SignInButton />
      </SignedOut>
      <SignedIn>
        <Greeting />
      </SignedIn>
    </main>
  );
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <LatchkeyProvider auth={auth}>
      <App />
    </LatchkeyProvider>
  </StrictMode>,
);
