import type { User } from '@latchkey/browser';
import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { report, SignOutButton } from './parts.tsx';
import { useAuth, useOrganization, useTexts, useUser } from './provider.tsx';

export type OrganizationChoice = { id: string; name: string };

/** A list of the organizations of the person. Nothing where there are fewer than two. */
export function OrganizationSwitcher({ organizations }: { organizations: readonly OrganizationChoice[] }): ReactNode {
  const { organization, switchOrganization } = useOrganization();
  const { texts } = useTexts();
  const [isBusy, setBusy] = useState(false);
  if (organizations.length < 2) return null;
  const change = (id: string) => {
    setBusy(true);
    switchOrganization(id)
      .catch(report)
      .finally(() => setBusy(false));
  };
  return (
    <label className="latchkey-organizations">
      <span>{texts.organization}</span>
      <select value={organization ?? ''} disabled={isBusy} onChange={({ target }) => change(target.value)}>
        {organization === null && <option value="" />}
        {organizations.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * Who is signed in, with their account, organizations and the way out. Escape and a click elsewhere close it.
 * @param organizations those of the person, if your application knows them
 */
export function UserButton({
  organizations = [],
  children,
}: {
  organizations?: readonly OrganizationChoice[];
  /** More entries. */
  children?: ReactNode;
}): ReactNode {
  const { auth, state } = useAuth();
  const { texts } = useTexts();
  const user = useUser();
  const panel = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  if (!user || state.status !== 'signed-in') return null;
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setOpen(false);
  };
  const close = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only closes what its button opened
    <div className="latchkey-user" onBlur={leave} onKeyDown={close}>
      <button
        ref={button}
        className="latchkey-user-button"
        type="button"
        aria-expanded={isOpen}
        aria-controls={panel}
        aria-label={`${texts.menu}: ${nameOf(user)}`}
        onClick={() => setOpen(!isOpen)}
      >
        {user.picture === undefined ? initialOf(user) : <img src={user.picture} alt="" referrerPolicy="no-referrer" />}
      </button>
      {/* A click on the text takes the focus, so that the panel stays open. */}
      <div id={panel} className="latchkey-user-panel" hidden={!isOpen} tabIndex={-1}>
        <p className="latchkey-user-name">
          {nameOf(user)}
          {!state.isOnline && <small> ({texts.offline})</small>}
        </p>
        <OrganizationSwitcher organizations={organizations} />
        <a href={auth.accountUrl}>{texts.account}</a>
        {children}
        <SignOutButton />
      </div>
    </div>
  );
}

function nameOf({ name, email, sub }: User): string {
  return name || email || sub;
}

function initialOf(user: User): string {
  return [...nameOf(user)][0]?.toUpperCase() ?? '';
}
