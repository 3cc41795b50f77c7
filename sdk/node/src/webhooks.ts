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
 * Verifies the signature of a webhook (Standard Webhooks) with Web Crypto: in browsers, workers, Deno, Bun and Node.js.
 *
 * ```js
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers }, secret);
 * ```
 *
 * @param received with the raw body: parsed and re-serialised JSON fails verification
 * @param secrets the endpoint's secret, or several during a rotation
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
    // biome-ignore lint/performance/noAwaitInLoops: there are one or two secrets
    const key = await crypto.subtle.importKey('raw', keyBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    // Web Crypto compares in constant time.
    const matches = await Promise.all(given.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)));
    if (matches.includes(true)) return JSON.parse(received.body);
  }
  throw noMatch();
}
