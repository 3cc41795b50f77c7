import { expect, test } from 'vitest';
import type { PromotionChange } from '#api/records.ts';
import { type Choices, choicesOf, chosenOf, requestOf, secretsOf, withFields } from './choices.ts';

const value = (field: string, name = field, secret = false) => ({ field, name, before: null, after: '1', secret });
const common = { kind: 'settings', key: '', title: 'Settings', issues: false, secrets: [] };
const settings: PromotionChange = {
  ...common,
  id: 'a',
  action: 'change',
  values: [value('mfa'), value('branding', 'branding.text'), value('branding', 'branding.radius')],
};
const provider: PromotionChange = {
  ...common,
  id: 'b',
  action: 'change',
  values: [value('name'), value('clientSecret', 'clientSecret', true)],
  secrets: ['SECRET'],
};
const role: PromotionChange = { ...common, id: 'c', action: 'create', values: [value('name')], secrets: ['OF_ROLE'] };
const all = [settings, provider, role];
const none: Choices = new Map();

test('the fields of a change are chosen one by one, a new record as a whole', () => {
  expect(choicesOf(settings)).toEqual(['mfa', 'branding']);
  expect(choicesOf(role)).toEqual(['']);
  const chosen = withFields(withFields(none, settings, ['mfa']), role, ['']);
  expect(requestOf(all, chosen)).toEqual([{ id: 'a', fields: ['mfa'] }, { id: 'c' }]);
  expect(chosenOf(all, withFields(chosen, settings, []))).toEqual([role]);
});

test('a choice of an earlier plan is forgotten', () => {
  const chosen = withFields(none, settings, ['mfa']);
  expect(requestOf([{ ...settings, id: 'later' }], chosen)).toEqual([]);
});

test('a secret is asked for only if its field is chosen', () => {
  expect(secretsOf(all, withFields(none, provider, ['name']))).toEqual([]);
  expect(secretsOf(all, withFields(none, provider, ['name', 'clientSecret']))).toEqual(['SECRET']);
  expect(secretsOf(all, withFields(none, role, ['']))).toEqual(['OF_ROLE']);
});
