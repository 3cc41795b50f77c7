import { lookup as resolveName } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { get as getPlain } from 'node:http';
import { get as getTls } from 'node:https';
import { createRequire } from 'node:module';
import { connect, isIP, type LookupFunction } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { Agent, Dispatcher, fetch as undiciFetch } from 'undici';
import { perSystem, type System } from './system.ts';
import { carriedPlace, step } from './trace.ts';

const require = createRequire(import.meta.url);

/** Loaded at the first call of an address of a third party. */
const httpLibrary = (): typeof import('undici') => require('undici');

/**
 * Probes an address. Redirects are not followed. Each process probes all the time, and `fetch` would take 11 MB for it.
 * @param timeoutMs how long to wait for the response headers
 * @returns the status; null if no response came
 */
export function probe(url: string, timeoutMs: number): Promise<number | null> {
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? getTls : getPlain;
    const options = { signal: AbortSignal.timeout(timeoutMs), headers: { 'user-agent': 'latchkey-probe' } };
    const request = get(url, options, (response) => {
      resolve(response.statusCode ?? null);
      response.destroy();
    });
    request.on('error', () => resolve(null));
  });
}

/** An address that was refused before anything was sent to it. */
class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

const OUTBOUND_MS = 10_000;
const MAX_BYTES = 1_048_576;

/** A request to an address from a third party. */
export type Outgoing = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | URLSearchParams | Uint8Array | null;
  signal?: AbortSignal;
};

/** `ca`: certificates in PEM to trust instead of the public authorities. */
type Trusting = { ca?: string };

/**
 * Calls an address from a third party, protected against server-side request forgery (ASVS 1.3.6): on every connection
 * the name is resolved first, and private, loopback and link-local addresses are refused, except the ranges of
 * `LATCHKEY_WEBHOOK_ALLOW_PRIVATE` and, in development mode, this machine. Production mode requires https. Redirects
 * are not followed. Limits: ten seconds, one megabyte.
 * @throws RefusedAddress; TypeError if the address does not respond
 */
export async function outbound(
  system: System,
  url: string,
  { ca, ...outgoing }: Outgoing & Trusting = {},
): Promise<Response> {
  const target = new URL(url);
  checkAddress(system, target);
  const own = ca === undefined ? null : agentOf(system, ca);
  const responding = call(system, { method: outgoing.method ?? 'GET', target }, async (headers) => {
    const response = await httpLibrary().fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(OUTBOUND_MS),
      ...outgoing,
      headers: { ...headers, ...outgoing.headers },
      dispatcher: own ?? agents(system),
    });
    const body = await bodyOf(response);
    return new Response(body.byteLength > 0 ? body : null, { status: response.status, headers: [...response.headers] });
  });
  return responding.finally(() => own?.destroy());
}

/**
 * Makes a call as a span of the trace. The span names only the host, because the rest of an address may hold secrets.
 * @param send receives the headers that pass the trace on
 */
function call<T extends { status: number }>(
  { tracer }: System,
  { method, target }: { method: string; target: URL },
  send: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const attributes = { 'http.request.method': method, 'server.address': target.hostname };
  const describe = () => ({ name: method, kind: 'client', attributes }) as const;
  return step(tracer, describe, async (span) => {
    const traceparent = span && carriedPlace();
    const response = await send(traceparent ? { traceparent } : {});
    span?.set({ 'http.response.status_code': response.status });
    return response;
  });
}

/**
 * Reads the body. The limit counts decompressed bytes, because a compressed megabyte may expand to a gigabyte.
 * @throws TypeError if it is larger than a megabyte
 */
