import { createPasskey, hasPasskeys } from '@latchkey/browser/api';
import { type ReactNode, useState } from 'react';
import { Button, Field, Form } from '../fields.tsx';
import { RecoveryCodesView } from '../sign-in/factor-views.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Confirmed, dateOf, Opened, Row } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

/** The passkeys of the person, and another one of this device. */
export function PasskeysSection({ data: { security }, methods, change, isBusy }: SectionProps): ReactNode {
  const { say, language } = useSay();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const { passkeys } = security;
  const isAllowed = methods?.methods.includes('passkey') ?? false;
  if (!isAllowed && passkeys.length === 0) return null;
  const add = () =>
    change(async (client) => {
      const { data } = await client.post('/v1/me/security/passkeys/options', { body: {} });
      const response = Object(await createPasskey(data.options));
      const added = await client.post('/v1/me/security/passkeys', { body: { flowId: data.flowId, response } });
      setCodes(added.data.recoveryCodes ?? []);
    });
  const rename = (id: string, name: string) =>
    change((client) =>
      client.patch('/v1/me/security/passkeys/{passkeyId}', { path: { passkeyId: id }, body: { name } }),
    );
  return (
    <Section title="passkeys">
      <p>{say(passkeys.length === 0 ? 'noPasskeys' : 'passkeyIntro')}</p>
      <ul className="latchkey-list">
        {passkeys.map(({ id, name, createdAt }) => (
          <Row key={id} title={name} note={say('addedOn', { date: dateOf(createdAt, language) })}>
            <Opened label="rename" of={name}>
              {(close) => (
                <Form onSend={async ({ passkey = '' }) => (await rename(id, passkey.trim())) && close()}>
                  <Field
                    label={say('passkeyName')}
                    name="passkey"
                    maxLength={100}
                    defaultValue={name}
                    autoFocus
                    required
                  />
                  <Button kind="main" type="submit" disabled={isBusy}>
                    {say('save')}
                  </Button>
                </Form>
              )}
            </Opened>
            <Confirmed
              action={say('remove')}
              of={name}
              question={say('askPasskey')}
              isBusy={isBusy}
              onConfirm={() =>
                change((client) => client.delete('/v1/me/security/passkeys/{passkeyId}', { path: { passkeyId: id } }))
              }
            />
          </Row>
        ))}
      </ul>
      {codes.length > 0 && <RecoveryCodesView codes={codes} onContinue={() => setCodes([])} />}
      {isAllowed && hasPasskeys() && (
        <Button disabled={isBusy} onClick={add}>
          {say('addPasskey')}
        </Button>
      )}
    </Section>
  );
}
