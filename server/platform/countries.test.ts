import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { loadConfig } from './config.ts';
import { countryIn, readCountries } from './countries.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchkey-countries-'));
after(() => rmSync(folder, { recursive: true }));

const text = (value: string) => Buffer.concat([Buffer.from([0x40 | value.length]), Buffer.from(value)]);
const map = (...entries: readonly [string, Buffer][]) =>
  Buffer.concat([Buffer.from([0xe0 | entries.length]), ...entries.flatMap(([key, value]) => [text(key), value])]);
const number = (value: number, type = 0xa0) => Buffer.from([type | 1, value]);

/** A table of one bit: addresses below 128.0.0.0 have the record, the others have none (the specification of MaxMind DB 2.0). */
function tableOf(record: Buffer): string {
  // One node of 24-bit records: the left points to the data, the right says that there is none.
  const tree = Buffer.from([0, 0, 1 + 16, 0, 0, 1]);
  const metadata = map(
    ['node_count', number(1, 0xc0)],
    ['record_size', number(24)],
    ['ip_version', number(4)],
    ['binary_format_major_version', number(2)],
    ['binary_format_minor_version', number(0)],
    ['database_type', text('Country')],
    ['languages', Buffer.from([0x00, 0x04])],
    ['description', map()],
    ['build_epoch', Buffer.from([0x01, 0x02, 1])],
  );
  const file = join(folder, `${crypto.randomUUID()}.mmdb`);
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
  writeFileSync(file, Buffer.concat([tree, Buffer.alloc(16), record, marker, metadata]));
  return file;
}

describe('a table of countries', () => {
  test('is read in the form of each publisher, and knows nothing of other addresses', () => {
    for (const record of [
      map(['country', map(['iso_code', text('DE')])]),
      map(['country_code', text('DE')]),
      map(['country', text('DE')]),
    ]) {
      const countryOf = readCountries(tableOf(record));
      assert.deepEqual([countryOf('81.2.69.160'), countryOf('203.0.113.9')], ['DE', null]);
    }
  });

  test('that names no country gives none', () => {
    assert.equal(readCountries(tableOf(map(['country_code', text('XX')])))('81.2.69.160'), null);
    assert.equal(readCountries(tableOf(map(['continent', text('EU')])))('81.2.69.160'), null);
  });

  test('that cannot be read is a fault of the configuration', () => {
    const wrong = join(folder, 'wrong.mmdb');
    writeFileSync(wrong, 'not a table');
    for (const file of [wrong, join(folder, 'missing.mmdb')])
      assert.throws(() => loadConfig({ LATCHKEY_COUNTRY_FILE: file }), /LATCHKEY_COUNTRY_FILE is .* \(\.mmdb\)/);
    const file = tableOf(map(['country_code', text('DE')]));
    assert.deepEqual(loadConfig({ LATCHKEY_COUNTRY_FILE: file }).country, { header: null, file });
  });
});

describe('the header of a proxy', () => {
  test('is believed with trusted proxies only', () => {
    assert.throws(() => loadConfig({ LATCHKEY_COUNTRY_HEADER: 'CF-IPCountry' }), /LATCHKEY_TRUSTED_PROXIES is missing/);
    const proxied = { LATCHKEY_TRUSTED_PROXIES: '10.0.0.0/8' };
    assert.throws(() => loadConfig({ ...proxied, LATCHKEY_COUNTRY_HEADER: 'a b' }), /LATCHKEY_COUNTRY_HEADER is "a b"/);
    const { country } = loadConfig({ ...proxied, LATCHKEY_COUNTRY_HEADER: 'CF-IPCountry' });
    assert.deepEqual(country, { header: 'cf-ipcountry', file: null });
  });

  test('names a country, or none', () => {
    assert.deepEqual(['DE', 'fr', 'XX', 'ZZ', 'T1', '', 'Germany', 'D<', ['DE', 'FR'], undefined].map(countryIn), [
      'DE',
      'FR',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});
