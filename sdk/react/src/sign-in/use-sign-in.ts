import {
  type ApiAuth,
  type Enrollment,
  type Factor,
  type FactorChallenge,
  getPasskey,
  type LeaveOptions,
  type Registration,
  type Sent,
  type SignInMethods,
  type Step,
} from '@latchkey/browser/api';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useMethods } from '../brand.tsx';
import { useAuth } from '../provider.tsx';

/** Where a sign-in is. */
export type SignInView =
  | { name: 'start'; link: LinkStep | null; isReset?: boolean }
  | { name: 'sign-up' }
  | { name: 'forgot' }
  | { name: 'code'; sent: Sent }
  | { name: 'reset'; sent: Sent }
  | { name: 'factor'; step: FactorStep; factor: Factor; challenge: FactorChallenge | null }
  | { name: 'enroll'; mfaToken: string; enrollment: Enrollment }
  | { name: 'recovery-codes'; codes: string[]; proceed: () => void }
  | { name: 'done' };

type FactorView = Extract<SignInView, { name: 'factor' }>;
type LinkStep = Extract<Step, { status: 'link' }>;
type FactorStep = Extract<Step, { status: 'second_factor' }>;

/** A sign-in by the API, for forms of your own. Each action shows what comes next in `view`, or sets `error`. */
export type SignIn = {
  auth: ApiAuth;
  /** Null until they are known. */
  methods: SignInMethods | null;
  view: SignInView;
  error: unknown;
  isBusy: boolean;
  go: (view: SignInView) => void;
  /** Goes on with a step that was reached in another way. */
  onStep: (step: Step) => void;
  withPassword: (identifier: string, password: string) => void;
  withPasskey: () => void;
  withProvider: (id: string) => void;
  withConnection: (id: string, loginHint: string) => void;
  sendMailCode: (email: string) => void;
  sendMailLink: (email: string) => void;
  sendTextCode: (phone: string) => void;
  resend: (sent: Sent) => void;
  verify: (sent: Sent, code: string) => void;
  register: (registration: Registration) => void;
  forgot: (identifier: string) => void;
  reset: (sent: Sent, entered: { code: string; newPassword: string }) => void;
  chooseFactor: (step: FactorStep, factor: Factor) => void;
  /** A passkey needs no code. */
  verifyFactor: (view: FactorView, entered: { code?: string; remember: boolean }) => void;
  confirmEnrollment: (mfaToken: string, entered: { id: string; code: string }) => void;
};

export type SignInOptions = {
  /** Where a provider or a mailed link leads to afterwards: an address of this origin. */
  returnTo?: string | undefined;
  onSignedIn?: (() => void) | undefined;
};

const START: SignInView = { name: 'start', link: null };

/** @throws Error if the provider has an `Auth` of the hosted pages */
export function useSignIn({ returnTo, onSignedIn }: SignInOptions = {}): SignIn {
  const { auth, error: failure } = useAuth();
  if (!('methods' in auth)) throw new Error('Sign-in by a form needs an ApiAuth in the LatchkeyProvider.');
  const { methods, error: unknown } = useMethods();
  const [view, setView] = useState<SignInView>(START);
  /** Undefined until something is tried; until then the page shows why the last sign-in failed. */
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [link, setLink] = useState<LinkStep | null>(null);
  const actions = useMemo(() => {
    const show = (next: SignInView) => {
      setError(null);
      setView(next);
    };
    const attempt = (action: () => Promise<void>) => {
      setBusy(true);
      setError(null);
      action()
        .catch(setError)
        .finally(() => setBusy(false));
    };
    const finish = async () => {
      // Once: it is of no use to the next sign-in.
      setLink(null);
      if (link) await auth.linkIdentity(link.linkToken);
      setView({ name: 'done' });
      onSignedIn?.();
    };
    const goOn = async (step: Step): Promise<void> => {
      if (step.status === 'signed_in') return finish();
      if (step.status === 'link') setLink(step);
      if (step.status !== 'recovery_codes') return show(await viewAfter(auth, step));
      const proceed = () => attempt(() => step.proceed().then(finish));
      show({ name: 'recovery-codes', codes: step.recoveryCodes, proceed });
    };
    const onStep = (step: Step) => attempt(() => goOn(step));
    return { show, onStep, ...waysOf(auth, { attempt, show, goOn, returnTo }) };
  }, [auth, link, onSignedIn, returnTo]);
  const { show, onStep, ...ways } = actions;
  const { step } = auth;
  const isWaiting = step !== null && view === START;
  const shown = useRef<Step | null>(null);
  useEffect(() => {
    // What a provider or a mailed link left to do, once.
    if (!isWaiting || shown.current === step) return;
    shown.current = step;
    onStep(step);
  }, [isWaiting, step, onStep]);
  return {
    auth,
    methods,
    view,
    error: (error === undefined ? failure : error) ?? unknown,
    isBusy,
    go: show,
    onStep,
    ...ways,
  };
}

