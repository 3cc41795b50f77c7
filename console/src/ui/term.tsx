import type { ReactNode } from 'react';
import classes from './term.module.css';

/** Plain words with the technical name beside them, as the API and the standards write it. */
export function Term({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      {children}{' '}
      <code className={classes.term} aria-hidden>
        {name}
      </code>
    </>
  );
}
