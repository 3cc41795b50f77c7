/** A problem document (RFC 9457), or its replacement if the API can't be reached. */
export type Problem = {
  status: number;
  errorCode: string;
  title: string;
  detail: string;
  traceId: string | null;
  requiredPermission: string | null;
  /** Errors of single fields, by the name of the field; those of a field inside another also by both names, `saml.entityId`. */
  fields: Record<string, string>;
};

const UNREACHABLE: Problem = {
  status: 0,
  errorCode: 'UNREACHABLE',
  title: 'Latchkey can’t be reached',
  detail: 'Check your connection. Your input is kept.',
  traceId: null,
  requiredPermission: null,
  fields: {},
};

/** What the server would throw for a field that is not valid, for one that is checked before it is sent. */
export function validationProblem(field: string, message: string): Error {
  return Object.assign(new Error(message), {
    errorCode: 'VALIDATION_FAILED',
    title: 'A field is not valid',
    detail: message,
    errors: [{ pointer: `/body/${field}`, message }],
  });
}

/** Turns any thrown value into a problem. */
export function problemOf(thrown: unknown): Problem {
  if (!isRecord(thrown) || typeof thrown['errorCode'] !== 'string') return UNREACHABLE;
  return {
    status: typeof thrown['status'] === 'number' ? thrown['status'] : 0,
    errorCode: thrown['errorCode'],
    title: text(thrown['title']) ?? 'Something went wrong',
    detail: text(thrown['detail']) ?? '',
    traceId: text(thrown['traceId']),
    requiredPermission: text(thrown['requiredPermission']),
    fields: fieldsOf(thrown['errors']),
  };
}

function fieldsOf(errors: unknown): Record<string, string> {
  if (!Array.isArray(errors)) return {};
  const found = errors.flatMap((error: unknown) => {
    const pointer = isRecord(error) ? text(error['pointer']) : null;
    const message = isRecord(error) ? text(error['message']) : null;
    return pointer && message ? namesOf(pointer).map((name) => [name, message] as const) : [];
  });
  return Object.fromEntries(found);
}

function namesOf(pointer: string): string[] {
  const [, , field = pointer, inner = ''] = pointer.split('/');
  const isIndex = /^\d*$/.test(inner);
  return isIndex ? [field] : [field, `${field}.${inner}`];
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
