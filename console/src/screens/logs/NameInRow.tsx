import { CopyIconButton } from '#ui/copy.tsx';
import classes from './logs.module.css';
import type { Named } from './names.ts';

/** A name in a row of a log; hovering shows the button that copies the id. */
export function NameInRow({ of: { name, id } }: { of: Named }) {
  return (
    <span className={classes.named}>
      <span className={classes.name} title={name}>
        {name}
      </span>
      {id !== null && (
        // Keyboard users find the copy buttons in the detail panel.
        <span className={classes.copy} data-above>
          <CopyIconButton value={id} name={id} hint={id} tabIndex={-1} />
        </span>
      )}
    </span>
  );
}
