import { addAbortListener } from 'node:events';
import type { TLSSocket } from 'node:tls';
import type { LogEntry } from './log-entries.ts';

/** Facility 13 (log audit), severity 6 (informational): RFC 5424 §6.2.1. */
const PRIORITY = 13 * 8 + 6;
const MAX_SEQUENCE_ID = 2_147_483_647;
const MAX_MESSAGE_ID = 32;

/**
 * A message of RFC 5424 with the entry as JSON. The JSON is ASCII: otherwise it would need a byte order mark (§6.4), which
 * many JSON parsers reject.
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
 * Sends the text, then ends the connection. Syslog has no acknowledgements. Instead, the receiver must end the connection
 * in an orderly way after Latchkey did, which shows that it has read the last octet.
 * @returns false if the receiver ended the connection earlier
 * @throws the error of the connection, or the reason of the signal
 */
export async function sendAll(socket: TLSSocket, text: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
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
  // What the receiver writes is discarded, but only a reader notices that it ends the connection.
  socket.resume();
  // Unlike a listener of the signal, this also works if the signal was aborted before.
  const listening = addAbortListener(signal, () => socket.destroy(signal.reason));
  try {
    return await promise;
  } finally {
    listening[Symbol.dispose]();
    socket.destroy();
  }
}
