import { type ReactNode, useCallback } from 'react';
import { Branded, Logo } from '../brand.tsx';
import { explain } from '../faults.ts';
import { Fault } from '../fields.tsx';
import { useAuth } from '../provider.tsx';
import { useSay } from '../texts/form-texts.ts';
import { CodeView, ForgotView, ResetView } from './code-views.tsx';
import { EnrollView, FactorView, RecoveryCodesView } from './factor-views.tsx';
import { SignUpView } from './sign-up-view.tsx';
import { StartView } from './start-view.tsx';
import { type SignIn, type SignInOptions, useSignIn } from './use-sign-in.ts';

/**
 * Signs people in on this page, by all ways that the project allows. It needs an `ApiAuth`. Afterwards they go to `returnTo`, by default
 * the one in the address of the page ({@link ApiAuth.signIn}); without one they stay.
 */
export function SignInForm({ returnTo, onSignedIn }: SignInOptions): ReactNode {
  const { auth } = useAuth();
  const target = targetOf(returnTo);
  const finish = useCallback(() => {
    onSignedIn?.();
    if (target !== undefined && target !== location.href && 'goTo' in auth) auth.goTo(target);
  }, [auth, onSignedIn, target]);
  const signIn = useSignIn({ returnTo: target, onSignedIn: finish });
  const { methods, view, error, isBusy } = signIn;
  const { say } = useSay();
  const project = methods?.projectName ?? '';
  return (
    <Branded methods={methods} className="latchkey-card">
      {methods && <Logo methods={methods} />}
      <Fault>{error === null ? null : explain(error, say, { project })}</Fault>
      <div aria-busy={isBusy} className="latchkey-view">
        {methods ? <View key={view.name} signIn={signIn} /> : error === null && <p>{say('working')}</p>}
      </div>
    </Branded>
  );
}

/** Only addresses of this origin, since applications pass on what is in theirs: a link to the form must not lead people elsewhere. */
function targetOf(named: string | undefined): string | undefined {
  const href = globalThis.location?.href;
  if (href === undefined) return undefined;
  const { origin, searchParams } = new URL(href);
  const returnTo = named ?? searchParams.get('returnTo');
  if (returnTo === null || !URL.canParse(returnTo, href)) return undefined;
  const target = new URL(returnTo, href);
  return target.origin === origin ? target.href : undefined;
}

function View({ signIn }: { signIn: SignIn }): ReactNode {
  const { view } = signIn;
  switch (view.name) {
    case 'start':
      return <StartView signIn={signIn} view={view} />;
    case 'sign-up':
      return <SignUpView signIn={signIn} />;
    case 'forgot':
      return <ForgotView signIn={signIn} />;
    case 'code':
      return <CodeView signIn={signIn} sent={view.sent} />;
    case 'reset':
      return <ResetView signIn={signIn} sent={view.sent} />;
    case 'factor':
      return <FactorView signIn={signIn} view={view} />;
    case 'enroll':
      return <EnrollView signIn={signIn} view={view} />;
    case 'recovery-codes':
      return <RecoveryCodesView codes={view.codes} onContinue={view.proceed} />;
    case 'done':
      return null;
  }
}
