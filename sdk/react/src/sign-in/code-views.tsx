import type { Sent } from '@latchkey/browser/api';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, CodeField, Field, Form, Heading } from '../fields.tsx';
import { NewPassword } from '../new-password.tsx';
import { useSay } from '../texts/form-texts.ts';
import type { SignIn } from './use-sign-in.ts';

/** Asks for the code of a message. */
export function CodeView({ signIn, sent }: { signIn: SignIn; sent: Sent }): ReactNode {
  const { say } = useSay();
  return (
    <>
      <Heading isFirst={false}>{say('codeTitle')}</Heading>
      <p>{say('codeIntro', { address: sent.to, minutes: Math.round(sent.expiresIn / 60) })}</p>
      <Form onSend={({ code = '' }) => signIn.verify(sent, code.trim())}>
        <CodeField label={say('code')} inputMode="numeric" />
        <Button kind="main" type="submit" disabled={signIn.isBusy}>
          {say('continue')}
        </Button>
      </Form>
      <Again signIn={signIn} sent={sent} />
    </>
  );
}

/** Asks whose password to reset. */
export function ForgotView({ signIn }: { signIn: SignIn }): ReactNode {
  const { say } = useSay();
  return (
    <>
      <Heading isFirst={false}>{say('forgotTitle')}</Heading>
      <p>{say('forgotIntro')}</p>
      <Form onSend={({ identifier = '' }) => signIn.forgot(identifier.trim())}>
        <Field label={say('identifier')} name="identifier" autoComplete="username" autoCapitalize="none" required />
        <Button kind="main" type="submit" disabled={signIn.isBusy}>
          {say('continue')}
        </Button>
      </Form>
      <Button kind="link" onClick={() => signIn.go({ name: 'start', link: null })}>
        {say('back')}
      </Button>
    </>
  );
}

/** Asks for the code of a reset and the new password. */
export function ResetView({ signIn, sent }: { signIn: SignIn; sent: Sent }): ReactNode {
  const { say } = useSay();
  return (
    <>
      <Heading isFirst={false}>{say('resetTitle')}</Heading>
      <p>{say('resetIntro', { address: sent.to })}</p>
      <Form onSend={({ code = '', newPassword = '' }) => signIn.reset(sent, { code: code.trim(), newPassword })}>
        <CodeField label={say('code')} inputMode="numeric" />
        <NewPassword label="newPassword" methods={signIn.methods} />
        <Button kind="main" type="submit" disabled={signIn.isBusy}>
          {say('save')}
        </Button>
      </Form>
      <Again signIn={signIn} sent={sent} />
    </>
  );
}

/** Another message, once it can be asked for, and the way back. */
function Again({ signIn, sent }: { signIn: SignIn; sent: Sent }): ReactNode {
  const { say } = useSay();
  const [isEarly, setEarly] = useState(true);
  useEffect(() => {
    setEarly(true);
    const timer = setTimeout(() => setEarly(false), sent.resendAfter * 1000);
    return () => clearTimeout(timer);
  }, [sent]);
  return (
    <div className="latchkey-choices">
      <Button kind="link" disabled={isEarly || signIn.isBusy} onClick={() => signIn.resend(sent)}>
        {say('resend')}
      </Button>
      <Button kind="link" onClick={() => signIn.go({ name: 'start', link: null })}>
        {say('back')}
      </Button>
    </div>
  );
}
