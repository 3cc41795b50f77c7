import { expect, test } from 'vitest';
import { isLive } from './live-lists.ts';

const members = (query: object) => ['get', '/console/v1/members', { params: { query } }];

test('the first page of a list is live, a later page and a record are not', () => {
  expect(isLive(members({ limit: 50, q: 'ada' }))).toBe(true);
  expect(isLive(['get', '/console/v1/members/count', undefined])).toBe(true);
  expect(isLive(members({ limit: 50, cursor: 'next' }))).toBe(false);
  expect(isLive(['get', '/console/v1/members/{memberId}', { params: { path: { memberId: 'mem_1' } } }])).toBe(false);
  expect(isLive(['applications of production'])).toBe(false);
});
