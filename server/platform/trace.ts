import { randomUUID } from 'node:crypto';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
const NO_TRACE = '0'.repeat(32);
const CORRELATION_ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$/;

/** The caller's correlation id if it is a plain one of up to 128 characters, or else a new one. */
export function correlationIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && CORRELATION_ID.test(header) ? header : randomUUID();
}

/** Hexadecimal digits of a random UUID, which Node makes from a pool: much cheaper than asking the system each time. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}

/** The trace id of a `traceparent` header (W3C Trace Context §3.2), or a new one when it is absent or malformed. */
export function traceIdFrom(header: string | string[] | undefined): string {
  const given = typeof header === 'string' ? TRACEPARENT.exec(header)?.[1] : undefined;
  return given === undefined || given === NO_TRACE ? randomHex() : given;
}

/** The `traceparent` of our own span in a trace. */
export function traceparent(traceId: string): string {
  return `00-${traceId}-${randomHex().slice(16)}-01`;
}
