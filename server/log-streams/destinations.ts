import { callFault } from '#platform/call-fault.ts';
import type { Environment } from '#platform/ctx.ts';
import { openTls, outbound } from '#platform/fetch.ts';
import { redacted } from '#platform/redaction.ts';
import type { System } from '#platform/system.ts';
import { datadog, elastic, type Format, jsonLines, otlp, splunk } from './formats.ts';
import { fitted, type LogEntry } from './log-entries.ts';
import { framed, messageOf, sendAll } from './syslog.ts';
import { type Judge, judgeElastic, judgeOtlp, judgeSplunk, type Verdict, verdictOf } from './verdicts.ts';

/** Destinations that are called over HTTP. `refine` makes the address ask for the response that `judge` needs. */
const HTTP = {
  splunk: { format: splunk, judge: judgeSplunk },
  datadog: { format: datadog },
  elastic: {
    format: elastic,
    judge: judgeElastic,
    refine: ({ searchParams }) =>
      searchParams.set('filter_path', 'items.create.status,items.create.error.type,items.create.error.reason'),
  },
  json_lines: { format: jsonLines },
  otlp: { format: otlp, judge: judgeOtlp },
} satisfies Record<string, Transport>;
type Transport = { format: Format; judge?: Judge; refine?: (address: URL) => void };

/** The kind of a destination: the format and protocol in which it receives entries. */
export type Kind = keyof typeof HTTP | 'syslog';

/** Where a stream sends to, with its secret opened. */
export type Destination = {
  kind: Kind;
  url: string;
  environment: Environment;
  /** The header that carries the secret; null: `authorization`. */
  header: string | null;
  secret: string | null;
  caCertificate: string | null;
  clientCertificate: string | null;
};

/** The time limit of one request, from DNS to the end of the response. */
export const REQUEST_MS = 30_000;
/** Datadog accepts a megabyte per log, OpenTelemetry collectors four per request. */
const MAX_ENTRY_BYTES = 262_144;
/** Receivers should accept messages of this length and may truncate longer ones (RFC 5425 §4.3.1). */
const MAX_MESSAGE_BYTES = 8_192;

/** Sends entries in one request. Never throws; a failure is a verdict. */
export async function send(
  system: System,
  destination: Destination,
  { entries, signal }: { entries: readonly LogEntry[]; signal: AbortSignal },
): Promise<Verdict> {
  const limit = AbortSignal.any([AbortSignal.timeout(REQUEST_MS), signal]);
  try {
    const sending = { destination, entries, signal: limit };
    return await (destination.kind === 'syslog'
      ? sendSyslog(system, sending)
      : sendHttp(system, HTTP[destination.kind], sending));
  } catch (error) {
    const fault = { statusCode: null, error: callFault(error), responseSnippet: null };
    return { kind: 'failed', fault, retryAt: null };
  }
}

type Sending = { destination: Destination; entries: readonly LogEntry[]; signal: AbortSignal };

async function sendHttp(
  system: System,
  { format, judge, refine }: Transport,
  { destination, entries, signal }: Sending,
): Promise<Verdict> {
  const { url, secret, header, caCertificate } = destination;
  const address = new URL(url);
  refine?.(address);
  const response = await outbound(system, address.href, {
    method: 'POST',
    headers: {
      'content-type': format.contentType,
      'user-agent': 'Latchkey-Log-Streams/1',
      ...(secret !== null && format.credentials(secret, header ?? 'authorization')),
    },
    body: format.body(entries.map((entry) => fitted(entry, MAX_ENTRY_BYTES, format.piece))),
    signal,
    ...(caCertificate !== null && { ca: caCertificate }),
  });
  const { status } = response;
  const text = await response.text();
  const quote = (part: string) => redacted(part.slice(0, 1_024), secret === null ? [] : [secret]);
  const fault = {
    statusCode: status,
    error: status >= 300 && status < 400 ? 'redirects are not followed' : `responded with ${status}`,
    responseSnippet: text === '' ? null : quote(text),
  };
  const reply = { status, text, retryAfter: response.headers.get('retry-after'), quote };
  return verdictOf(reply, entries, { fault, now: system.clock.now(), judge });
}

async function sendSyslog(system: System, { destination, entries, signal }: Sending): Promise<Verdict> {
  const { url, environment, secret, caCertificate, clientCertificate } = destination;
  const hostName = new URL(system.config.addresses[environment].auth).hostname;
  const messages = entries.map((entry) => fitted(entry, MAX_MESSAGE_BYTES, (one) => messageOf(one, hostName)));
  const socket = openTls(system, {
    ...syslogTarget(url),
    ...(caCertificate !== null && { ca: caCertificate }),
    ...(clientCertificate !== null && secret !== null && { cert: clientCertificate, key: secret }),
  });
  if (await sendAll(socket, framed(messages), signal)) return { kind: 'accepted', refused: [] };
  const error = 'the receiver closed the connection before it had read everything';
  return { kind: 'failed', fault: { statusCode: null, error, responseSnippet: null }, retryAt: null };
}

/** The registered port of syslog over TLS (RFC 5425 §4.1). */
const SYSLOG_PORT = 6_514;

/** The host and port of `tls://host:port`. */
export function syslogTarget(url: string): { host: string; port: number } {
  const { port } = new URL(url);
  // The host is normalised only for schemes such as https.
  const { hostname } = new URL(url.replace(/^tls:/i, 'https:'));
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? SYSLOG_PORT : Number(port) };
}
