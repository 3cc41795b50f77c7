import { ProblemError } from './problem.ts';
import { MAX_ATTEMPTS, type Outcome, repeated } from './repeat.ts';
import type { Client, CommonOptions, Method } from './types.ts';

export type ClientOptions = {
  /** The address of the host. */
  baseUrl: string;
  /** A session token or a management token, or a function that returns the current token; it is called for each attempt. */
  token?: string | (() => Promise<string>);
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof fetch;
};

type AnyOptions = CommonOptions & {
  path?: object;
  query?: object;
  body?: unknown;
  form?: object;
  idempotencyKey?: string;
  ifMatch?: string | null;
  ifNoneMatch?: string | null;
};

type Init = RequestInit & { headers: Headers };

/** @param keyedPaths the paths whose POST takes an Idempotency-Key */
export function createClient<Paths>(options: ClientOptions, keyedPaths: readonly string[]): Client<Paths>;
export function createClient(client: ClientOptions, keyedPaths: readonly string[]) {
  const call =
    (method: Method) =>
    async (template: string, options: AnyOptions = {}) => {
      const url = urlOf(client.baseUrl, template, options);
      const headers = headersOf(options);
      const keyed = method === 'post' && keyedPaths.includes(template);
      if (keyed) headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID());
      const { signal, correlationId } = options;
      const init: Init = {
        method: method.toUpperCase(),
        headers,
        body: bodyOf(options),
        redirect: 'manual',
        ...(signal && { signal }),
      };
      const { response, text } = await repeated(
        () => send(client, url, init),
        keyed || method === 'get' ? MAX_ATTEMPTS : 1,
        signal,
      );
      const data = contentOf(response, text);
      if (response.status >= 400) throw new ProblemError(response, data, correlationId);
      return { data, status: response.status, headers: response.headers, etag: response.headers.get('etag') };
    };
  const get = call('get');
  async function* list(path: string, options: AnyOptions = {}) {
    let cursor: string | null = null;
    do {
      const query = { ...options.query, ...(cursor !== null && { cursor }) };
      // biome-ignore lint/performance/noAwaitInLoops: a page names the next
      const { data } = await get(path, { ...options, query });
      yield* data.items;
      cursor = data.nextCursor;
    } while (cursor !== null);
  }
  return { get, post: call('post'), put: call('put'), patch: call('patch'), delete: call('delete'), list };
}

async function send(client: ClientOptions, url: URL, init: Init): Promise<Outcome> {
  const token = typeof client.token === 'function' ? await client.token() : client.token;
  if (token !== undefined) init.headers.set('authorization', `Bearer ${token}`);
  try {
    const response = await (client.fetch ?? fetch)(url, init);
    return { response, text: await response.text() };
  } catch (error) {
    return { error };
  }
}

function urlOf(baseUrl: string, template: string, { path = {}, query = {} }: AnyOptions): URL {
  const values = new Map<string, unknown>(Object.entries(path));
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, values.get(name)));
  const url = new URL(filled, baseUrl);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

/** Dots would name another path: URLs resolve them even where they are encoded. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`The path needs a value for "${name}".`);
  return encodeURIComponent(text);
}

function headersOf({ body, correlationId, ifMatch, ifNoneMatch }: AnyOptions): Headers {
  const headers = new Headers({ accept: 'application/json, */*;q=0.5' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (correlationId !== undefined) headers.set('x-correlation-id', correlationId);
  if (ifMatch) headers.set('if-match', ifMatch);
  if (ifNoneMatch) headers.set('if-none-match', ifNoneMatch);
  return headers;
}

function bodyOf({ body, form }: AnyOptions): string | URLSearchParams | null {
  if (form) return new URLSearchParams(Object.entries(form).filter(([, value]) => value !== undefined));
  return body === undefined ? null : JSON.stringify(body);
}

function contentOf(response: Response, text: string) {
  if (text === '') return undefined;
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '');
  return isJson ? JSON.parse(text) : text;
}
