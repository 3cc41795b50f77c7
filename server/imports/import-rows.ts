import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { RoleKey } from '#members';
import { isPasswordHash } from '#passwords';
import type { NewPerson } from '#people';
import { isStorable } from '#platform/http-body.ts';
import {
  type NormalisedIdentifier,
  normalise,
  normaliseEmail,
  normalisePhone,
  Username,
} from '#platform/identifiers.ts';
import { IdSchema } from '#platform/ids.ts';
import { faultOfJson } from '#platform/json-faults.ts';
import { Problem } from '#platform/problem.ts';
import { addressFields, Metadata, profileFields, requireSmall } from '#platform/profile-fields.ts';
import { Instant } from '#platform/schemas.ts';
import type { RowResult } from './imports.ts';

const { username: _username, ...profile } = profileFields;
const exported = (schema: ReturnType<typeof Type.String>) => Type.Optional(Type.Union([schema, Type.Null()]));

/** A row of an import. A row of an export is valid too: fields that only an export has are ignored. */
export const ImportRow = Type.Object(
  {
    ...addressFields,
    username: Type.Optional(Username),
    passwordHash: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    ...Type.Partial(Type.Object(profile)).properties,
    roles: Type.Optional(Type.Array(RoleKey, { maxItems: 50, uniqueItems: true })),
    organizations: Type.Optional(
      Type.Array(
        Type.Object(
          {
            organization: Type.String({ pattern: '^[a-z0-9_-]{2,63}$', description: 'An id or a slug.' }),
            roles: Type.Optional(Type.Array(RoleKey, { maxItems: 50, uniqueItems: true })),
          },
          { additionalProperties: false },
        ),
        { maxItems: 100 },
      ),
    ),
    linkedIdentities: Type.Optional(
      Type.Array(
        Type.Object(
          {
            provider: Type.String({ minLength: 1, maxLength: 50, description: 'The key of an identity provider.' }),
            issuer: Type.Optional(Type.String({ format: 'uri', maxLength: 500 })),
            subject: Type.String({ minLength: 1, maxLength: 255 }),
            email: exported(Type.String({ maxLength: 254 })),
          },
          { additionalProperties: false },
        ),
        { maxItems: 20 },
      ),
    ),
    status: Type.Optional(Type.Enum(['active', 'blocked'])),
    metadata: Type.Optional(Metadata),
    createdAt: Type.Optional(Instant),
    userId: Type.Optional(IdSchema('usr')),
    memberId: Type.Optional(IdSchema('mem')),
    joinedAt: Type.Optional(Instant),
    lastSeenAt: exported(Instant),
  },
  { additionalProperties: false },
);
export type ImportRow = Static<typeof ImportRow>;

const row = Compile(ImportRow);

/** A row that passed every check that needs no database. */
export type ReadRow = {
  row: number;
  identifiers: NewPerson['identifiers'];
  record: ImportRow;
};

type Faults = RowResult['errors'];

/**
 * Parses a row.
 * @returns the row, or its faults
 */
export function readRow(position: number, line: string): ReadRow | { row: number; errors: Faults } {
  const failed = (errors: Faults) => ({ row: position, errors });
  const record = parsed(line);
  if (record === undefined)
    return failed([
      {
        pointer: '',
        message:
          'must be a JSON object without NUL characters, lone surrogates, deep nesting or numbers that are too large',
      },
    ]);
  if (!row.Check(record)) return failed(faultsOf(record));
  try {
    const identifiers = identifiersIn(record);
    const errors = faultsBeyondSchema(record, identifiers);
    return errors.length > 0 ? failed(errors) : { row: position, identifiers, record };
  } catch (error) {
    if (error instanceof Problem) return failed([{ pointer: '', message: error.message }]);
    throw error;
  }
}

function parsed(line: string): unknown {
  try {
    const value: unknown = isStorable(line) ? JSON.parse(line) : undefined;
    const isRow = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRow && faultOfJson(value) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

function faultsOf(record: unknown): Faults {
  return row
    .Errors(record)
    .filter(({ keyword, message }) => !BESIDE.includes(keyword) && message !== 'must be null')
    .map((error) => ({ pointer: error.instancePath, message: explanationOf(error) ?? error.message }))
    .slice(0, 10);
}

/** Errors that repeat others: a nullable field fails for its other form, too. */
const BESIDE = ['additionalProperties', 'anyOf'];

const FORMATS: Record<string, string> = {
  date: 'is not a date such as 2026-01-31',
  'date-time': 'is not a date and time such as 2026-01-31T12:00:00Z',
  email: 'is not an email address',
  uri: 'is not the address of a web page such as https://example.com',
};

/** An explanation for people where the schema would only name the expression that does not match. */
function explanationOf(error: TLocalizedValidationError): string | undefined {
  if (error.keyword === 'boolean') return 'is not a field of a row';
  if (error.keyword === 'format') return FORMATS[error.params.format];
  return error.keyword === 'pattern' ? 'is not in the form that this field needs' : undefined;
}

function identifiersIn({ email, emailVerified, phone, phoneVerified, username }: ImportRow): ReadRow['identifiers'] {
  const of = (identifier: NormalisedIdentifier | null, verified: boolean) =>
    identifier ? [{ ...identifier, verified }] : [];
  return [
    ...of(email === undefined ? null : { kind: 'email', value: normaliseEmail(email) }, emailVerified ?? false),
    ...of(phone === undefined ? null : { kind: 'phone', value: normalisePhone(phone) }, phoneVerified ?? false),
    ...of(username === undefined ? null : { kind: 'username', value: normalise(username).value }, true),
  ];
}

function faultsBeyondSchema(record: ImportRow, identifiers: ReadRow['identifiers']): Faults {
  requireSmall('customData', record.customData);
  requireSmall('metadata', record.metadata);
  const errors: Faults = [];
  if (identifiers.length === 0 && (record.linkedIdentities ?? []).length === 0)
    errors.push({ pointer: '', message: 'needs `email`, `phone`, `username` or `linkedIdentities`' });
  if (record.passwordHash !== undefined && !isPasswordHash(record.passwordHash))
    errors.push({ pointer: '/passwordHash', message: 'is not a supported hash, or is too expensive to verify' });
  return errors;
}

const BOOLEANS = ['emailVerified', 'phoneVerified'];
const JSONS = ['customData', 'metadata', 'organizations', 'linkedIdentities'];

/**
 * Converts a CSV record to a row: empty cells are omitted, `roles` are separated by spaces, `customData`, `metadata`,
 * `organizations` and `linkedIdentities` are JSON.
 */
export function recordOfCsv(record: Record<string, string>): Record<string, unknown> {
  const cells = Object.entries(record).filter(([, cell]) => cell !== '');
  return Object.fromEntries(cells.map(([name, cell]) => [name, cellValue(name, cell)]));
}

function cellValue(name: string, cell: string): unknown {
  if (name === 'roles') return cell.split(/\s+/).filter(Boolean);
  if (BOOLEANS.includes(name)) return { true: true, false: false }[cell.toLowerCase()] ?? cell;
  if (!JSONS.includes(name)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    // Left as text, it fails the check for a JSON object, so the row is reported.
    return faultOfJson(value) === undefined ? value : cell;
  } catch {
    return cell;
  }
}
