import type { ReactNode } from 'react';
import { Button, Field, Form, Heading } from '../fields.tsx';
import { NewPassword } from '../new-password.tsx';
import { useSay } from '../texts/form-texts.ts';
import type { SignIn } from './use-sign-in.ts';

/** The registration. The address is verified afterwards where the project asks for it. */
export function SignUpView({ signIn }: { signIn: SignIn }): ReactNode {
  const { methods, isBusy, go } = signIn;
  const { say, language } = useSay();
  const withPassword = methods?.methods.includes('password') ?? false;
  const send = ({ email = '', name = '', newPassword }: Record<string, string>) =>
    signIn.register({
      email: email.trim(),
      profile: { locale: language, ...(name.trim() !== '' && { displayName: name.trim() }) },
      ...(newPassword !== undefined && { password: newPassword }),
    });
  return (
    <>
      <Heading isFirst={false}>{say('signUpTitle')}</Heading>
      <Form onSend={send}>
        <Field label={say('name')} name="name" autoComplete="name" maxLength={100} />
        <Field label={say('email')} name="email" type="email" autoComplete="email" required />
        {withPassword && <NewPassword label="password" methods={methods} />}
        <Button kind="main" type="submit" disabled={isBusy}>
          {say('signUp')}
        </Button>
      </Form>
      <p className="latchkey-switch">
        {say('haveAccount')}{' '}
        <Button kind="link" onClick={() => go({ name: 'start', link: null })}>
          {say('signIn')}
        </Button>
      </p>
    </>
  );
}
