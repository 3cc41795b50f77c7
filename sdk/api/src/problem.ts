import type { components as Components } from './generated/api.ts';

/** A problem document (RFC 9457) with the extension fields of Latchkey. */
export type ProblemDetails = Components['schemas']['ProblemDetails'];

/** All codes of this version's descriptions. A newer Latchkey may send others, so handle the rest by `status`. */
export type ErrorCode = ProblemDetails['errorCode'];

/** A response that refuses the request. */
export class ProblemError extends Error {
  readonly status: number;
  /** Null if the response is no problem document, such as that of a proxy or an OAuth error of `/connect/…`. */
  readonly problem: ProblemDetails | null;
  /** The body: JSON, or text. */
  readonly body: unknown;
  readonly errorCode: ErrorCode | null;
  /** The W3C trace id of the request; quote it in a report. */
  readonly traceId: string | null;
  /** The id that ties the log entries and events of the request together. */
  readonly correlationId: string | null;

  constructor(response: Response, body: unknown, correlationId: string | undefined) {
    const problem = isProblem(body) ? body : null;
    super(problem ? `${problem.errorCode}: ${problem.detail}` : `The response has status ${response.status}.`);
    this.name = 'ProblemError';
    this.status = response.status;
    this.problem = problem;
    this.body = body;
    this.errorCode = problem?.errorCode ?? null;
    this.traceId = problem?.traceId ?? null;
    this.correlationId = response.headers.get('x-correlation-id') ?? correlationId ?? null;
  }
}

function isProblem(body: unknown): body is ProblemDetails {
  return (
    typeof body === 'object' &&
    body !== null &&
    'errorCode' in body &&
    typeof body.errorCode === 'string' &&
    'traceId' in body &&
    typeof body.traceId === 'string'
  );
}
