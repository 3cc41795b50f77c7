import type { Memberships } from '#api/records.ts';
import { CopyIconButton } from '#ui/copy.tsx';
import classes from './logs.module.css';
import { NameLink } from './NameLink.tsx';
import type { Named } from './names.ts';

/** A name in a row of a log, which leads to its record; hovering shows the button that copies the id. */
export function NameInRow({ of, members }: { of: Named; members: Memberships }) {
  const { name, id } = of;
  return (
    <span className={classes.named}>
      <span className={classes.name} title={name}>
        <NameLink of={of} members={members} />
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
