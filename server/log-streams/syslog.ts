import type { TLSSocket } from 'node:tls';
import type { LogEntry } from './log-entries.ts';

/** Facility 13 (log audit), severity 6 (informational): RFC 5424 §6.2.1. */
const PRIORITY = 13 * 8 + 6;
const MAX_SEQUENCE_ID = 2_147_483_647;
const MAX_MESSAGE_ID = 32;

/**
 * A message of RFC 5424 with the entry as JSON. The JSON is ASCII, so that it needs no byte order mark (§6.4), which
 * many parsers of JSON do not know.
 */
export function messageOf(entry: LogEntry, hostName: string): string {
  const { occurredAt, action, sequence } = entry;
  const data = sequence > 0 && sequence <= MAX_SEQUENCE_ID ? `[meta sequenceId="${sequence}"]` : '-';
  const head = `<${PRIORITY}>1 ${occurredAt} ${hostName} latchkey - ${action.slice(0, MAX_MESSAGE_ID)} ${data}`;
  return `${head} ${ascii(JSON.stringify(entry))}`;
}

function ascii(text: string): string {
  return text.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Octet counting (RFC 5425 §4.3). The messages are ASCII. */
export function framed(messages: readonly string[]): string {
  return messages.map((message) => `${message.length} ${message}`).join('');
}

/**
 * Sends the text, and ends the connection. Syslog has no acknowledgement, so the receiver's own orderly end serves as it:
 * it follows ours, and so the last octet that we sent.
 * @returns false if the receiver ended the connection before
 * @throws the error of the connection, or the reason of the signal
 */
export async function sendAll(socket: TLSSocket, text: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const abort = () => socket.destroy(signal.reason);
  let sent = false;
  let ended = false;
  socket.once('secureConnect', () => socket.end(text));
  socket.once('finish', () => {
    sent = true;
  });
  socket.once('end', () => {
    ended = sent;
  });
  socket.once('error', reject);
  socket.once('close', () => resolve(ended));
  // Whatever the receiver writes is dropped; its end is only seen by reading.
  socket.resume();
  signal.addEventListener('abort', abort);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}
