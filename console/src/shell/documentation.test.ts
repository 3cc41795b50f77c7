import { expect, test } from 'vitest';
import { documentationOf } from './documentation.ts';

test('a screen and the records below it lead to its page', () => {
  expect(documentationOf('/wrk_1/prj_1/test')).toBe('/docs/console-tour#overview');
  expect(documentationOf('/wrk_1/prj_1/test/members')).toBe('/docs/members');
  expect(documentationOf('/wrk_1/prj_1/production/webhooks/whe_1')).toBe('/docs/webhooks');
  expect(documentationOf('/wrk_1/team')).toBe('/docs/console#the-team');
});

test('an unknown screen leads to the start of the documentation', () => {
  expect(documentationOf('/')).toBe('/docs/');
  expect(documentationOf('/wrk_1/prj_1/test/nothing')).toBe('/docs/');
});
