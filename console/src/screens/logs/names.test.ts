import { expect, test } from 'vitest';
import { actorOf, screenOf, subjectOf } from './names.ts';

const names = { usr_1: 'Ada', usr_gone: null, app_1: 'Back end' };

test('the actor is shown by name, with the id behind it', () => {
  const of = (actor: { kind: string; [name: string]: unknown } | null) =>
    actorOf({ actor, type: 'role.created', resources: ['usr_1'], data: {} }, names);
  expect(of({ kind: 'customer', userId: 'usr_1' })).toEqual({ name: 'Ada', id: 'usr_1' });
  expect(of({ kind: 'operator', userId: 'usr_gone' })).toEqual({ name: 'Erased', id: 'usr_gone', operator: true });
  expect(of({ kind: 'operator', userId: 'usr_hidden' })).toEqual({
    name: 'usr_hidden',
    id: 'usr_hidden',
    operator: true,
  });
  expect(of({ kind: 'management', applicationId: 'app_1' })).toEqual({ name: 'Back end', id: 'app_1' });
  expect(of({ kind: 'system', name: 'import' })).toEqual({ name: 'System (import)', id: null });
  expect(of({ kind: 'anonymous' }).name).toBe('Anonymous');
  expect(of(null).name).toBe('Erased');
});

test('who registers is the actor, although nobody was signed in yet', () => {
  const anonymous = { actor: { kind: 'anonymous' }, resources: ['mem_1', 'usr_1'], data: {} };
  const ada = { name: 'Ada', id: 'usr_1' };
  expect(actorOf({ ...anonymous, type: 'user.created' }, names)).toEqual(ada);
  expect(actorOf({ ...anonymous, action: 'membership.created' }, names)).toEqual(ada);
  expect(actorOf({ ...anonymous, type: 'user.login_failed' }, names).name).toBe('Anonymous');
});

test('the subject is a person first, then a name, then an id', () => {
  const of = (resources: string[], data: Record<string, unknown> | null = {}) => subjectOf({ resources, data }, names);
  expect(of(['app_1', 'usr_1'])).toEqual({ name: 'Ada', id: 'usr_1' });
  expect(of(['ses_1', 'app_1'])).toEqual({ name: 'Back end', id: 'app_1' });
  expect(of(['rol_1'], { roleId: 'rol_1', key: 'clerk' })).toEqual({ name: 'clerk', id: 'rol_1' });
  expect(of(['dom_1'], { domainId: 'dom_1', host: 'login.example.com' }).name).toBe('login.example.com');
  expect(of(['inc_1'], { incidentId: 'inc_1', title: 'Sign-ins fail' }).name).toBe('Sign-ins fail');
  expect(of(['inc_1'], { incidentId: 'inc_1', title: '' }).name).toBe('inc_1');
  expect(of(['ses_1'])).toEqual({ name: 'ses_1', id: 'ses_1' });
  expect(of([])).toEqual({ name: '–', id: null });
  expect(of([], null).name).toBe('Erased');
});

test('a name leads to the record behind it', () => {
  const members = { usr_1: 'mem_1' } as const;
  expect(screenOf({ name: 'Ada', id: 'usr_1' }, members)).toBe('/members/mem_1');
  expect(screenOf({ name: 'Ada', id: 'usr_1', operator: true }, members)).toBe('/team');
  expect(screenOf({ name: 'Back end', id: 'app_1' }, members)).toBe('/applications/app_1');
  expect(screenOf({ name: 'Erased', id: 'usr_gone' }, members)).toBe(null);
  expect(screenOf({ name: 'Anonymous', id: null }, members)).toBe(null);
});
