import { createHmac, timingSafeEqual } from 'node:crypto';
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
 * Verifies the signature of a webhook (Standard Webhooks), synchronously, with `node:crypto`.
 *
 * ```js
 * app.post('/hooks', express.raw({ type: '*\/*' }), (request, response) => {
 *   const event = verifyWebhook({ body: request.body.toString(), headers: request.headers }, secret);
 * ```
 *
 * @param received with the raw body: parsed and re-serialised JSON fails verification
 * @param secrets the endpoint's secret, or several during a rotation
 * @returns the event
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  received: Received,
  secrets: string | readonly string[],
  options: Options = {},
): WebhookEvent {
  const { content, signatures } = readMessage(received, options);
  const given = signatures.map(base64Bytes).filter((signature) => signature !== null);
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const expected = createHmac('sha256', keyBytes(secret)).update(content).digest();
    if (given.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected)))
      return JSON.parse(received.body);
  }
  throw noMatch();
}
