import { type ReactNode, useState } from 'react';
import { Button } from '../fields.tsx';
import { type TextId, useSay } from '../texts/form-texts.ts';

/** An entry of a list: what it is, and what can be done with it. */
export function Row({
  title,
  note,
  children,
}: {
  title: ReactNode;
  note?: string | undefined;
  children?: ReactNode;
}): ReactNode {
  return (
    <li className="latchkey-row">
      <div>
        <span className="latchkey-row-title">{title}</span>
        {note !== undefined && note !== '' && <small>{note}</small>}
      </div>
      {children}
    </li>
  );
}

type ConfirmedProps = {
  /** What the button does. */
  action: string;
  /** What it asks before. */
  question: string;
  /** What the button says to a screen reader, if the same action stands more than once. */
  of?: string;
  isBusy: boolean;
  onConfirm: () => unknown;
};

/** A button that asks once more before it acts. */
export function Confirmed({ action, question, of, isBusy, onConfirm }: ConfirmedProps): ReactNode {
  const { say } = useSay();
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <Button aria-label={of === undefined ? undefined : `${action}: ${of}`} onClick={() => setAsking(true)}>
        {action}
      </Button>
    );
  const confirm = () => {
    setAsking(false);
    onConfirm();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is shown twice
    <div role="group" aria-label={question} className="latchkey-confirm">
      <p>{question}</p>
      <Button kind="main" autoFocus disabled={isBusy} onClick={confirm}>
        {action}
      </Button>
      <Button onClick={() => setAsking(false)}>{say('cancel')}</Button>
    </div>
  );
}

type OpenedProps = {
  label: TextId;
  /** What the button says to a screen reader, if the same action stands more than once. */
  of?: string;
  children: (close: () => void) => ReactNode;
};

/** Shows its content after a press on its button. The content gets a function that closes it. */
export function Opened({ label, of, children }: OpenedProps): ReactNode {
  const { say } = useSay();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <Button aria-label={of === undefined ? undefined : `${say(label)}: ${of}`} onClick={() => setOpen(true)}>
        {say(label)}
      </Button>
    );
  return (
    <div className="latchkey-opened">
      {children(() => setOpen(false))}
      <Button kind="link" onClick={() => setOpen(false)}>
        {say('cancel')}
      </Button>
    </div>
  );
}

/** A date in the language of the person. */
export function dateOf(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(instant));
}
