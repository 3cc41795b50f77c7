import type { Facts, Snippet } from './snippet.ts';

const RETURNS_TO = { home: 'http://localhost:5173', path: '/' };

const env = ({ issuer, clientId }: Facts) =>
  `# Vite gives these to the page; they are no secrets.
VITE_LATCHKEY_ISSUER=${issuer}
VITE_LATCHKEY_CLIENT_ID=${clientId}`;

const react: Snippet = {
  key: 'react',
  name: 'React',
  kinds: ['spa'],
  returnsTo: RETURNS_TO,
  install: `npm create vite@latest my-app -- --template react --no-interactive && cd my-app
npm install @latchkey/browser @latchkey/react`,
  env,
  files: () => [
    [
      'src/main.jsx',
      `import { Auth } from '@latchkey/browser';
import { AuthLoading, LatchkeyProvider, SignedIn, SignedOut, SignInButton, UserButton, useAuth, useUser } from '@latchkey/react';
import { createRoot } from 'react-dom/client';
import '@latchkey/react/styles.css';

const auth = new Auth({
  issuer: import.meta.env.VITE_LATCHKEY_ISSUER,
  clientId: import.meta.env.VITE_LATCHKEY_CLIENT_ID,
});

function Greeting() {
  const user = useUser();
  return <p>You are signed in as {user.email ?? user.sub}.</p>;
}

function App() {
  const { error } = useAuth();
  return (
    <main>
      {error && <p role="alert">The sign-in failed: {error.message}</p>}
      <AuthLoading>One moment…</AuthLoading>
      <SignedOut>
        <SignInButton />
      </SignedOut>
      <SignedIn>
        <UserButton />
        <Greeting />
      </SignedIn>
    </main>
  );
}

createRoot(document.getElementById('root')).render(
  <LatchkeyProvider auth={auth}>
    <App />
  </LatchkeyProvider>,
);`,
    ],
  ],
  run: 'npm run dev',
};

const javascript: Snippet = {
  key: 'javascript',
  name: 'JavaScript',
  kinds: ['spa'],
  returnsTo: RETURNS_TO,
  install: `npm create vite@latest my-app -- --template vanilla --no-interactive && cd my-app
npm install @latchkey/browser`,
  env,
  files: () => [
    [
      'src/main.js',
      `import { Auth } from '@latchkey/browser';

const auth = new Auth({
  issuer: import.meta.env.VITE_LATCHKEY_ISSUER,
  clientId: import.meta.env.VITE_LATCHKEY_CLIENT_ID,
});

function show({ status, user }) {
  if (status === 'loading') return;
  const button = document.createElement('button');
  button.textContent = user ? 'Sign out' : 'Sign in';
  button.onclick = () => (user ? auth.signOut() : auth.signIn());
  const text = user ? \`You are signed in as \${user.email ?? user.sub}. \` : 'You are not signed in. ';
  document.getElementById('app').replaceChildren(text, button);
}

auth.subscribe(show);
await auth.start();
show(auth.state);`,
    ],
  ],
  run: 'npm run dev',
};

/** Sign-in in single-page applications. */
export const BROWSER: readonly Snippet[] = [react, javascript];
