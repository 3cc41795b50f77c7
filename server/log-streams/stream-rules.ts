import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { Type } from 'typebox';
import { EventPattern } from '#events';
import type { Ctx } from '#platform/ctx.ts';
import { HEADER_NAME, HEADER_VALUE, isReservedHeader } from '#platform/custom-headers.ts';
import { checkHost } from '#platform/fetch.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { checkReceiverAddress } from '#webhooks';
import { type Kind, syslogTarget } from './destinations.ts';

const KINDS: Kind[] = ['splunk', 'datadog', 'elastic', 'json_lines', 'otlp', 'syslog'];
export const StreamKind = Type.Enum(KINDS, { description: 'The format and protocol of the destination.' });

const pem = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: 32_768, pattern: '^-----BEGIN ' }), Type.Null()], { description });

/** What a person sets about a stream, except its kind. */
export const settings = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  types: Type.Array(EventPattern, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'Event types, groups such as `user.*`, or `*`.',
  }),
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    examples: ['https://splunk.example.com:8088/services/collector/event', 'tls://logs.example.com:6514'],
    description:
      'The whole address that entries are posted to: https, or http in the test environment of an installation in development mode. For `syslog`: `tls://host:port`.',
  }),
  header: Type.Union([Type.String({ pattern: HEADER_NAME }), Type.Null()], {
    description: 'The header that carries the secret; `Authorization` if null. Only for `json_lines` and `otlp`.',
  }),
  caCertificate: pem(
    'The certificates that sign the certificate of the receiver, if no public authority does. They are trusted instead of the public authorities.',
  ),
  clientCertificate: pem('The certificate that Latchkey shows; the secret is its private key. Only for `syslog`.'),
};

export const secret = Type.Union([Type.String({ minLength: 1, maxLength: 16_384 }), Type.Null()], {
  description:
    'The token or API key, or the value of the header with its scheme (`Bearer …`), or the private key of the client certificate (PEM). It is never returned.',
});

/** The fields of a stream that depend on each other, as they are after a change. */
export type Target = {
  kind: Kind;
  url: string;
  header: string | null;
  caCertificate: string | null;
  clientCertificate: string | null;
  secret: string | null;
};

function invalid(pointer: string, message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer, message }] } });
}

/**
 * Checks an address, including DNS, by the rules of webhooks.
 * @throws Problem VALIDATION_FAILED
 */
export async function requireAddress(ctx: Ctx, url: string): Promise<void> {
  if (!/^tls:/i.test(url)) return checkReceiverAddress(ctx, url);
  if (!URL.canParse(url) || !/^tls:\/\/[^/?#@]+$/i.test(url)) throw invalid('/body/url', 'must be tls://host:port');
  try {
    await checkHost(ctx.system, syslogTarget(url).host);
  } catch (error) {
    throw invalid('/body/url', error instanceof Error ? error.message : 'is refused');
  }
}

const WITH_TOKEN: Kind[] = ['splunk', 'datadog', 'elastic'];
/** The kinds that have each of these fields. */
const FIELDS: Readonly<Record<'header' | 'clientCertificate', readonly Kind[]>> = {
  header: ['json_lines', 'otlp'],
  clientCertificate: ['syslog'],
};
/**
 * Checks the rules about several fields at once.
 * @throws Problem VALIDATION_FAILED
 */
export function requireFitting(target: Target): void {
  const { kind, url, header, caCertificate } = target;
  const syslog = kind === 'syslog';
  if (syslog !== /^tls:/i.test(url))
    throw invalid('/body/url', syslog ? 'must be tls://host:port' : 'must be an https address');
  for (const field of ['header', 'clientCertificate'] as const)
    if (target[field] !== null && !FIELDS[field].includes(kind)) throw invalid(`/body/${field}`, `is not for ${kind}`);
  if (caCertificate !== null && !isCertificate(caCertificate))
    throw invalid('/body/caCertificate', 'is not a certificate in PEM');
  if (header !== null && isReservedHeader(header)) throw invalid('/body/header', 'is set by Latchkey');
  if (syslog) requireCertificates(target);
  else requireHeaderValue(target);
}

function requireHeaderValue({ kind, secret: given }: Target): void {
  if (given === null && WITH_TOKEN.includes(kind)) throw invalid('/body/secret', `is required for ${kind}`);
  if (given !== null && !new RegExp(`^${HEADER_VALUE}$`).test(given))
    throw invalid('/body/secret', 'must be visible ASCII characters, because a header carries it');
}

type Certificates = Pick<Target, 'clientCertificate' | 'secret'>;

function requireCertificates({ clientCertificate, secret: key }: Certificates): void {
  if (clientCertificate !== null && !isCertificate(clientCertificate))
    throw invalid('/body/clientCertificate', 'is not a certificate in PEM');
  if ((clientCertificate === null) !== (key === null))
    throw invalid('/body/secret', 'a client certificate and its private key go together');
  if (clientCertificate === null || key === null) return;
  try {
    createSecureContext({ cert: clientCertificate, key });
  } catch {
    throw invalid('/body/secret', 'is not the private key of the client certificate, in PEM without a password');
  }
}

export const ShownCertificate = Type.Object({
  use: Type.Enum(['authority', 'client'], { description: 'Of `caCertificate`, or of `clientCertificate`.' }),
  subject: Type.String(),
  expiresAt: Instant,
});

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/** What people recognise the certificates of a stream by. A text may have several. */
export function shownCertificates(texts: { authority: string | null; client: string | null }) {
  return (['authority', 'client'] as const).flatMap((use) =>
    (texts[use]?.match(CERTIFICATE) ?? []).filter(isCertificate).map((text) => {
      const { subject, validToDate } = new X509Certificate(text);
      return { use, subject: (subject ?? '').replaceAll('\n', ', '), expiresAt: validToDate.toISOString() };
    }),
  );
}

function isCertificate(text: string): boolean {
  try {
    new X509Certificate(text);
    return true;
  } catch {
    return false;
  }
}

/** The part of an address that a secret belongs to. */
function originOf(url: string): string {
  return /^tls:/i.test(url) ? JSON.stringify(syslogTarget(url)) : new URL(url).origin;
}

/**
 * A stored secret stays with the origin and the authorities it was given for: otherwise a caller who can't read it could have it
 * sent to an address of their own, or to a receiver that poses as the known one.
 * @throws Problem VALIDATION_FAILED
 */
export function requireSecretForNewReceiver(
  stored: { url: string; caCertificate: string | null; hasSecret: boolean },
  { url = stored.url, caCertificate = stored.caCertificate, secret: given }: Partial<Target>,
): void {
  if (!stored.hasSecret || given !== undefined) return;
  const isNew = originOf(url) !== originOf(stored.url);
  // The key of a client certificate is never sent.
  const hasNewAuthorities = caCertificate !== stored.caCertificate && !/^tls:/i.test(url);
  if (!isNew && !hasNewAuthorities) return;
  const what = isNew ? 'the address has a new origin' : 'other authorities are trusted';
  throw invalid('/body/secret', `${what}: give the secret again, or null to remove it`);
}