async function bodyOf({ body }: Awaited<ReturnType<typeof undiciFetch>>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new TypeError('The response is larger than a megabyte.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The options that libraries pass to `fetch`. */
type FetchOptions = {
  method?: string;
  headers?: ConstructorParameters<typeof Headers>[0];
  body?: unknown;
  signal?: AbortSignal | null;
};

function outgoingOf({ method, headers, body, signal }: FetchOptions) {
  return {
    headers: { ...Object.fromEntries(new Headers(headers)), 'user-agent': 'latchkey' },
    ...(method !== undefined && { method }),
    ...(signal && { signal }),
    ...((typeof body === 'string' || body instanceof URLSearchParams) && { body }),
  };
}

/** {@link outbound} with the signature of `fetch`, for libraries. */
export function guardedFetch(system: System) {
  return (url: string | URL | Request, options: FetchOptions = {}): Promise<Response> =>
    outbound(system, String(url), outgoingOf(options));
}

/**
 * A POST to a receiver from a third party. `timeoutMs` covers the whole exchange: DNS, connecting, sending, response.
 */
export type Posting = { headers: Record<string, string>; body: string; timeoutMs: number; signal?: AbortSignal };

/** The response of a receiver. `head` is the beginning of the body; null if there is none. */
export type Reply = { status: number; headers: Dispatcher.ResponseData['headers']; head: string | null };

const HEAD_BYTES = 1_024;

/**
 * Posts to a receiver under the rules of {@link outbound}, over kept-alive connections. Reads only the beginning of the
 * response body; once the status is known, an error in the body does not fail the call.
 * @throws RefusedAddress, or the error of the connection
 */
export async function post(system: System, url: string, { headers, body, timeoutMs, signal }: Posting): Promise<Reply> {
  const target = new URL(url);
  checkAddress(system, target);
  const limit = AbortSignal.timeout(timeoutMs);
  return call(system, { method: 'POST', target }, async (own) => {
    const response = await postingAgents(system).request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: 'POST',
      headers: { ...own, ...headers },
      body,
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return { status: response.statusCode, headers: response.headers, head: await headOf(response.body) };
  });
}

async function headOf(body: Dispatcher.ResponseData['body']): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.byteLength;
      if (size >= HEAD_BYTES) break;
    }
  } catch {
    // The status has been received, so the response counts.
  }
  return size > 0 ? Buffer.concat(chunks).subarray(0, HEAD_BYTES).toString('utf8') : null;
}

/**
 * Checks an address before it is stored: applies the rules of {@link outbound} to what its name resolves to now. A name
 * that does not resolve yet passes, because every connection is checked again.
 * @throws RefusedAddress
 */
export async function checkReceiver(system: System, url: string): Promise<void> {
  const target = new URL(url);
  checkAddress(system, target);
  await checkHost(system, target.hostname.replace(/^\[|\]$/g, ''));
}

/**
 * Checks what a host name resolves to now, like {@link checkReceiver}, for protocols other than HTTP.
 * @throws RefusedAddress
 */
export async function checkHost(system: System, host: string): Promise<void> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  if (addresses.length > 0 && !addresses.some(({ address }) => isAllowed(system, address)))
    throw new RefusedAddress(`${host} has no public address.`);
}

/** True if an address was refused, by a check or while connecting. */
export function isRefused(error: unknown): boolean {
  return (
    error instanceof RefusedAddress || (error instanceof Error && error.cause !== undefined && isRefused(error.cause))
  );
}

/**
 * A `fetch` for libraries that call this installation's own addresses. They may be private, because they come from the
 * configuration. Other addresses are refused.
 */
export function ownFetch(system: System) {
  const { addresses } = system.config;
  const own = [addresses.test.auth, addresses.production.auth].map((address) => new URL(address).origin);
  return (url: string | URL | Request, options: FetchOptions = {}): Promise<Response> => {
    const target = new URL(String(url));
    if (!own.includes(target.origin)) throw new RefusedAddress(`${target.origin} is no address of this installation.`);
    const outgoing = outgoingOf(options);
    return call(system, { method: outgoing.method ?? 'GET', target }, (headers) =>
      fetch(target, {
        redirect: 'manual',
        signal: AbortSignal.timeout(OUTBOUND_MS),
        ...outgoing,
        headers: { ...headers, ...outgoing.headers },
      }),
    );
  };
}

/**
 * Calls an address of the configuration. Private addresses are allowed. The response is streamed, so its size is not
 * limited. Redirects are not followed.
 */
export function callConfigured(
  url: string,
  outgoing: Omit<Outgoing, 'body'> & { body?: Buffer<ArrayBuffer> },
): Promise<Response> {
  return fetch(url, { redirect: 'manual', ...outgoing });
}

function checkAddress(system: System, { protocol, hostname }: URL): void {
  if (protocol !== 'https:' && (protocol !== 'http:' || system.config.mode === 'production'))
    throw new RefusedAddress(`Expected an https address, received ${protocol}//${hostname}.`);
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isAllowed(system, literal))
    throw new RefusedAddress(`${hostname} is not a public address.`);
}

