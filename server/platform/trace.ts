import { randomBytes, randomUUID } from 'node:crypto';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
const NO_TRACE = '0'.repeat(32);
/** Printable ASCII, including spaces. */
const CORRELATION_ID = /^[ -~]{1,200}$/;

/** The trace id of a `traceparent` header (W3C Trace Context §3.2), or a new one when it is absent or malformed. */
export function traceIdFrom(header: string | string[] | undefined): string {
  const given = typeof header === 'string' ? TRACEPARENT.exec(header)?.[1] : undefined;
  // randomUUID uses a pool of random bytes, which is cheaper than a system call per request.
  return given === undefined || given === NO_TRACE ? randomUUID().replaceAll('-', '') : given;
}

/** The caller's correlation id if it is 1 to 200 characters of printable ASCII; otherwise the trace id. */
export function correlationIdFrom(header: string | string[] | undefined, traceId: string): string {
  return typeof header === 'string' && CORRELATION_ID.test(header) ? header : traceId;
}

const PROCESS = randomBytes(4).toString('hex');
let spans = 0;

/** The `traceparent` of a new span in a trace. Span ids count up in this process. */
export function traceparent(traceId: string): string {
  spans = (spans + 1) % 0xffff_ffff;
  return `00-${traceId}-${PROCESS}${spans.toString(16).padStart(8, '0')}-01`;
}
