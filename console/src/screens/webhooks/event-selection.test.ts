import { expect, test } from 'vitest';
import { groupsOf, isWhole, selects, withGroup, withType } from './event-selection.ts';

const types = ['user.created', 'user.mfa.added', 'user.mfa.removed', 'role.created', 'role.deleted'];
const groups = groupsOf(types);
const [user, role] = groups;
const selected = (patterns: readonly string[]) => types.filter((type) => selects(patterns, type));
if (!user || !role) throw new Error('There are two groups.');

test('types are grouped by their noun', () => {
  expect(groups.map(({ pattern }) => pattern)).toEqual(['user.*', 'role.*']);
});

test('a group replaces its types, and leaves with all of them', () => {
  const patterns = withGroup(['user.created', 'role.created'], user, groups);
  expect(patterns).toEqual(['role.created', 'user.*']);
  expect(isWhole(patterns, user)).toBe(true);
  expect(withGroup(patterns, user, groups)).toEqual(['role.created']);
  expect(withGroup(['user.mfa.*'], user, groups)).toEqual(['user.*']);
});

test('leaving out one type keeps the others, also of everything', () => {
  expect(selected(withType(['user.*'], 'user.created', groups))).toEqual(['user.mfa.added', 'user.mfa.removed']);
  expect(selected(withType(['user.mfa.*', 'role.*'], 'user.mfa.added', groups))).toEqual([
    'user.mfa.removed',
    'role.created',
    'role.deleted',
  ]);
  const rest = withType(['*'], 'role.created', groups);
  expect(selected(rest)).toEqual(types.filter((type) => type !== 'role.created'));
  expect(isWhole(rest, user)).toBe(true);
  expect(selected(withGroup(['*'], user, groups))).toEqual(['role.created', 'role.deleted']);
});

test('a type that two patterns select is left out of both', () => {
  expect(selected(withType(['user.*', 'user.created'], 'user.created', groups))).not.toContain('user.created');
  expect(withType(['role.*'], 'user.created', groups)).toEqual(['role.*', 'user.created']);
});
