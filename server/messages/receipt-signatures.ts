import { createHmac, timingSafeEqual } from 'node:crypto';
import type { System } from '#platform/system.ts';

/** A carrier's report as received. */
export type Report = {
  /** The address of the request, as the carrier was given it. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  raw: string;
  /** The fields of the body, from a form or JSON. */
  fields: Readonly<Record<string, string>>;
};

/** The carriers that send reports, each with its kind of signature. */
export const reporters = ['twilio', 'vonage', 'generic'] as const;
export type Reporter = (typeof reporters)[number];

const CLOCK_SKEW_MS = 5 * 60_000;

/** True if a configured carrier of this kind signed the report. */
export function isSigned(system: System, reporter: Reporter, report: Report): boolean {
  const check = { twilio: byTwilio, vonage: byVonage, generic: byGeneric(system.clock.now()) }[reporter];
  const configured = system.config.smsUrls.map((address) => new URL(address));
  return configured.some((url) => reporterOf(url) === reporter && check(url, report));
}

/** The kind of carrier that an address names. */
export function reporterOf({ protocol }: URL): Reporter {
  if (protocol === 'twilio:') return 'twilio';
  return protocol === 'vonage:' ? 'vonage' : 'generic';
}

function equal(given: string | undefined, expected: Buffer, encoding: 'base64' | 'hex'): boolean {
  const bytes = Buffer.from(given ?? '', encoding);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

function header({ headers }: Report, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** HMAC-SHA1 with the account's token over the address and the sorted fields, each name followed by its value. */
function byTwilio(carrier: URL, report: Report): boolean {
  const fields = Object.keys(report.fields)
    .sort()
    .map((name) => name + report.fields[name])
    .join('');
  const expected = createHmac('sha1', decodeURIComponent(carrier.password)).update(report.url + fields);
  return equal(header(report, 'x-twilio-signature'), expected.digest(), 'base64');
}

/**
 * HMAC-SHA256 with the account's signature secret over the sorted fields except `sig`, with `&` and `=` in values
 * replaced by `_`.
 */
function byVonage(carrier: URL, { fields }: Report): boolean {
  const secret = carrier.searchParams.get('signatureSecret');
  if (!secret) return false;
  const { sig, ...signed } = fields;
  const text = Object.keys(signed)
    .sort()
    .map((name) => `&${name}=${(signed[name] ?? '').replaceAll(/[&=]/g, '_')}`)
    .join('');
  return equal(sig, createHmac('sha256', secret).update(text).digest(), 'hex');
}

/** Standard Webhooks: HMAC-SHA256 over id, time and body; at most five minutes old or ahead. */
function byGeneric(now: Date) {
  return (carrier: URL, report: Report): boolean => {
    const secret = carrier.searchParams.get('receiptSecret');
    const [id, time] = [header(report, 'webhook-id'), header(report, 'webhook-timestamp')];
    if (!secret || !id || !time || !(Math.abs(now.getTime() - Number(time) * 1000) <= CLOCK_SKEW_MS)) return false;
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${time}.${report.raw}`).digest();
    const given = header(report, 'webhook-signature')?.split(' ') ?? [];
    return given.some((signature) => signature.startsWith('v1,') && equal(signature.slice(3), expected, 'base64'));
  };
}

/** The message that a signed report is about. Vonage does not sign the address, so its reference is in the body. */
export function referenceOf(reporter: Reporter, fields: Report['fields'], inAddress: string): string {
  if (reporter === 'vonage') return fields['client-ref'] ?? '';
  return reporter === 'twilio' ? inAddress : (fields['reference'] ?? '');
}
