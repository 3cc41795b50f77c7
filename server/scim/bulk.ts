import { type Attributes, isRecord, valueNamed } from './resource.ts';
import { invalid } from './scim-error.ts';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];
export type Request = { method: Method; path: string; body: unknown; version: number | null };
export type Response = { status: number; body: Attributes | null; location: string | null; version: string | null };

export const MAX_BULK_OPERATIONS = 1_000;

/**
 * Performs the operations of a bulk request in order (RFC 7644 §3.7). Each is atomic; the others go on when one fails,
 * until `failOnErrors` have failed. References to earlier operations (`bulkId:`) are replaced by the ids that they got.
 * @param perform never rejects for an operation that fails
 * @throws ScimError invalidSyntax, tooMany
 */
export async function performBulk(
  body: unknown,
  perform: (request: Request) => Promise<Response>,
): Promise<Attributes[]> {
  const operations = isRecord(body) ? valueNamed(body, 'Operations') : undefined;
  if (!Array.isArray(operations)) throw invalid('invalidSyntax', 'A bulk request has "Operations", an array.');
  if (operations.length > MAX_BULK_OPERATIONS)
    throw invalid('tooMany', `A bulk request has up to ${MAX_BULK_OPERATIONS} operations.`);
  const failOnErrors = isRecord(body) ? Number(valueNamed(body, 'failOnErrors') ?? 0) : 0;
  const ids = new Map<string, string>();
  const results: Attributes[] = [];
  let errors = 0;
  const read = operations.map((given, index) => readOperation(given, index + 1));
  for (const operation of read) {
    // biome-ignore lint/performance/noAwaitInLoops: operations may refer to earlier ones
    const response = await perform({
      ...operation,
      body: resolved(operation.body, ids),
      path: resolvedPath(operation.path, ids),
    });
    const { bulkId } = operation;
    const id = response.body?.['id'];
    if (bulkId !== null && typeof id === 'string') ids.set(bulkId, id);
    results.push(resultOf(operation, response));
    if (response.status >= 400) errors += 1;
    if (failOnErrors > 0 && errors >= failOnErrors) break;
  }
  return results;
}

type Operation = Request & { bulkId: string | null };

function readOperation(given: unknown, position: number): Operation {
  const operation = isRecord(given) ? given : {};
  const method = METHODS.find((known) => known === String(valueNamed(operation, 'method')).toUpperCase());
  const path = valueNamed(operation, 'path');
  if (!method || typeof path !== 'string')
    throw invalid('invalidSyntax', `Operation ${position} needs a "method" and a "path".`);
  const bulkId = valueNamed(operation, 'bulkId');
  if (method === 'POST' && typeof bulkId !== 'string')
    throw invalid('invalidSyntax', `Operation ${position} needs a "bulkId".`);
  const [, version] = /^W\/"(\d+)"$/.exec(String(valueNamed(operation, 'version') ?? '')) ?? [];
  return {
    method,
    path,
    body: valueNamed(operation, 'data') ?? {},
    version: version === undefined ? null : Number(version),
    bulkId: typeof bulkId === 'string' ? bulkId : null,
  };
}

function resolvedPath(path: string, ids: ReadonlyMap<string, string>): string {
  return path.replaceAll(/bulkId:([^/]+)/g, (whole, bulkId: string) => ids.get(bulkId) ?? whole);
}

function resolved(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string' && value.startsWith('bulkId:')) return ids.get(value.slice('bulkId:'.length)) ?? value;
  if (Array.isArray(value)) return value.map((each) => resolved(each, ids));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, ids)]));
}

function resultOf({ method, bulkId }: Operation, { status, body, location, version }: Response): Attributes {
  return {
    method,
    ...(bulkId !== null && { bulkId }),
    ...(location !== null && { location }),
    ...(version !== null && { version }),
    status: String(status),
    ...(status >= 400 && { response: body }),
  };
}
