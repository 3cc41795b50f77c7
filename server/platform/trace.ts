import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { nextRandom } from './randomness.ts';

/** A span that has begun, in the words of OpenTelemetry. */
export type OpenSpan = {
  spanId: string;
  /** Whether the span is exported. Spans that follow it take over the decision. */
  sampled: boolean;
  name: (name: string) => void;
  set: (attributes: Attributes) => void;
  /** @param error the code or the name of an error. Its message may hold personal data, so it is not recorded. */
  end: (error?: string) => void;
};

/** Never personal data or secrets, because spans are exported to other systems. */
type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The parent of a span: a span, perhaps of another process, or only the id of a trace. */
export type Parent = { traceId: string; spanId?: string; sampled?: boolean };

/** Opens spans. There is none while traces are off. */
export type Tracer = {
  open: (span: SpanDescription, parent: Parent) => OpenSpan;
  stop: () => Promise<void>;
};

export type SpanDescription = {
  name: string;
  kind: 'server' | 'client' | 'consumer' | 'internal';
  attributes?: Attributes;
};

/** The place of running work in its trace. `span` is null while traces are off. */
export type Place = { traceId: string; span: OpenSpan | null };

const places = new AsyncLocalStorage<Place>();

/** The place of the running work; undefined outside of requests, jobs and periodic work. */
export function placeNow(): Place | undefined {
  return places.getStore();
}

/** Runs work at a place of a trace. Its log lines, jobs and calls to other servers belong to that trace. */
export function runAt<T>(place: Place, work: () => T): T {
  return places.run(place, work);
}

/** Begins a request, a job, a delivery or a run of periodic work, in the trace of its parent. */
export function beginTrace(tracer: Tracer | null, span: SpanDescription, parent: Parent = newTrace()): Place {
  return { traceId: parent.traceId, span: tracer?.open(span, parent) ?? null };
}

/** Runs work at a place that {@link beginTrace} made, and ends its span. */
export async function traced<T>(place: Place, work: () => Promise<T>): Promise<T> {
  return places.run(place, () => ended(place.span, work));
}

/** Runs a step of work in a span of its own, or without one if traces are off or no trace has begun. */
export function step<T>(
  tracer: Tracer | null,
  describe: () => SpanDescription,
  work: (span: OpenSpan | null) => Promise<T>,
): Promise<T> {
  const place = places.getStore();
  if (!tracer || !place?.span) return work(null);
  const { spanId, sampled } = place.span;
  const span = tracer.open(describe(), { traceId: place.traceId, spanId, sampled });
  return places.run({ traceId: place.traceId, span }, () => ended(span, () => work(span)));
}

async function ended<T>(span: OpenSpan | null, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span?.end();
    return result;
  } catch (error) {
    span?.end(kindOf(error));
    throw error;
  }
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;
/** Printable ASCII, including spaces. */
const CORRELATION_ID = /^[ -~]{1,200}$/;

function newTrace(): Parent {
  return { traceId: nextRandom(16).toString('hex') };
}

/** The parent that a `traceparent` header names (W3C Trace Context §3.2); a new trace if it is absent or malformed. */
export function parentFrom(header: string | string[] | undefined): Parent {
  const [, traceId, spanId = NO_SPAN, flags = ''] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || traceId === NO_TRACE) return newTrace();
  return spanId === NO_SPAN
    ? { traceId }
    : { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** A parent with a stored trace id; a new trace if the id is not valid. */
export function parentOf(traceId: string | undefined): Parent {
  return traceId !== undefined && /^[0-9a-f]{32}$/.test(traceId) && traceId !== NO_TRACE ? { traceId } : newTrace();
}

/** The caller's correlation id if it is 1 to 200 characters of printable ASCII; otherwise the trace id. */
export function correlationIdFrom(header: string | string[] | undefined, traceId: string): string {
  return typeof header === 'string' && CORRELATION_ID.test(header) ? header : traceId;
}

/** The `traceparent` that work added now carries to a later run; null outside of a trace. Without a span it names only the trace. */
export function carriedPlace(): string | null {
  const place = places.getStore();
  if (!place) return null;
  return place.span ? traceparent(place) : `00-${place.traceId}-${NO_SPAN}-00`;
}

const PROCESS = randomBytes(4).toString('hex');
let spans = 0;

/** The `traceparent` of a place. Without a span, its span id counts up in this process. */
export function traceparent({ traceId, span }: Place): string {
  if (span) return `00-${traceId}-${span.spanId}-${span.sampled ? '01' : '00'}`;
  spans = (spans + 1) % 0xffff_ffff;
  return `00-${traceId}-${PROCESS}${spans.toString(16).padStart(8, '0')}-01`;
}