type OpenStep = Exclude<Step, { status: 'signed_in' | 'recovery_codes' }>;

/** The view of a step. The strongest second factor is offered first. */
async function viewAfter(auth: ApiAuth, step: OpenStep): Promise<SignInView> {
  if (step.status === 'verification') return { name: 'code', sent: step.sent };
  if (step.status === 'link') return { name: 'start', link: step };
  if (step.mustEnroll)
    return { name: 'enroll', mfaToken: step.mfaToken, enrollment: await auth.enrollTotp(step.mfaToken) };
  const [factor] = step.factors;
  if (!factor) throw new Error('The account has no second factor that can be used here.');
  // A text message is sent, and a passkey asked for, only when the person wants that.
  return { name: 'factor', step, factor, challenge: null };
}

type Tools = {
  attempt: (action: () => Promise<void>) => void;
  show: (view: SignInView) => void;
  goOn: (step: Step) => Promise<void>;
  returnTo: string | undefined;
};

function waysOf(
  auth: ApiAuth,
  { attempt, show, goOn, returnTo }: Tools,
): Omit<SignIn, 'auth' | 'methods' | 'view' | 'error' | 'isBusy' | 'go' | 'onStep'> {
  const leaving: LeaveOptions = returnTo === undefined ? {} : { returnTo };
  const enter = (step: () => Promise<Step>) => attempt(async () => goOn(await step()));
  const send = (sending: () => Promise<Sent>) => attempt(async () => show({ name: 'code', sent: await sending() }));
  return {
    withPassword: (identifier, password) => enter(() => auth.signInWithPassword(identifier, password)),
    withPasskey: () => enter(() => auth.signInWithPasskey()),
    withProvider: (id) => attempt(() => auth.signInWithProvider(id, leaving)),
    withConnection: (id, loginHint) => attempt(() => auth.signInWithConnection(id, { ...leaving, loginHint })),
    sendMailCode: (email) => send(() => auth.sendEmailCode(email)),
    sendMailLink: (email) => send(() => auth.sendMagicLink(email, leaving)),
    sendTextCode: (phone) => send(() => auth.sendPhoneCode(phone)),
    resend: (sent) =>
      attempt(async () => {
        const again = await auth.resend(sent);
        show({ name: sent.purpose === 'reset' ? 'reset' : 'code', sent: again });
      }),
    verify: (sent, code) => enter(() => auth.verify(sent, code)),
    register: (registration) => enter(() => auth.register(registration)),
    forgot: (identifier) => attempt(async () => show({ name: 'reset', sent: await auth.forgotPassword(identifier) })),
    reset: (sent, entered) =>
      attempt(async () => {
        await auth.resetPassword(sent, entered);
        show({ name: 'start', link: null, isReset: true });
      }),
    chooseFactor: (step, factor) =>
      attempt(async () => {
        const needsChallenge = factor.type === 'phone' || factor.type === 'passkey';
        const challenge = needsChallenge ? await auth.challengeFactor(step.mfaToken, factor.id) : null;
        show({ name: 'factor', step, factor, challenge });
      }),
    verifyFactor: ({ step, factor, challenge }, { code = '', remember }) =>
      enter(async () => {
        const { flowId, options } = challenge ?? {};
        const proof =
          flowId && options
            ? { flowId, response: await getPasskey(options) }
            : { factorId: factor.id, code: code.trim() };
        return auth.verifyFactor(step.mfaToken, proof, { rememberDevice: remember });
      }),
    confirmEnrollment: (mfaToken, entered) => enter(() => auth.confirmTotp(mfaToken, entered)),
  };
}
