import { emit, requireExample } from '#events';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { newId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { type EndpointId, lockEndpoint } from './endpoints.ts';
import { queueDeliveries } from './queue.ts';

/**
 * Sends an example event to one endpoint, whatever it selects. It is marked `example` and appears only in the
 * endpoint's deliveries.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED, CONFLICT while it is disabled
 */
export function testEndpoint(ctx: Ctx, id: EndpointId, type: string): Promise<{ eventId: string; eventType: string }> {
  const example = requireExample(ctx, type);
  return transaction(ctx, async (tx) => {
    const endpoint = await lockEndpoint(tx, id);
    if (!endpoint.enabled) throw problem('CONFLICT', 'The endpoint is disabled; enable it first.');
    const eventId = newId('evt', tx.now);
    const at = tx.now.toISOString();
    const event = {
      ...example,
      ...tx.scope,
      id: eventId,
      occurredAt: at,
      timestamp: at,
      sequence: null,
      correlationId: tx.trace.correlationId,
      example: true,
    };
    await queueDeliveries(tx, [
      { scope: tx.scope, endpointId: id, eventId, eventType: type, body: JSON.stringify(event), trigger: 'test' },
    ]);
    await emit(tx, 'webhook.endpoint.tested', { endpointId: id, url: endpoint.url, type });
    return { eventId, eventType: type };
  });
}
