import { Type } from 'typebox';
import { EventPattern } from '#events';
import { HEADER_NAME, HEADER_VALUE, isReservedHeader } from '#platform/custom-headers.ts';
import type { Keyring } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';

export const EventSelection = Type.Array(EventPattern, {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'Event types, groups such as `user.*`, or `*`.',
});
export const CustomHeaders = Type.Record(
  Type.String({ pattern: HEADER_NAME }),
  Type.String({ maxLength: 1_024, pattern: `^(${HEADER_VALUE})?$` }),
  {
    additionalProperties: false,
    maxProperties: 20,
    description:
      'Sent with every delivery. Values that look like credentials are shown as `[redacted]`; a header that is sent back as `[redacted]` keeps its value.',
  },
);
export type CustomHeaders = Readonly<Record<string, string>>;

const CREDENTIAL = /auth|key|token|secret|signature|password|cookie|session/i;
const REDACTED = '[redacted]';
const PURPOSE = 'webhook-headers';
/** What the signing secrets of endpoints are sealed for. */
export const SECRET_PURPOSE = 'webhook-secret';

/** @throws Problem VALIDATION_FAILED for a reserved header, or one given twice in different case */
export function requireOwnHeaders(headers: CustomHeaders): void {
  const names = Object.keys(headers);
  const errors = names.flatMap((name, index) => {
    const pointer = `/body/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (isReservedHeader(name) || /^webhook-/i.test(name)) return [{ pointer, message: 'is set by Latchkey' }];
    const twice = names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) < index;
    return twice ? [{ pointer, message: 'is given twice' }] : [];
  });
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/**
 * Encrypts headers.
 * @param endpointId the record that the headers are bound to
 * @returns null if there are none
 */
export function sealHeaders(keyring: Keyring, headers: CustomHeaders, endpointId: string): string | null {
  return Object.keys(headers).length === 0 ? null : keyring.seal(JSON.stringify(headers), PURPOSE, endpointId);
}

export function openHeaders(keyring: Keyring, sealed: string | null, endpointId: string): CustomHeaders {
  return sealed === null ? {} : JSON.parse(keyring.open(sealed, PURPOSE, endpointId));
}

/** Headers that stay the same over all attempts of a delivery. */
export function sameHeaders(id: string) {
  return { 'content-type': 'application/json', 'user-agent': 'Latchkey-Webhooks/1', 'webhook-id': id };
}

/** The headers with credentials redacted. */
export function shownHeaders(headers: CustomHeaders): CustomHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, CREDENTIAL.test(name) ? REDACTED : value]),
  );
}

/** A header that comes back in its redacted form keeps its value. */
export function mergedHeaders(before: CustomHeaders, given: CustomHeaders): CustomHeaders {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === REDACTED ? (before[name] ?? value) : value]),
  );
}

/**
 * Stored credentials stay with the origin they were given for: otherwise a caller who can't read them could have them
 * sent to an address of their own.
 * @throws Problem VALIDATION_FAILED if the address has a new origin and the headers are neither given again nor removed
 */
export function requireHeadersForNewOrigin(
  stored: { url: string; headers: CustomHeaders },
  given: { url?: string; headers?: CustomHeaders },
): void {
  if (given.url === undefined || new URL(given.url).origin === new URL(stored.url).origin) return;
  const following = Object.keys(stored.headers).find(
    (name) => CREDENTIAL.test(name) && (given.headers === undefined || given.headers[name] === REDACTED),
  );
  if (following === undefined) return;
  const message = `the address has a new origin: give "${following}" again, or leave it out of \`headers\``;
  throw invalid('/body/headers', message);
}

function invalid(pointer: string, message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer, message }] } });
}
