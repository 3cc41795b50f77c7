import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRow } from './import-rows.ts';

describe('an invalid row', () => {
  const FORM = 'is not in the form that this field needs';
  const PAGE = 'is not the address of a web page such as https://example.com';
  const FAULTS = {
    birthdate: { value: '10.12.1815', message: 'is not a date such as 2026-01-31' },
    createdAt: { value: 'yesterday', message: 'is not a date and time such as 2026-01-31T12:00:00Z' },
    picture: { value: 'https://ada example', message: PAGE },
    website: { value: 'javascript:alert(1)', message: FORM },
    profile: { value: 'https://ada example', message: PAGE },
    nickname: { value: 'a\nb', message: FORM },
    phone: { value: 'unknown', message: FORM },
    email: { value: 'unknown', message: 'is not an email address' },
    colour: { value: 'red', message: 'is not a field of a row' },
  };
  for (const [name, { value, message }] of Object.entries(FAULTS))
    test(`names the fault of ${name}`, () => {
      const read = readRow(7, JSON.stringify({ email: 'ada@example.com', [name]: value }));
      assert.deepEqual(read, { row: 7, errors: [{ pointer: `/${name}`, message }] });
    });
});
