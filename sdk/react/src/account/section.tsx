import { type ReactNode, useId } from 'react';
import { type TextId, useSay } from '../texts/form-texts.ts';
import type { AccountData, AccountState } from './use-account.ts';

export type SectionProps = AccountState & { data: AccountData };

/** A part of the account with its heading. */
export function Section({ title, children }: { title: TextId; children: ReactNode }): ReactNode {
  const { say } = useSay();
  const id = useId();
  return (
    <section className="latchkey-section" aria-labelledby={id}>
      <h3 id={id}>{say(title)}</h3>
      {children}
    </section>
  );
}
