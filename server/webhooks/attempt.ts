import type { Event } from '#events';
import { callFault } from '#platform/call-fault.ts';
import type { TxCtx } from '#platform/ctx.ts';
import { isRefused, post } from '#platform/fetch.ts';
import { redacted } from '#platform/redaction.ts';
import { liveSecrets, signatures } from '#platform/signing-secrets.ts';
import type { System } from '#platform/system.ts';
import { openHeaders, SECRET_PURPOSE, sameHeaders } from './endpoint-rules.ts';
import type { EndpointRow } from './endpoints.ts';
import type { Claimed } from './queue.ts';
import type { Attempted } from './schedule.ts';

/** The timeout of an attempt, from DNS to the head of the response. */
export const ATTEMPT_MS = 15_000;

/** The headers and body of one attempt. */
type Composed = { headers: Record<string, string>; body: string };

/**
 * Builds the request to a receiver with a protocol of its own from the queued body, again for each attempt.
 * Null: the delivery is obsolete.
 */
type Composer = (system: System, queued: string) => Promise<Composed | null>;

/** What differs for the receivers of another part. */
export type Protocol = {
  /** Absent: the queued body, signed as Standard Webhooks. */
  compose?: Composer;
  /** Statuses by which the receiver says that it no longer exists, besides 410. */
  gone?: readonly number[];
  /** Called in the transaction that disables a receiver, with its key. */
  disabled?: (tx: TxCtx, key: string) => Promise<void>;
};

/** An endpoint's data for calls, decrypted once for many deliveries. */
export type Receiver = {
  url: string;
  headers: Readonly<Record<string, string>>;
  secrets: readonly string[];
  protocol: Protocol;
};

export function receiverOf({ keyring, clock }: System, row: EndpointRow, protocol: Protocol = {}): Receiver {
  return {
    protocol,
    url: row.url,
    headers: openHeaders(keyring, row.headers_sealed, row.id),
    secrets: liveSecrets(keyring, row.secrets, { purpose: SECRET_PURPOSE, recordId: row.id, now: clock.now() }),
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
    gone: false,
    ...come,
  });
  const body = claimed.body ?? (event && JSON.stringify(event));
  if (body === null) return result({ error: 'the event is no longer in the log', refused: true });
  try {
    const sent = receiver.protocol.compose
      ? await receiver.protocol.compose(system, body)
      : { headers: headersOf(receiver, claimed.event_id, { body, now: startedAt }), body };
    if (sent === null) return result({ error: 'the event no longer concerns this receiver', refused: true });
    const reply = await post(system, receiver.url, { ...sent, timeoutMs: ATTEMPT_MS, signal });
    return result({
      statusCode: reply.status,
      gone: reply.status === 410 || (receiver.protocol.gone ?? []).includes(reply.status),
      error: reply.status >= 300 && reply.status < 400 ? 'redirects are not followed' : null,
      responseSnippet: reply.head && redacted(reply.head, [...receiver.secrets, ...Object.values(receiver.headers)]),
      retryAfter: one(reply.headers['retry-after']),
    });
  } catch (error) {
    return result({ error: callFault(error), refused: isRefused(error) });
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
