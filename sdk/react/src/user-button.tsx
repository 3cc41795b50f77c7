import type { User } from '@latchkey/browser';
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { all, useAccountClient } from './account/use-account.ts';
import { report, SignOutButton } from './parts.tsx';
import { useAuth, useOrganization, useTexts, useUser } from './provider.tsx';
import { directionOf } from './texts.ts';

export type OrganizationChoice = { id: string; name: string };

/** The organizations of the person, by `/v1/me/organizations`; empty until they are read, and for third-party applications. */
export function useOrganizations(): readonly OrganizationChoice[] {
  const { client } = useAccountClient();
  const user = useUser();
  const [known, setKnown] = useState<readonly OrganizationChoice[]>([]);
  const id = user?.sub;
  useEffect(() => {
    setKnown([]);
    if (!client || id === undefined) return;
    let isShown = true;
    all(client.list('/v1/me/organizations')).then(
      (found) => isShown && setKnown(found.filter(({ status }) => status === 'active')),
      // The switch is an extra: without the list there is none.
      () => null,
    );
    return () => {
      isShown = false;
    };
  }, [client, id]);
  return known;
}

/**
 * A list of the organizations of the person. Nothing where there are fewer than two.
 * @param organizations by default Latchkey is asked
 */
export function OrganizationSwitcher({
  organizations,
}: {
  organizations?: readonly OrganizationChoice[] | undefined;
}): ReactNode {
  return organizations ? <Switcher organizations={organizations} /> : <OwnSwitcher />;
}

function OwnSwitcher(): ReactNode {
  return <Switcher organizations={useOrganizations()} />;
}

function Switcher({ organizations }: { organizations: readonly OrganizationChoice[] }): ReactNode {
  const { organization, switchOrganization } = useOrganization();
  const { texts, language } = useTexts();
  const [isBusy, setBusy] = useState(false);
  if (organizations.length < 2) return null;
  const change = (id: string) => {
    setBusy(true);
    switchOrganization(id)
      .catch(report)
      .finally(() => setBusy(false));
  };
  return (
    <label className="latchkey-organizations" lang={language} dir={directionOf(language)}>
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
 * @param organizations those of the person; by default Latchkey is asked when the menu opens
 */
export function UserButton({
  organizations,
  children,
}: {
  organizations?: readonly OrganizationChoice[];
  /** More entries. */
  children?: ReactNode;
}): ReactNode {
  const { auth, state } = useAuth();
  const { texts, language } = useTexts();
  const user = useUser();
  const panel = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [side, setSide] = useState<'start' | 'end'>('end');
  if (!user || state.status !== 'signed-in') return null;
  const toggle = () => {
    const { left = 0 } = button.current?.getBoundingClientRect() ?? {};
    // It opens towards the middle of the page.
    setSide(left < innerWidth / 2 ? 'start' : 'end');
    setOpen(!isOpen);
  };
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
    <div className="latchkey-user" lang={language} dir={directionOf(language)} onBlur={leave} onKeyDown={close}>
      <button
        ref={button}
        className="latchkey-user-button"
        type="button"
        aria-expanded={isOpen}
        aria-controls={panel}
        aria-label={`${texts.menu}: ${nameOf(user)}`}
        onClick={toggle}
      >
        {user.picture === undefined ? initialOf(user) : <img src={user.picture} alt="" referrerPolicy="no-referrer" />}
      </button>
      {/* A click on the text takes the focus, so that the panel stays open. */}
      <div id={panel} className={`latchkey-user-panel latchkey-user-panel-${side}`} hidden={!isOpen} tabIndex={-1}>
        <p className="latchkey-user-name">
          {nameOf(user)}
          {!state.isOnline && <small> ({texts.offline})</small>}
        </p>
        {isOpen && <OrganizationSwitcher organizations={organizations} />}
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
