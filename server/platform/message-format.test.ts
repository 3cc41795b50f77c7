import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { directionOf, formatMessage } from './message-format.ts';

const said = (message: string, language: string, values: Record<string, string | number>, bare: string[] = []) =>
  formatMessage(message, language, values, bare);

describe('a text', () => {
  test('from right to left keeps each value in its own direction, except those that programs read', () => {
    assert.deepEqual(['en', 'ja', 'ar'].map(directionOf), ['ltr', 'ltr', 'rtl']);
    assert.equal(
      said('إلى {to}: {link}', 'ar', { to: '+49 170', link: 'https://a.example/' }, ['link']),
      'إلى \u2068+49 170\u2069: https://a.example/',
    );
    assert.equal(said('To {to}', 'en', { to: '+49 170' }), 'To +49 170');
  });

  test('chooses by a value and counts in every plural form of Arabic', () => {
    const choice = '{what, select, project {مشروع {name}} other {شيء}}';
    assert.equal(said(choice, 'ar', { what: 'project', name: 'Shop' }), 'مشروع \u2068Shop\u2069');
    assert.equal(said(choice, 'ar', { what: 'constructor', name: 'Shop' }), 'شيء');
    const minutes = '{n, plural, one {دقيقة} two {دقيقتان} few {# دقائق} many {# دقيقة} other {# دقيقة}}';
    assert.deepEqual(
      [1, 2, 3, 11, 100].map((n) => said(minutes, 'ar', { n })),
      ['دقيقة', 'دقيقتان', '3 دقائق', '11 دقيقة', '100 دقيقة'],
    );
  });

  test('takes no value from the prototype of objects', () => {
    for (const language of ['en', 'ar'])
      assert.throws(() => said('{constructor}', language, { name: 'x' }), /constructor/);
  });
});
