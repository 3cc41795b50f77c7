import { type ReactNode, useState } from 'react';
import { Button, CodeField, Field, Form } from '../fields.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Opened, Row } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

/** The addresses that messages go to. A new one counts once its owner has entered the code. */
export function Contact(props: SectionProps): ReactNode {
  const { profile } = props.data;
  const withPhone = profile.phone !== null || props.methods?.methods.includes('phone');
  return (
    <Section title="contact">
      <ul className="latchkey-list">
        <Address {...props} kind="email" value={profile.email} isVerified={profile.emailVerified} />
        {withPhone && <Address {...props} kind="phone" value={profile.phone} isVerified={profile.phoneVerified} />}
      </ul>
    </Section>
  );
}

const WORDS = {
  email: { title: 'newEmail', intro: 'newEmailIntro', type: 'email' },
  phone: { title: 'newPhone', intro: 'newPhoneIntro', type: 'tel' },
} as const;

type AddressProps = SectionProps & { kind: 'email' | 'phone'; value: string | null; isVerified: boolean };

function Address({ kind, value, isVerified, ...props }: AddressProps): ReactNode {
  const { say } = useSay();
  return (
    <Row
      title={value ?? say('notSet')}
      note={value === null || isVerified ? say(kind) : `${say(kind)}, ${say('unverified')}`}
    >
      <Opened label={value === null ? 'add' : 'change'}>
        {(close) => <NewAddress {...props} kind={kind} value={isVerified ? '' : (value ?? '')} close={close} />}
      </Opened>
    </Row>
  );
}

type NewAddressProps = SectionProps & { kind: 'email' | 'phone'; value: string; close: () => void };

function NewAddress({ kind, value, close, change, isBusy }: NewAddressProps): ReactNode {
  const { say } = useSay();
  const [sent, setSent] = useState<{ flowId: string; to: string; expiresIn: number } | null>(null);
  const { title, intro, type } = WORDS[kind];
  const send = ({ address: entered = '' }: Record<string, string>) => {
    const to = entered.trim();
    return change(async (client) => {
      const { data } =
        kind === 'email'
          ? await client.post('/v1/me/profile/email', { body: { email: to } })
          : await client.post('/v1/me/profile/phone', { body: { phone: to } });
      setSent({ ...data, to });
    });
  };
  const confirm = async (flowId: string, code: string) => {
    if (await change((client) => client.post(`/v1/me/profile/${kind}/verify`, { body: { flowId, code } }))) close();
  };
  if (!sent)
    return (
      <Form onSend={send}>
        <Field
          label={say(title)}
          name="address"
          type={type}
          autoComplete={type}
          required
          defaultValue={value}
          hint={say(intro)}
        />
        <Button kind="main" type="submit" disabled={isBusy}>
          {say('sendCode')}
        </Button>
      </Form>
    );
  return (
    <Form onSend={({ code = '' }) => confirm(sent.flowId, code.trim())}>
      <p>{say('codeIntro', { address: sent.to, minutes: Math.round(sent.expiresIn / 60) })}</p>
      <CodeField label={say('code')} inputMode="numeric" autoFocus />
      <Button kind="main" type="submit" disabled={isBusy}>
        {say('confirm')}
      </Button>
    </Form>
  );
}
