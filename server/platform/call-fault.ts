import { isRefused } from './fetch.ts';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without a response',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'timed out while connecting',
  UND_ERR_HEADERS_TIMEOUT: 'timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the response is too large',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
};

/**
 * Describes to the owner of a third-party address why a call to it failed. It leaves out the details of the error, which
 * may contain secrets.
 */
export function callFault(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // `fetch` keeps the error of the connection in the cause.
  if (code === '' && error.cause instanceof Error) return callFault(error.cause);
  if (isRefused(error)) return error.message.slice(0, 200);
  if (error.name === 'TimeoutError') return 'timed out';
  if (REASONS[code]) return REASONS[code];
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(code)) return `TLS: ${code}`;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  return code || 'failed';
}
