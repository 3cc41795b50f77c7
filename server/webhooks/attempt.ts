import type { Event } from '#events';
import { isRefused, post } from '#platform/fetch.ts';
import type { System } from '#platform/system.ts';
import { openHeaders, sameHeaders } from './endpoint-rules.ts';
import type { EndpointRow } from './endpoints.ts';
import type { Claimed } from './queue.ts';
import { redacted } from './redaction.ts';
import type { Attempted } from './schedule.ts';
import { liveSecrets, signatures } from './secrets.ts';

/** The timeout of an attempt, from DNS to the head of the response. */
export const ATTEMPT_MS = 15_000;

/** The headers and body of one attempt. */
export type Composed = { headers: Record<string, string>; body: string };

/**
 * Builds the request to a receiver with a protocol of its own from the queued body, again for each attempt.
 * Null: the delivery is obsolete.
 */
export type Composer = (system: System, queued: string) => Promise<Composed | null>;

/** An endpoint's data for calls, decrypted once for many deliveries. */
export type Receiver = {
  url: string;
  headers: Readonly<Record<string, string>>;
  secrets: readonly string[];
  composer: Composer | undefined;
};

export function receiverOf({ keyring, clock }: System, row: EndpointRow, composer?: Composer): Receiver {
  return {
    composer,
    url: row.url,
    headers: openHeaders(keyring, row.headers_sealed, row.id),
    secrets: liveSecrets(keyring, row.secrets, { endpointId: row.id, now: clock.now() }),
  };
}

/**
 * Makes one attempt (Standard Webhooks). Never throws; a failure is part of the result.
 * @param event null: no longer in the log
 */
export async function attempt(
  system: System,
  receiver: Receiver,
  { claimed, event, signal }: { claimed: Claimed; event: Event | null; signal: AbortSignal },
): Promise<Attempted> {
  const startedAt = system.clock.now();
  const began = performance.now();
  const result = (come: Partial<Attempted>): Attempted => ({
    startedAt,
    durationMs: Math.round(performance.now() - began),
    statusCode: null,
    error: null,
    responseSnippet: null,
    retryAfter: null,
    refused: false,
    ...come,
  });
  const body = claimed.body ?? (event && JSON.stringify(event));
  if (body === null) return result({ error: 'the event is no longer in the log', refused: true });
  try {
    const sent = receiver.composer
      ? await receiver.composer(system, body)
      : { headers: headersOf(receiver, claimed.event_id, { body, now: startedAt }), body };
    if (sent === null) return result({ error: 'the event no longer concerns this receiver', refused: true });
    const reply = await post(system, receiver.url, { ...sent, timeoutMs: ATTEMPT_MS, signal });
    return result({
      statusCode: reply.status,
      error: reply.status >= 300 && reply.status < 400 ? 'redirects are not followed' : null,
      responseSnippet: reply.head && redacted(reply.head, [...receiver.secrets, ...Object.values(receiver.headers)]),
      retryAfter: one(reply.headers['retry-after']),
    });
  } catch (error) {
    return result({ error: reasonOf(error), refused: isRefused(error) });
  }
}

function headersOf(receiver: Receiver, id: string, { body, now }: { body: string; now: Date }): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1000);
  return {
    ...receiver.headers,
    ...sameHeaders(id),
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures(receiver.secrets, { id, timestamp, body }),
  };
}

function one(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without a response',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'timed out while connecting',
  UND_ERR_HEADERS_TIMEOUT: 'timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the response is too large',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
};

/** A sentence for the delivery log. The details of an error may contain secrets, so they are left out. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (isRefused(error)) return error.message.slice(0, 200);
  if (error.name === 'TimeoutError') return 'timed out';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (REASONS[code]) return REASONS[code];
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(code)) return `TLS: ${code}`;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  return code || 'failed';
}
