import { type Account, hasPasskeys, type Proof, type SignInMethods } from '@latchkey/browser/api';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { explain } from '../faults.ts';
import { Button, CodeField, Fault, Field, Form } from '../fields.tsx';
import { useSay } from '../texts/form-texts.ts';
import type { SectionProps } from './section.tsx';
import type { PendingProof } from './use-account.ts';

type Way = 'password' | 'totp' | 'passkey' | 'email' | 'phone' | 'recovery_code';

/** The ways in which the person can prove who they are: only second factors, or none, if that is asked for. */
function waysOf(
  { data: { security, profile }, methods }: SectionProps,
  { acr, ownProof = false }: PendingProof['stepUp'],
): Way[] {
  const isSecond = acr !== undefined;
  // Who proved a second factor already is asked for the account itself.
  const isOwn = ownProof && !isSecond;
  const hasApp = security.mfa.factors.some(({ type }) => type === 'totp');
  const hasKey = security.passkeys.length > 0 && hasPasskeys();
  const allows = (method: SignInMethods['methods'][number]) => methods?.methods.includes(method) ?? false;
  const ways: [Way, boolean][] = [
    ['password', security.hasPassword && !isSecond],
    ['totp', hasApp && !isOwn],
    ['passkey', hasKey],
    ['email', !isSecond && profile.emailVerified && allows('email_code')],
    ['phone', !isSecond && profile.phoneVerified && allows('phone')],
    ['recovery_code', security.recoveryCodesLeft > 0 && !isOwn],
  ];
  return ways.flatMap(([way, isThere]) => (isThere ? [way] : []));
}

/** Asks who is there before a sensitive change. */
export function ProofDialog({ pending, ...props }: SectionProps & { pending: PendingProof }): ReactNode {
  const { account, data, methods } = props;
  const { say } = useSay();
  const title = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [chosen, setChosen] = useState<Way | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const ways = waysOf(props, pending.stepUp);
  const way = chosen ?? ways[0];
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const attempt = async (run: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    await run().catch(setError);
    setBusy(false);
  };
  const prove = (proof: () => Promise<Proof>) => attempt(async () => pending.prove(await proof()));
  const project = methods?.projectName ?? '';
  return (
    <dialog ref={dialog} className="latchkey-dialog" aria-labelledby={title} onCancel={pending.cancel}>
      <h2 id={title}>{say('proofTitle')}</h2>
      <Fault>
        {error === null
          ? null
          : explain(error, say, { project, instead: { INVALID_CREDENTIALS: 'fault.currentPassword' } })}
      </Fault>
      <p>{way === undefined ? say('proofNone', { project }) : say('proofIntro')}</p>
      {way === 'password' && (
        <Form onSend={({ password = '' }) => prove(async () => ({ password }))}>
          <Field
            label={say('password')}
            name="password"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
          />
          <Button kind="main" type="submit" disabled={isBusy}>
            {say('confirm')}
          </Button>
        </Form>
      )}
      {(way === 'totp' || way === 'recovery_code') && (
        <Form key={way} onSend={({ code = '' }) => prove(async () => ({ code: code.trim() }))}>
          <p>{say(way === 'totp' ? 'factorTotp' : 'factorRecovery')}</p>
          <CodeField label={say('code')} inputMode={way === 'totp' ? 'numeric' : 'text'} autoFocus />
          <Button kind="main" type="submit" disabled={isBusy}>
            {say('confirm')}
          </Button>
        </Form>
      )}
      {way === 'passkey' && (
        <Button kind="main" disabled={isBusy} onClick={() => prove(() => account.passkeyProof())}>
          {say('usePasskey')}
        </Button>
      )}
      {(way === 'email' || way === 'phone') && (
        <SentProof
          key={way}
          channel={way}
          to={data.profile[way] ?? ''}
          isBusy={isBusy}
          account={account}
          attempt={attempt}
          prove={(emailCode) => prove(async () => ({ emailCode }))}
        />
      )}
      <div className="latchkey-choices">
        {ways.length > 1 && (
          <Button
            kind="link"
            onClick={() => setChosen(ways[(ways.indexOf(way ?? 'password') + 1) % ways.length] ?? null)}
          >
            {say('other')}
          </Button>
        )}
        <Button kind="link" onClick={pending.cancel}>
          {say('cancel')}
        </Button>
      </div>
    </dialog>
  );
}

type SentProps = {
  channel: 'email' | 'phone';
  to: string;
  isBusy: boolean;
  account: Account;
  attempt: (run: () => Promise<void>) => Promise<void>;
  prove: (emailCode: { flowId: string; code: string }) => unknown;
};

/** Sends a code to an address of the person, and asks for it. */
function SentProof({ channel, to, isBusy, account, attempt, prove }: SentProps): ReactNode {
  const { say } = useSay();
  const [flowId, setFlowId] = useState<string | null>(null);
  const send = async () => setFlowId(await account.sendProof(channel === 'email' ? { email: to } : { phone: to }));
  if (flowId === null)
    return (
      <Button kind="main" disabled={isBusy} onClick={() => attempt(send)}>
        {say(channel === 'email' ? 'sendMailCode' : 'sendTextCode')}
      </Button>
    );
  return (
    <Form onSend={({ code = '' }) => prove({ flowId, code: code.trim() })}>
      <p>{to}</p>
      <CodeField label={say('code')} inputMode="numeric" autoFocus />
      <Button kind="main" type="submit" disabled={isBusy}>
        {say('confirm')}
      </Button>
    </Form>
  );
}
