import { expect, test } from 'vitest';
import { problemOf } from './problem.ts';

test('field errors are keyed by the name of the field', () => {
  const errors = [{ pointer: '/body/redirectUris/0', message: 'must be an address' }];
  const problem = problemOf({ status: 400, errorCode: 'VALIDATION_FAILED', title: 'Not valid', errors });
  expect(problem.fields).toEqual({ redirectUris: 'must be an address' });
});

test('the error of a field inside another is keyed by both names, too', () => {
  const errors = [{ pointer: '/body/saml/consumers/0/url', message: 'must be an address' }];
  const problem = problemOf({ status: 400, errorCode: 'VALIDATION_FAILED', title: 'Not valid', errors });
  expect(problem.fields).toEqual({ saml: 'must be an address', 'saml.consumers': 'must be an address' });
});

test('any other error reads as not reachable', () => {
  expect(problemOf(new TypeError('failed to fetch')).errorCode).toBe('UNREACHABLE');
});
