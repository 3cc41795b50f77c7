import type { Enrollment } from '@latchkey/browser/api';
import { type ReactNode, useState } from 'react';
import { Button, CodeField, Field, Form } from '../fields.tsx';
import { AppKey, RecoveryCodesView } from '../sign-in/factor-views.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Confirmed, dateOf, Opened, Row } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

type FactorProps = SectionProps & { showCodes: (codes: readonly string[]) => void };

/** The second factors: an authenticator app, a phone, recovery codes. */
export function FactorsSection(props: SectionProps): ReactNode {
  const { say } = useSay();
  const { security } = props.data;
  const [codes, setCodes] = useState<readonly string[]>([]);
  const shown = { ...props, showCodes: setCodes };
  const renew = () =>
    props.change(async (client) => {
      const { data } = await client.post('/v1/me/security/recovery-codes', { body: {} });
      setCodes(data.recoveryCodes);
    });
  return (
    <Section title="factors">
      <p>{say(security.mfa.enabled ? 'factorsOn' : 'factorsOff')}</p>
      <ul className="latchkey-list">
        <AppFactor {...shown} />
        {props.methods?.methods.includes('phone') && <PhoneFactor {...shown} />}
        {security.mfa.enabled && (
          <Row title={say('recoveryCodes')} note={say('recoveryLeft', { count: security.recoveryCodesLeft })}>
            <Confirmed
              action={say('newCodes')}
              question={say('newCodesIntro')}
              isBusy={props.isBusy}
              onConfirm={renew}
            />
          </Row>
        )}
      </ul>
      {codes.length > 0 && <RecoveryCodesView codes={codes} onContinue={() => setCodes([])} />}
    </Section>
  );
}

function AppFactor(props: FactorProps): ReactNode {
  const { say, language } = useSay();
  const { data, change, isBusy } = props;
  const [made, setMade] = useState<Enrollment | null>(null);
  const app = data.security.mfa.factors.find(({ type }) => type === 'totp');
  const begin = () =>
    change(async (client) => {
      const begun = await client.post('/v1/me/security/mfa/totp', { body: {} });
      setMade(begun.data);
    });
  const remove = () => change((client) => client.delete('/v1/me/security/mfa/totp'));
  return (
    <Row title={say('totp')} note={app && say('addedOn', { date: dateOf(app.createdAt, language) })}>
      {app && (
        <Confirmed
          action={say('remove')}
          of={say('totp')}
          question={say('askTotp')}
          isBusy={isBusy}
          onConfirm={remove}
        />
      )}
      {!app && !made && (
        <Button disabled={isBusy} onClick={begin}>
          {say('setUp')}
        </Button>
      )}
      {!app && made && <NewApp {...props} app={made} close={() => setMade(null)} />}
    </Row>
  );
}

function NewApp({
  app,
  change,
  isBusy,
  showCodes,
  close,
}: FactorProps & { app: Enrollment; close: () => void }): ReactNode {
  const { say } = useSay();
  const confirm = (code: string) =>
    change(async (client) => {
      const { data } = await client.post('/v1/me/security/mfa/totp/confirm', { body: { id: app.id, code } });
      showCodes(data.recoveryCodes ?? []);
      close();
    });
  return (
    <div className="latchkey-opened">
      <AppKey {...app} />
      <Form onSend={({ code = '' }) => confirm(code.trim())}>
        <CodeField label={say('code')} inputMode="numeric" autoFocus />
        <Button kind="main" type="submit" disabled={isBusy}>
          {say('confirm')}
        </Button>
      </Form>
      <Button kind="link" onClick={close}>
        {say('cancel')}
      </Button>
    </div>
  );
}

function PhoneFactor(props: FactorProps): ReactNode {
  const { say } = useSay();
  const { data, change, isBusy } = props;
  const phone = data.security.mfa.factors.find(({ type }) => type === 'phone');
  return (
    <Row title={say('phoneFactor')} note={phone?.hint ?? undefined}>
      {phone ? (
        <Confirmed
          action={say('remove')}
          of={say('phoneFactor')}
          question={say('askPhone')}
          isBusy={isBusy}
          onConfirm={() => change((client) => client.delete('/v1/me/security/mfa/phone'))}
        />
      ) : (
        <Opened label="setUp">{(close) => <NewPhone {...props} close={close} />}</Opened>
      )}
    </Row>
  );
}

function NewPhone({ change, isBusy, showCodes, close }: FactorProps & { close: () => void }): ReactNode {
  const { say } = useSay();
  const [flowId, setFlowId] = useState<string | null>(null);
  const send = (phone: string) =>
    change(async (client) => {
      const { data } = await client.post('/v1/me/security/mfa/phone', { body: { phone } });
      setFlowId(data.flowId);
    });
  const confirm = (id: string, code: string) =>
    change(async (client) => {
      const { data } = await client.post('/v1/me/security/mfa/phone/confirm', { body: { flowId: id, code } });
      showCodes(data.recoveryCodes ?? []);
      close();
    });
  return (
    <Form onSend={({ phone = '', code = '' }) => (flowId === null ? send(phone.trim()) : confirm(flowId, code.trim()))}>
      {flowId === null ? (
        <Field
          label={say('newPhone')}
          name="phone"
          type="tel"
          autoComplete="tel"
          required
          hint={say('newPhoneIntro')}
        />
      ) : (
        <CodeField label={say('code')} inputMode="numeric" autoFocus />
      )}
      <Button kind="main" type="submit" disabled={isBusy}>
        {say(flowId === null ? 'sendCode' : 'confirm')}
      </Button>
    </Form>
  );
}
