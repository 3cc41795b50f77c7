import type { Application, Overview, Settings } from '#api/records.ts';

type Kind = Application['kind'];

/** What is known of a project; null: the operator may not read it, or it is not loaded yet. */
export type State = {
  totals: Overview['totals'];
  applications: readonly { kind: Kind }[] | null;
  /** The applications of production; null there itself, too. */
  inProduction: readonly { kind: Kind }[] | null;
  branding: Settings['branding'] | null;
  endpoints: readonly unknown[] | null;
};

type Step = {
  path: string;
  title: string;
  about: string;
  /** The list goes even if this step is not done. */
  optional?: true;
  /** Null: not known, so the step is not shown. */
  isDone: (state: State) => boolean | null;
};

const STEPS: readonly Step[] = [
  {
    path: '/applications/new',
    title: 'Add your application',
    about: 'Choose its framework and copy code that runs.',
    isDone: ({ applications }) => applications?.some(signsIn) ?? null,
  },
  {
    path: '/sign-in',
    title: 'Sign somebody in',
    about: 'Choose passwords, passkeys, codes or identity providers, then try it.',
    isDone: ({ totals }) => totals.signIns > 0 || totals.members > 1,
  },
  {
    path: '/promotion',
    title: 'Go to production',
    about: 'Take your settings over, and add the application there.',
    isDone: ({ inProduction }) => inProduction?.some(signsIn) ?? null,
  },
  {
    path: '/branding',
    title: 'Customize the pages',
    about: 'Logo, colours and texts, with a live preview.',
    optional: true,
    isDone: ({ branding }) => branding && Object.values(branding).some((value) => typeof value === 'string'),
  },
  {
    path: '/webhooks',
    title: 'Receive events',
    about: 'Webhooks to your back end, signed, retried and logged.',
    optional: true,
    isDone: ({ endpoints }) => endpoints && endpoints.length > 0,
  },
];

/** Back ends sign nobody in. */
const signsIn = ({ kind }: { kind: Kind }): boolean => kind !== 'management';

/** The steps of a project that can be judged, each with whether it is done; none once all that are needed are. */
export function stepsOf(state: State): (Step & { done: boolean })[] {
  const steps = STEPS.flatMap((step) => {
    const done = step.isDone(state);
    return done === null ? [] : [{ ...step, done }];
  });
  return steps.every(({ done, optional }) => done || optional) ? [] : steps;
}
