import Link from 'next/link';
import { Suspense } from 'react';
import { auth } from '../latchkey.js';

async function Visitor() {
  const session = await auth();
  if (!session)
    return (
      <>
        <p>You are not signed in.</p>
        <form action="/auth/sign-in">
          <button type="submit">Sign in</button>
        </form>
      </>
    );
  return (
    <>
      <p>You are signed in as {session.user.email ?? session.user.sub}.</p>
      <form action="/auth/sign-out" method="post">
        <button type="submit">Sign out</button>
      </form>
    </>
  );
}

async function Failure({ searchParams }) {
  const { error } = await searchParams;
  return error && <p role="alert">The sign-in failed: {error}</p>;
}

/** The session is read at each request, so Next.js must not render these parts in advance. */
export default function Page({ searchParams }) {
  return (
    <>
      <Suspense fallback={<p>One moment…</p>}>
        <Failure searchParams={searchParams} />
        <Visitor />
      </Suspense>
      <p>
        <Link href="/private">A page for people who are signed in</Link>
      </p>
    </>
  );
}
