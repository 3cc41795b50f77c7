import Link from 'next/link';
import { Suspense } from 'react';
import { requireAuth } from '../../latchkey.js';

async function Private() {
  const { user } = await requireAuth();
  return <p>Only you see this, {user.name ?? user.email ?? user.sub}.</p>;
}

export default function Page() {
  return (
    <>
      <Suspense fallback={<p>One moment…</p>}>
        <Private />
      </Suspense>
      <p>
        <Link href="/">Back</Link>
      </p>
    </>
  );
}
