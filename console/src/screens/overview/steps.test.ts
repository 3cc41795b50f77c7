import { expect, test } from 'vitest';
import { type State, stepsOf } from './steps.ts';

const counts = { signIns: 0, failures: 0, newMembers: 0, deliveries: 0, delivered: 0 };
const nothing: State = {
  totals: { ...counts, members: 1, activeMembersThisMonth: 0 },
  applications: [],
  inProduction: [],
  branding: { logoUrl: null, accentColor: null, backgroundColor: null, radius: null, text: null, links: {} },
  endpoints: [],
};
const left = (state: State) => stepsOf(state).flatMap(({ done, title }) => (done ? [] : [title]));

test('steps are done by what there is, and a back end alone is no application that signs people in', () => {
  expect(left(nothing)).toHaveLength(5);
  expect(left({ ...nothing, applications: [{ kind: 'management' }] })).toHaveLength(5);
  const begun = { ...nothing, applications: [{ kind: 'web' as const }], endpoints: [{}] };
  expect(left(begun)).toEqual(['Sign somebody in', 'Go to production', 'Customize the pages']);
});

test('the list goes once all but optional steps are done, and comes back when one is undone', () => {
  const web = [{ kind: 'web' as const }];
  const done = { ...nothing, totals: { ...nothing.totals, members: 2 }, applications: web, inProduction: web };
  expect(stepsOf(done)).toEqual([]);
  expect(left({ ...done, inProduction: [] })).toContain('Go to production');
});

test('a step is left out for operators who may not read what it is about', () => {
  const titles = stepsOf({ ...nothing, endpoints: null, inProduction: null }).map(({ title }) => title);
  expect(titles).toEqual(['Add your application', 'Sign somebody in', 'Customize the pages']);
});
