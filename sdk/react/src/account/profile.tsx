import { type ReactNode, useState } from 'react';
import { Button, Field, Form } from '../fields.tsx';
import { NewPassword } from '../new-password.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Opened } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

const NAMES = [
  { name: 'displayName', label: 'name', autoComplete: 'name' },
  { name: 'givenName', label: 'givenName', autoComplete: 'given-name' },
  { name: 'familyName', label: 'familyName', autoComplete: 'family-name' },
] as const;

/** The names of the person. */
export function ProfileSection({ data: { profile }, change, isBusy }: SectionProps): ReactNode {
  const { say } = useSay();
  const [isSaved, setSaved] = useState(false);
  const save = async (entered: Record<string, string>) => {
    setSaved(false);
    const body = Object.fromEntries(NAMES.map(({ name }) => [name, entered[name]?.trim() || null]));
    setSaved(await change((client) => client.patch('/v1/me/profile', { body })));
  };
  return (
    <Section title="profile">
      <Form onSend={save} key={profile.updatedAt}>
        {NAMES.map(({ name, label, autoComplete }) => (
          <Field
            key={name}
            label={say(label)}
            name={name}
            autoComplete={autoComplete}
            maxLength={100}
            defaultValue={profile[name] ?? ''}
          />
        ))}
        <Button kind="main" type="submit" disabled={isBusy}>
          {say('save')}
        </Button>
      </Form>
      <p role="status">{isSaved && say('saved')}</p>
    </Section>
  );
}

/** The password, which the other devices have to enter again. */
export function PasswordSection({ data: { security, profile }, methods, change, isBusy }: SectionProps): ReactNode {
  const { say } = useSay();
  if (!security.hasPassword && !methods?.methods.includes('password')) return null;
  return (
    <Section title="password">
      <p>{say('passwordIntro')}</p>
      <Opened label={security.hasPassword ? 'change' : 'add'}>
        {(close) => (
          <Form
            onSend={async ({ currentPassword, newPassword = '' }) => {
              const body = { newPassword, ...(currentPassword !== undefined && { currentPassword }) };
              if (await change((client) => client.put('/v1/me/security/password', { body }))) close();
            }}
          >
            {/* Password managers store the new password with it. */}
            <input type="text" autoComplete="username" value={profile.email ?? ''} readOnly hidden />
            {security.hasPassword && (
              <Field
                label={say('currentPassword')}
                name="currentPassword"
                type="password"
                autoComplete="current-password"
                required
              />
            )}
            <NewPassword label="newPassword" methods={methods} />
            <Button kind="main" type="submit" disabled={isBusy}>
              {say('save')}
            </Button>
          </Form>
        )}
      </Opened>
    </Section>
  );
}