/** A connection pool that checks every name look-up. */
function agentOf(system: System, ca?: string): Agent {
  const connect = { lookup: checkedLookup(system), ...(ca !== undefined && { ca }) };
  return new (httpLibrary().Agent)({ connect, maxResponseSize: MAX_BYTES });
}

/** One connection pool per process. */
const agents = perSystem((system) => agentOf(system));

/** Keeps connections to receivers alive, because they are called often. */
const postingAgents = perSystem(
  (system) =>
    new (httpLibrary().Agent)({
      connect: { lookup: checkedLookup(system), timeout: 10_000 },
      keepAliveTimeout: 30_000,
      pipelining: 1,
    }),
);

function checkedLookup(system: System): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = (addresses ?? []).filter(({ address }) => isAllowed(system, address));
      const [first] = allowed;
      if (error) return callback(error, '');
      if (!first) return callback(new RefusedAddress(`${hostname} has no public address.`), '');
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

/** The globally reachable unicast space (IANA IPv6 Global Unicast Address Assignments). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** Marks an address that embeds an IPv4 address for tunnels within a site (ISATAP, RFC 5214 §6.1). */
const ISATAP = 0x5efe;

/**
 * True for an address of the public Internet. IPv6 addresses that embed an IPv4 address are refused, because an unknown
 * gateway decides where they lead (IPv4-compatible ::/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48, 6to4, Teredo, ISATAP).
 * The IPv4-mapped form is treated as its IPv4 address.
 */
function isPublic(address: ReturnType<typeof ipaddr.process>): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  const [high = 0, low = 0] = address.parts.slice(4, 6);
  return address.match(...GLOBAL_UNICAST) && !((high === 0 || high === 0x0200) && low === ISATAP);
}

function isAllowed({ config }: System, address: string): boolean {
  const parsed = ipaddr.process(address);
  if (isPublic(parsed)) return true;
  if (parsed.range() === 'loopback' && config.mode === 'development') return true;
  return config.webhookAllowPrivate.some((allowed) => {
    const [network, bits] = ipaddr.parseCIDR(
      allowed.includes('/') ? allowed : `${allowed}/${parsed.kind() === 'ipv4' ? 32 : 128}`,
    );
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}

/**
 * Opens and closes a TCP connection, under the rules of {@link outbound}.
 * @throws RefusedAddress, or the error of the connection
 */
export async function reach(
  system: System,
  { host, port }: { host: string; port: number },
  timeoutMs: number,
): Promise<void> {
  const options = guarded(system, { host, port, timeout: timeoutMs });
  await new Promise<void>((resolve, reject) => {
    const socket = connect(options);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('No connection in time.')));
    socket.once('error', reject);
  });
}

/** Where to connect. `ca`: the authorities to trust instead of the public ones; `cert` and `key`: a client certificate. */
export type TlsTarget = { host: string; port: number; ca?: string; cert?: string; key?: string };

/**
 * Opens a TLS connection, only to addresses that {@link outbound} allows. The server's certificate must be valid for the
 * host. The socket emits the errors of the connection.
 * @throws RefusedAddress for an IP address that is not allowed
 */
export function openTls(system: System, { host, port, ...certificates }: TlsTarget): TLSSocket {
  const servername = isIP(host) ? {} : { servername: host };
  return connectTls({ ...guarded(system, { host, port }), ...servername, ...certificates, minVersion: 'TLSv1.2' });
}

/**
 * When the certificate of a server expires.
 * @throws RefusedAddress, or the error of the connection, also for a certificate that is not valid for the host
 */
export async function certificateEnd(system: System, target: TlsTarget, timeoutMs: number): Promise<Date> {
  const socket = openTls(system, target);
  // Covers the whole exchange: a server may accept the connection and then send nothing.
  const limit = setTimeout(() => socket.destroy(new Error('No certificate in time.')), timeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      socket.once('secureConnect', () => resolve(new Date(socket.getPeerCertificate().valid_to)));
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('The connection was closed.')));
    });
  } finally {
    clearTimeout(limit);
    socket.destroy();
  }
}

/**
 * The options of a connection that is made only if its address is allowed.
 * @throws RefusedAddress for an IP address that is not allowed
 */
function guarded<T extends { host: string; port: number }>(system: System, options: T): T & { lookup: LookupFunction } {
  const { host } = options;
  if (ipaddr.isValid(host) && !isAllowed(system, host)) throw new RefusedAddress(`${host} is not a public address.`);
  return { ...options, lookup: checkedLookup(system) };
}
