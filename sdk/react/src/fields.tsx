import { type ComponentProps, type ReactNode, type SubmitEvent, useEffect, useId, useRef } from 'react';

type FieldProps = Omit<ComponentProps<'input'>, 'id'> & { label: string; hint?: string | undefined };

/** An input with its label. */
export function Field({ label, hint, ...input }: FieldProps): ReactNode {
  const id = useId();
  return (
    <div className="latchkey-field">
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...input} />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A code of digits, or a recovery code. */
export function CodeField(input: FieldProps): ReactNode {
  return (
    <Field name="code" autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} required {...input} />
  );
}

/** A message that is read out when it appears. */
export function Fault({ children }: { children: string | null }): ReactNode {
  return (
    <div role="alert" className="latchkey-fault" hidden={children === null}>
      {children}
    </div>
  );
}

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  /** Gets what was entered, by the names of the fields. */
  onSend: (entered: Record<string, string>) => unknown;
};

/** A form that hands over what was entered. */
export function Form({ onSend, children, ...form }: FormProps): ReactNode {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
    onSend(Object.fromEntries(entries));
  };
  return (
    <form className="latchkey-form" {...form} onSubmit={submit}>
      {children}
    </form>
  );
}

type ButtonProps = ComponentProps<'button'> & { kind?: 'main' | 'quiet' | 'link' };

export function Button({ kind = 'quiet', ...button }: ButtonProps): ReactNode {
  return <button className={`latchkey-button latchkey-button-${kind}`} type="button" {...button} />;
}

/** A heading that takes the focus when it replaces another one, so that a screen reader says where the person is. */
export function Heading({ children, isFirst }: { children: string; isFirst: boolean }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
  }, [isFirst]);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}
