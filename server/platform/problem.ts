import { Type } from 'typebox';

type Entry = { status: number; title: string; detail: string };

/** Every error that a client can receive: its HTTP status, its title, and the default `detail` for a person. */
export const problems = {
  VALIDATION_FAILED: {
    status: 400,
    title: 'The request is not valid',
    detail: 'One or more fields are missing or have a wrong value; see `errors`.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    title: 'The request is not well-formed HTTP',
    detail: 'The request does not follow HTTP/1.1 (RFC 9112), so it was rejected.',
  },
  CONTEXT_REQUIRED: {
    status: 400,
    title: 'The project is unknown',
    detail: 'Send `clientId`, or `workspaceId` and `projectId`, to select the project of the request.',
  },
  ENVIRONMENT_MISMATCH: {
    status: 400,
    title: 'Wrong environment for this address',
    detail: 'The `environment` in the request is not the environment this address serves.',
  },
  CONSOLE_HEADER_NOT_ALLOWED: {
    status: 400,
    title: 'Console header on a customer address',
    detail:
      'Workspace and project headers are for the console only; here the token determines the scope. Remove the header.',
  },
  INVALID_CURSOR: {
    status: 400,
    title: 'The cursor is not valid',
    detail: 'Use `nextCursor` exactly as this list returned it, with the same filters, or start without a cursor.',
  },
  INVALID_TOKEN: {
    status: 400,
    title: 'The one-time token is not valid',
    detail: 'It is unknown, was already used or has expired. Request a new one.',
  },
  WEAK_PASSWORD: { status: 400, title: 'The password is too weak', detail: 'Choose a longer or less common password.' },
  UNSUPPORTED_CHANNEL: {
    status: 400,
    title: 'The channel is not supported',
    detail: 'Use one of the supported channels.',
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    title: 'Sign-in required',
    detail: 'Send a valid `Authorization: Bearer` token from the auth host.',
  },
  INVALID_CREDENTIALS: {
    status: 401,
    title: 'Wrong identifier or password',
    detail: 'The identifier and password do not match an account.',
  },
  SESSION_EXPIRED: { status: 401, title: 'The session has expired', detail: 'Refresh the session, or sign in again.' },
  SESSION_REVOKED: { status: 401, title: 'The session has ended', detail: 'Sign in again.' },
  INVALID_CODE: {
    status: 401,
    title: 'The code is not valid',
    detail: 'It is wrong, was already used or has expired. Check the latest message, or request a new code.',
  },
  REAUTHENTICATION_REQUIRED: {
    status: 401,
    title: 'Recent sign-in required',
    detail: 'Sign in again to make this change.',
  },
  ADDON_REQUIRED: {
    status: 402,
    title: 'An add-on is required',
    detail: 'This feature needs an add-on that is not active.',
  },
  PLAN_LIMIT_EXCEEDED: {
    status: 402,
    title: 'The plan limit is reached',
    detail: 'The plan does not allow more in this period.',
  },
  AUTHORIZATION_DENIED: {
    status: 403,
    title: 'Permission missing',
    detail: 'The token does not grant the permission this route needs; see `requiredPermission`.',
  },
  WRONG_TOKEN_KIND: { status: 403, title: 'Wrong kind of token', detail: 'This route accepts another kind of token.' },
  MEMBERSHIP_REQUIRED: {
    status: 403,
    title: 'Not a member of the project',
    detail: 'The account has no active membership in this project.',
  },
  MEMBER_BLOCKED: {
    status: 403,
    title: 'The membership is blocked',
    detail: 'An administrator of the project has blocked this membership.',
  },
  CONTEXT_NOT_ALLOWED: {
    status: 403,
    title: 'Context not allowed',
    detail: 'A session can only enter projects of its own workspace and environment.',
  },
  REGISTRATION_CLOSED: {
    status: 403,
    title: 'Registration is closed',
    detail: 'New accounts need an invitation. Ask the project for one.',
  },
  REFUSED_BY_ACTION: {
    status: 403,
    title: 'Refused by the project',
    detail: 'A check of the project refused this.',
  },
  ORGANIZATION_BLOCKED: {
    status: 403,
    title: 'The organization is blocked',
    detail: 'Nobody can use this organization until an administrator of the project unblocks it.',
  },
  ORGANIZATION_ADDRESS: {
    status: 403,
    title: 'Address not allowed in the organization',
    detail: 'The policy of the organization does not allow requests from this address.',
  },
  ORGANIZATION_METHOD: {
    status: 403,
    title: 'Sign-in method not allowed in the organization',
    detail: 'Sign in with a method that the policy of the organization allows.',
  },
  ORGANIZATIONS_CLOSED: {
    status: 403,
    title: 'Members may not add organizations',
    detail: 'In this project, only administrators add organizations.',
  },
  METHOD_DISABLED: {
    status: 403,
    title: 'Sign-in method disabled',
    detail: 'This project does not allow this sign-in method.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'Origin not allowed',
    detail: 'Forms and requests with cookies are accepted only from allowed origins.',
  },
  CSRF_TOKEN_INVALID: {
    status: 403,
    title: 'CSRF token missing or wrong',
    detail: 'Send the `csrfToken` of `/console/v1/session` as the header `X-CSRF-Token`.',
  },
  NOT_FOUND: { status: 404, title: 'Not found', detail: 'It does not exist, or you have no access to it.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path does not support the method; the header `Allow` lists the supported ones.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request took too long to arrive',
    detail: 'The headers of the request did not arrive in time. Send the request again.',
  },
  CONFLICT: {
    status: 409,
    title: 'Conflict',
    detail: 'The record was changed at the same time. Read it again and repeat the change.',
  },
  ALREADY_EXISTS: { status: 409, title: 'Already exists', detail: 'A record with this value already exists.' },
  LAST_SIGN_IN_METHOD: {
    status: 409,
    title: 'Last sign-in method',
    detail: 'Add another sign-in method before removing this one.',
  },
  LAST_OWNER: { status: 409, title: 'Last owner', detail: 'Give another active member the owner role first.' },
  BUILT_IN_ROLE: { status: 409, title: 'Built-in role', detail: 'Built-in roles cannot be changed or deleted.' },
  DOMAIN_NOT_VERIFIED: {
    status: 409,
    title: 'Domain not verified',
    detail: 'Verify the domain before binding it.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    title: 'Idempotency key reused',
    detail: 'The same key was used with a different request body.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    detail: 'The record has changed since the version in `If-Match`. Read it again.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'Body too large',
    detail: 'The request body is larger than this route accepts.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'Send the body as `application/json`.',
  },
  UNKNOWN_HOST: { status: 421, title: 'Unknown host', detail: 'No configured address has this host name.' },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    title: 'Too many requests',
    detail: 'Wait for the time in `Retry-After`, then try again.',
  },
  ACCOUNT_THROTTLED: {
    status: 429,
    title: 'Too many failed attempts',
    detail: 'Wait for the time in `Retry-After`, or reset the password.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'Headers too large',
    detail: 'The headers of the request are larger than 16 KiB together. Send fewer or smaller ones, cookies included.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    detail: 'Something failed on our side. Quote the `traceId` when you report it.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Temporarily unavailable',
    detail: 'The service is temporarily unavailable. Try again shortly.',
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof problems;

export const errorCodes = Object.keys(problems).filter((code): code is ErrorCode => code in problems);

export type ProblemOptions = {
  /** A sentence for the reader of the error; defaults to the catalogue's. */
  detail?: string;
  /** Extension members of the problem document (RFC 9457 §3.2). */
  extensions?: Record<string, unknown>;
  /** Response headers, such as `Retry-After`. */
  headers?: Record<string, string>;
  /** The internal cause: logged, never sent. */
  cause?: unknown;
};

/** An error that is sent as an RFC 9457 problem document. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly extensions: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, options: ProblemOptions = {}) {
    super(options.detail ?? problems[code].detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = problems[code].status;
    this.extensions = options.extensions ?? {};
    this.headers = options.headers ?? {};
  }
}

/** Creates the error to throw: `throw problem('NOT_FOUND')`. */
export function problem(code: ErrorCode, options: ProblemOptions | string = {}): Problem {
  return new Problem(code, typeof options === 'string' ? { detail: options } : options);
}

/**
 * Returns a record that a query or a short list may not have.
 * @throws Problem NOT_FOUND
 */
export function found<T>(record: T | undefined): T {
  if (record === undefined) throw problem('NOT_FOUND');
  return record;
}

/**
 * A 429 or 503 with `Retry-After`.
 * @param seconds whole seconds until the next attempt may succeed
 */
export function problemWithRetry(
  code: 'RATE_LIMIT_EXCEEDED' | 'ACCOUNT_THROTTLED' | 'SERVICE_UNAVAILABLE',
  seconds: number,
): Problem {
  const retryAfter = Math.max(1, Math.ceil(seconds));
  return new Problem(code, { extensions: { retryAfter }, headers: { 'retry-after': String(retryAfter) } });
}

/** The path of the page that explains a code: `VALIDATION_FAILED` → `/problems/validation-failed`. */
export function problemPath(code: ErrorCode): string {
  return `/problems/${code.toLowerCase().replaceAll('_', '-')}`;
}

export const ProblemDetails = Type.Object(
  {
    type: Type.String({ format: 'uri' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    errorCode: Type.Enum(errorCodes),
    traceId: Type.String({ description: 'W3C trace id of the request; quote it in a report.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), message: Type.String() }), {
        description: 'Faults of a request body or query, each with a JSON pointer.',
      }),
    ),
    retryAfter: Type.Optional(Type.Integer({ description: 'Seconds to wait.' })),
    requiredPermission: Type.Optional(Type.String()),
  },
  { $id: 'ProblemDetails', additionalProperties: true, description: 'RFC 9457 problem document.' },
);

const PROBLEM_CONTENT = { 'application/problem+json': { schema: Type.Ref('ProblemDetails') } };

/**
 * The error responses of a route, for its schema: the codes it names, grouped by status.
 * The route's declaration hook adds the codes that any route can return (validation, authentication, limits, faults).
 */
export function problemResponses(
  ...codes: ErrorCode[]
): Record<string, { description: string; content: Record<string, unknown> }> {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\``).join(', '),
        content: PROBLEM_CONTENT,
      },
    ]),
  );
}

/** How a problem is written, of whatever status. */
export const PROBLEM_RESPONSE = { content: PROBLEM_CONTENT };

/** A response of a route's own whose status may be that of a problem too. */
export function withProblem({ content, ...rest }: DescribedResponse): DescribedResponse {
  return { ...rest, content: { ...content, ...PROBLEM_CONTENT } };
}

type DescribedResponse = { description?: string; content?: Record<string, unknown> };

/** Merges problems into a route's responses of the same status. */
export function withProblems(
  own: Readonly<Record<string, DescribedResponse>>,
  added: ReturnType<typeof problemResponses>,
): Record<string, DescribedResponse> {
  const both = Object.entries(added).map(([status, { description, content }]) => {
    const before = own[status];
    const described = [before?.description, description].filter(Boolean).join(', ');
    return [status, { description: described, content: { ...before?.content, ...content } }];
  });
  return { ...own, ...Object.fromEntries(both) };
}
