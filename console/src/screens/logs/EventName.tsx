import { Fragment } from 'react';
import classes from './logs.module.css';

/** The name of an event, which breaks between its words where there is little room. */
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
