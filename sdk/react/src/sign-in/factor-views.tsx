import type { Factor } from '@latchkey/browser/api';
import { type ReactNode, useId } from 'react';
import { Button, CodeField, Form, Heading } from '../fields.tsx';
import { type Say, type TextId, useSay } from '../texts/form-texts.ts';
import type { SignIn, SignInView } from './use-sign-in.ts';

const INTRO: Readonly<Record<Factor['type'], TextId>> = {
  passkey: 'factorPasskey',
  totp: 'factorTotp',
  phone: 'factorPhone',
  recovery_code: 'factorRecovery',
};
const CHOICE: Readonly<Record<Factor['type'], TextId>> = {
  passkey: 'usePasskey',
  totp: 'useTotp',
  phone: 'usePhone',
  recovery_code: 'useRecovery',
};

function label(ids: Readonly<Record<Factor['type'], TextId>>, { type, hint }: Factor, say: Say): string {
  return say(ids[type], { hint: hint ?? '' });
}

/** Asks for the second factor, and offers the others. */
export function FactorView({
  signIn,
  view,
}: {
  signIn: SignIn;
  view: Extract<SignInView, { name: 'factor' }>;
}): ReactNode {
  const { say } = useSay();
  const { step, factor, challenge } = view;
  const others = step.factors.filter(({ id }) => id !== factor.id);
  const mustBegin = (factor.type === 'phone' || factor.type === 'passkey') && challenge === null;
  return (
    <>
      <Heading isFirst={false}>{say('factorTitle')}</Heading>
      {mustBegin ? (
        <Button kind="main" disabled={signIn.isBusy} onClick={() => signIn.chooseFactor(step, factor)}>
          {label(CHOICE, factor, say)}
        </Button>
      ) : (
        <>
          <p>{label(INTRO, factor, say)}</p>
          <Form onSend={({ code = '', remember }) => signIn.verifyFactor(view, { code, remember: remember === 'yes' })}>
            {factor.type !== 'passkey' && (
              <CodeField
                key={factor.id}
                label={say('code')}
                inputMode={factor.type === 'recovery_code' ? 'text' : 'numeric'}
              />
            )}
            <label className="latchkey-check">
              <input type="checkbox" name="remember" value="yes" />
              {say('remember')}
            </label>
            <Button kind="main" type="submit" disabled={signIn.isBusy}>
              {say(factor.type === 'passkey' ? 'usePasskey' : 'continue')}
            </Button>
          </Form>
        </>
      )}
      <div className="latchkey-choices">
        {others.map((other) => (
          <Button key={other.id} kind="link" disabled={signIn.isBusy} onClick={() => signIn.chooseFactor(step, other)}>
            {label(CHOICE, other, say)}
          </Button>
        ))}
        <Button kind="link" onClick={() => signIn.go({ name: 'start', link: null })}>
          {say('cancel')}
        </Button>
      </div>
    </>
  );
}

/** The QR code and the key of an authenticator app. */
export function AppKey({ qrSvg, secret }: { qrSvg: string; secret: string }): ReactNode {
  const { say } = useSay();
  return (
    <>
      <p>{say('enrollIntro')}</p>
      <img className="latchkey-qr" alt="" src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`} />
      <p>
        {say('enrollManual')} <code>{secret}</code>
      </p>
    </>
  );
}

/** Sets up the factor that the project requires. */
export function EnrollView({
  signIn,
  view,
}: {
  signIn: SignIn;
  view: Extract<SignInView, { name: 'enroll' }>;
}): ReactNode {
  const { say } = useSay();
  const { mfaToken, enrollment } = view;
  return (
    <>
      <Heading isFirst={false}>{say('enrollTitle')}</Heading>
      <AppKey {...enrollment} />
      <Form onSend={({ code = '' }) => signIn.confirmEnrollment(mfaToken, { id: enrollment.id, code: code.trim() })}>
        <CodeField label={say('code')} inputMode="numeric" />
        <Button kind="main" type="submit" disabled={signIn.isBusy}>
          {say('continue')}
        </Button>
      </Form>
    </>
  );
}

/** Shows new recovery codes, once. */
export function RecoveryCodesView({
  codes,
  onContinue,
}: {
  codes: readonly string[];
  onContinue: () => void;
}): ReactNode {
  const { say } = useSay();
  const title = useId();
  return (
    <section aria-labelledby={title}>
      <h2 id={title}>{say('recoveryCodes')}</h2>
      <p>{say('recoveryIntro')}</p>
      <ul className="latchkey-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Button kind="main" onClick={onContinue}>
        {say('continue')}
      </Button>
    </section>
  );
}
