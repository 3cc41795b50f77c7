import { hasPasskeys, offersPasskeys, type SignInMethods } from '@latchkey/browser/api';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Field, Form, Heading } from '../fields.tsx';
import { useSay } from '../texts/form-texts.ts';
import type { SignIn, SignInView } from './use-sign-in.ts';

type Connection = { id: string; name: string; required: boolean };
type Method = SignInMethods['methods'][number];

/** Offers passkeys among the suggestions of the first field, until another way is chosen. */
function useOfferedPasskeys({ auth, methods, isBusy, onStep }: SignIn): void {
  const isAllowed = !isBusy && (methods?.methods.includes('passkey') ?? false);
  useEffect(() => {
    if (!isAllowed) return;
    const stop = new AbortController();
    const offer = async () => {
      if (!(await offersPasskeys()) || stop.signal.aborted) return;
      onStep(await auth.signInWithPasskey({ conditional: true, signal: stop.signal }));
    };
    // Nobody has asked for it, so nobody is told that it did not happen.
    offer().catch(() => null);
    return () => stop.abort();
  }, [auth, isAllowed, onStep]);
}

/** The first page: a name with a password, or what the project allows instead. */
export function StartView({
  signIn,
  view,
}: {
  signIn: SignIn;
  view: Extract<SignInView, { name: 'start' }>;
}): ReactNode {
  const { methods, isBusy, go } = signIn;
  const { say } = useSay();
  const [identifier, setIdentifier] = useState('');
  const connection = useConnection(signIn, identifier);
  useOfferedPasskeys(signIn);
  const allows = (...names: Method[]) => names.some((name) => methods?.methods.includes(name));
  const { link, isReset = false } = view;
  const shown = { signIn, identifier, setIdentifier };
  return (
    <>
      <Heading isFirst={link === null && !isReset}>{say(link ? 'linkTitle' : 'signInTitle')}</Heading>
      {link && <p>{say('linkIntro', { address: link.hint })}</p>}
      {isReset && <p role="status">{say('resetDone')}</p>}
      {connection && (
        <Button kind="main" disabled={isBusy} onClick={() => signIn.withConnection(connection.id, identifier)}>
          {say('provider', { provider: connection.name })}
        </Button>
      )}
      {allows('password') ? <PasswordForm {...shown} /> : allows('email_code', 'magic_link') && <MailForm {...shown} />}
      <OtherWays {...shown} withMail={allows('password')} />
      {methods?.registration === 'open' && allows('password', 'email_code', 'magic_link') && (
        <p className="latchkey-switch">
          {say('noAccount')}{' '}
          <Button kind="link" onClick={() => go({ name: 'sign-up' })}>
            {say('signUp')}
          </Button>
        </p>
      )}
    </>
  );
}

type Shown = { signIn: SignIn; identifier: string; setIdentifier: (identifier: string) => void };

/** The connection of the company of an address, once it is complete. */
function useConnection({ auth, error }: SignIn, identifier: string): Connection | null {
  const [found, setFound] = useState<{ domain: string; connection: Connection | null } | null>(null);
  const domain = /@([^@\s]+\.[^@\s.]{2,})$/.exec(identifier)?.[1]?.toLowerCase() ?? null;
  const isKnown = domain === null || found?.domain === domain || error !== null;
  useEffect(() => {
    if (isKnown || domain === null) return;
    let isAsked = true;
    // People type: only an address that stays for a moment is asked about.
    const timer = setTimeout(() => {
      auth.findConnection(identifier).then(
        (connection) => isAsked && setFound({ domain, connection }),
        () => isAsked && setFound({ domain, connection: null }),
      );
    }, TYPING_MS);
    return () => {
      isAsked = false;
      clearTimeout(timer);
    };
  }, [auth, domain, identifier, isKnown]);
  return found?.domain === domain ? found.connection : null;
}

const TYPING_MS = 400;

function PasswordForm({ signIn, identifier, setIdentifier }: Shown): ReactNode {
  const { say } = useSay();
  const [isShown, setShown] = useState(false);
  return (
    <Form onSend={({ password = '' }) => signIn.withPassword(identifier.trim(), password)}>
      <Field
        label={say('identifier')}
        name="identifier"
        autoComplete="username webauthn"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={identifier}
        onChange={({ target }) => setIdentifier(target.value)}
      />
      <Field
        label={say('password')}
        name="password"
        type={isShown ? 'text' : 'password'}
        autoComplete="current-password"
        required
      />
      <label className="latchkey-check">
        <input type="checkbox" checked={isShown} onChange={({ target }) => setShown(target.checked)} />
        {say('show')}
      </label>
      <Button kind="main" type="submit" disabled={signIn.isBusy}>
        {say('signIn')}
      </Button>
      <Button kind="link" onClick={() => signIn.go({ name: 'forgot' })}>
        {say('forgot')}
      </Button>
    </Form>
  );
}

function MailForm({ signIn, identifier, setIdentifier }: Shown): ReactNode {
  const { say } = useSay();
  const byCode = signIn.methods?.methods.includes('email_code') ?? false;
  const send = byCode ? signIn.sendMailCode : signIn.sendMailLink;
  return (
    <Form onSend={() => send(identifier.trim())}>
      <Field
        label={say('email')}
        name="email"
        type="email"
        autoComplete="username webauthn"
        required
        value={identifier}
        onChange={({ target }) => setIdentifier(target.value)}
      />
      <Button kind="main" type="submit" disabled={signIn.isBusy}>
        {say(byCode ? 'sendMailCode' : 'sendMailLink')}
      </Button>
    </Form>
  );
}

/** Buttons for the other ways. Those by mail and phone take what stands in the first field, or ask for it. */
function OtherWays({ signIn, identifier, withMail }: Shown & { withMail: boolean }): ReactNode {
  const { methods, isBusy } = signIn;
  const { say } = useSay();
  const allowed = new Set<string>(methods?.methods);
  const ways = [
    allowed.has('passkey') && hasPasskeys() && { label: say('passkey'), act: signIn.withPasskey },
    ...(methods?.providers ?? []).map(({ id, name }) => ({
      label: say('provider', { provider: name }),
      act: () => signIn.withProvider(id),
    })),
  ].filter((way) => way !== false);
  const sending = [
    withMail && allowed.has('email_code') && { type: 'email', label: say('sendMailCode'), act: signIn.sendMailCode },
    withMail && allowed.has('magic_link') && { type: 'email', label: say('sendMailLink'), act: signIn.sendMailLink },
    allowed.has('phone') && { type: 'tel', label: say('sendTextCode'), act: signIn.sendTextCode },
  ].filter((way) => way !== false);
  if (ways.length + sending.length === 0) return null;
  return (
    <>
      <p className="latchkey-or">{say('or')}</p>
      {ways.map(({ label, act }) => (
        <Button key={label} disabled={isBusy} onClick={act}>
          {label}
        </Button>
      ))}
      {sending.map(({ type, label, act }) => (
        <details key={label} className="latchkey-way">
          <summary>{label}</summary>
          <Form onSend={({ address = '' }) => act(address.trim())}>
            <Field
              label={say(type === 'tel' ? 'phone' : 'email')}
              name="address"
              type={type}
              autoComplete={type}
              required
              defaultValue={type === 'email' && identifier.includes('@') ? identifier : ''}
              key={identifier}
            />
            <Button kind="main" type="submit" disabled={isBusy}>
              {say('continue')}
            </Button>
          </Form>
        </details>
      ))}
    </>
  );
}
