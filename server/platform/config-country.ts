import { resolve } from 'node:path';
import type { ConfigReader } from './config-reader.ts';
import { readCountries } from './countries.ts';

/** Where the country of an address comes from. `header`: in lower case; a trusted proxy sets it. `file`: an absolute path. */
export type CountryConfig = { header: string | null; file: string | null };

/** Reads the table once, so that a wrong file is found at the start. */
export function readCountry(reader: ConfigReader): CountryConfig {
  const header = reader.text('LATCHKEY_COUNTRY_HEADER');
  if (header !== null && !/^[a-z0-9-]+$/i.test(header))
    reader.fault('LATCHKEY_COUNTRY_HEADER', 'the name of a header, such as CF-IPCountry');
  if (header !== null)
    reader.require('LATCHKEY_TRUSTED_PROXIES', 'the proxies that set LATCHKEY_COUNTRY_HEADER, such as 10.0.0.0/8');
  const path = reader.text('LATCHKEY_COUNTRY_FILE');
  const file = path === null ? null : resolve(path);
  try {
    if (file !== null) readCountries(file);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    reader.fault('LATCHKEY_COUNTRY_FILE', `the path of a table of countries in the format MaxMind DB (.mmdb): ${what}`);
  }
  return { header: header?.toLowerCase() ?? null, file };
}
