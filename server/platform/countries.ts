import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Type } from 'typebox';
import type { Trace } from './ctx.ts';
import { nullable } from './schemas.ts';
import { perSystem, type SystemInTx } from './system.ts';

const require = createRequire(import.meta.url);

/** Loaded where a table of countries is configured. */
const tableLibrary = (): typeof import('mmdb-lib') => require('mmdb-lib');

/** Codes of two letters that proxies send for a country they do not know. */
const NO_COUNTRY = ['XX', 'ZZ'];

/** The country of the address that a session began from. */
export const CountryOfAddress = nullable(
  Type.String({ description: 'The country of `ip` at the sign-in (ISO 3166-1 alpha-2); null where it is not known.' }),
);

/** @returns an ISO 3166-1 alpha-2 code, or null for any other value */
export function countryIn(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[a-z]{2}$/i.test(value)) return null;
  const code = value.toUpperCase();
  return NO_COUNTRY.includes(code) ? null : code;
}

/**
 * Reads a table of countries by address, in the format MaxMind DB. Finds the code in the places where publishers put it:
 * `country.iso_code` (MaxMind, DB-IP), `country_code` (ip-location-db) and `country` (IPinfo).
 * @returns the country of an address; null where the table has none
 * @throws Error if the file cannot be read, or is not such a table
 */
export function readCountries(file: string): (ip: string) => string | null {
  const reader = new (tableLibrary().Reader)<object>(readFileSync(file));
  return (ip) => {
    const found = reader.get(ip);
    if (!found) return null;
    const { country, country_code: code }: { country?: unknown; country_code?: unknown } = found;
    const named = typeof country === 'object' && country !== null && 'iso_code' in country ? country.iso_code : country;
    return countryIn(named) ?? countryIn(code);
  };
}

const countries = perSystem(({ config: { country } }) => (country.file === null ? null : readCountries(country.file)));

/**
 * The country of the address that a request came from: as a trusted proxy names it, or by the table. Null where neither
 * is configured or knows it. Nothing is asked over the network.
 */
export function countryOf({ system, trace }: { system: SystemInTx; trace: Trace }): string | null {
  if (trace.country !== null) return trace.country;
  return trace.ip === null ? null : (countries(system)?.(trace.ip) ?? null);
}
