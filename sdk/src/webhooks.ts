import {
  base64Bytes,
  keyBytes,
  noMatch,
  type Options,
  type Received,
  readMessage,
  type WebhookEvent,
} from './message.ts';

export { type WebhookEvent, WebhookVerificationError } from './message.ts';

/**
 * Checks that a webhook comes from Latchkey and is whole (Standard Webhooks), with Web Crypto: in browsers, workers, Deno, Bun
 * and Node.js.
 *
 * ```js
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers }, secret);
 * ```
 *
 * @param received the raw body: JSON that was parsed and written again does not verify
 * @param secrets the endpoint's secret, or several while one is being replaced
 * @returns the event
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  received: Received,
  secrets: string | readonly string[],
  options: Options = {},
): Promise<WebhookEvent> {
  const { content, signatures } = readMessage(received, options);
  const signed = new TextEncoder().encode(content);
  const given = signatures.map(base64Bytes).filter((signature) => signature !== null);
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    // biome-ignore lint/performance/noAwaitInLoops: one secret after the other; there are one or two
    const key = await crypto.subtle.importKey('raw', keyBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    // In constant time, as Web Crypto compares.
    const matches = await Promise.all(given.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)));
    if (matches.includes(true)) return JSON.parse(received.body);
  }
  throw noMatch();
}
