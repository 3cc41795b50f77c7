import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, problemPath, problems } from './problem.ts';
import { parentFrom, traceparent } from './trace.ts';

/** The error codes of Node's parser and their problems; any other error means that the request is not HTTP. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/**
 * Responds to requests that the parser rejects with a problem document, and closes the connection, because the start of
 * the next request is unknown (RFC 9112 §9.2).
 */
export function respondMalformed(apiAddress: string): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    // Do not write into a response that has started.
    const headersSent: unknown = Object(Reflect.get(socket, '_httpMessage')).headersSent;
    if (error.code !== 'ECONNRESET' && socket.writable && headersSent !== true)
      socket.write(documentOf(CODES[error.code ?? ''] ?? 'MALFORMED_REQUEST', apiAddress));
    socket.destroy();
  };
}

function documentOf(code: ErrorCode, apiAddress: string): string {
  const { status, title, detail } = problems[code];
  const { traceId } = parentFrom(undefined);
  const type = apiAddress + problemPath(code);
  const body = JSON.stringify({ type, title, status, detail, instance: '/', errorCode: code, traceId });
  return [
    // Without a reason phrase: clients must ignore it (RFC 9112 §4).
    `HTTP/1.1 ${status} `,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-correlation-id: ${traceId}`,
    `traceparent: ${traceparent({ traceId, span: null })}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

/**
 * True for a request with exactly one Host header; HTTP/1.0 may omit it (RFC 9112 §3.2). Node keeps the first of
 * several, and a proxy in front may have used the last.
 */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}
