import { Suspense } from 'react';
import { auth, signIn, signOut } from '../auth.js';

async function enter() {
  'use server';
  await signIn('latchkey');
}

async function leave() {
  'use server';
  await signOut();
}

async function Visitor() {
  const session = await auth();
  return session ? (
    <form action={leave}>
      <p>
        Hello, {session.user.name ?? session.user.email} ({session.user.roles.join(', ')})
      </p>
      <button type="submit">Sign out</button>
    </form>
  ) : (
    <form action={enter}>
      <button type="submit">Sign in</button>
    </form>
  );
}

/** The session is read at each request, so Next.js must not render this part in advance. */
export default function Page() {
  return (
    <Suspense fallback={<p>One moment…</p>}>
      <Visitor />
    </Suspense>
  );
}
