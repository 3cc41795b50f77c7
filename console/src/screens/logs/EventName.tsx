import { Fragment } from 'react';
import classes from './logs.module.css';

/** An event type that may wrap between its words. */
export function EventName({ name }: { name: string }) {
  return (
    <code className={classes.event}>
      {name.split('.').map((word, index) => (
        <Fragment key={word}>
          {index > 0 && (
            <>
              .<wbr />
            </>
          )}
          {word}
        </Fragment>
      ))}
    </code>
  );
}
