import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { newId } from '#platform/ids.ts';
import { requireReceiver } from '#platform/receiver-address.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { newSecret, sealSecret } from '#platform/signing-secrets.ts';
import { SECRET_PURPOSE } from './endpoint-rules.ts';
import type { EndpointId } from './endpoints.ts';
import { type NewDelivery, queueDeliveries } from './queue.ts';

/** A receiver of another part, identified by `key` within its `purpose`, such as a status subscriber. */
type ReceiverKey = { purpose: string; key: string };
type Message = { type: string; body: Record<string, unknown>; id?: `evt_${string}` };

/**
 * Checks the address of a future receiver. Call it before the transaction, because it uses DNS.
 * @throws Problem VALIDATION_FAILED
 */
export function checkReceiverAddress(ctx: Pick<Ctx, 'system' | 'scope'>, url: string): Promise<void> {
  return requireReceiver(ctx, url);
}

/**
 * Creates a receiver or changes its address. Deliveries to it are signed, retried and limited like those of webhook
 * endpoints, but it appears in no list and receives no events by itself.
 * @returns its signing secret if it is new, to be shown once; otherwise null
 */
export async function putReceiver(tx: TxCtx, { purpose, key }: ReceiverKey, url: string): Promise<string | null> {
  return (await putReceivers(tx, purpose, new Map([[key, url]]))).get(key)?.secret ?? null;
}

/**
 * Locks rows in the order of their keys, so that concurrent transactions can't deadlock.
 * @param addresses by key
 */
async function putReceivers(
  tx: TxCtx,
  purpose: string,
  addresses: ReadonlyMap<string, string>,
): Promise<Map<string, { id: EndpointId; secret: string | null }>> {
  const wanted = [...addresses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, url]) => ({ key, url, id: newId('whe', tx.now), secret: newSecret() }));
  const stored = await tx.db
    .insertInto('webhook_endpoints')
    .values(
      wanted.map(({ key, url, id, secret }) => ({
        ...scopeColumns(tx),
        id,
        purpose,
        key,
        url,
        description: '',
        events: [],
        headers_sealed: null,
        secrets: JSON.stringify([
          sealSecret(tx.system.keyring, secret, { purpose: SECRET_PURPOSE, recordId: id, now: tx.now }),
        ]),
        enabled: true,
        disabled_reason: null,
        failing_since: null,
        paused_until: null,
        created_at: tx.now,
        updated_at: tx.now,
        deleted_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'project_id', 'environment', 'purpose', 'key'])
        .where('key', 'is not', null)
        .doUpdateSet((eb) => ({
          url: eb.ref('excluded.url'),
          enabled: true,
          disabled_reason: null,
          failing_since: null,
          updated_at: tx.now,
        })),
    )
    .returning(['id', 'key'])
    .execute();
  const ids = new Map(stored.map(({ id, key }) => [key, id]));
  return new Map(
    wanted.flatMap(({ key, id: fresh, secret }) => {
      const id = ids.get(key);
      return id === undefined ? [] : [[key, { id, secret: id === fresh ? secret : null }]];
    }),
  );
}

/**
 * Creates or updates receivers like {@link putReceiver} and queues one delivery per message like {@link sendTo}, with
 * three statements in total.
 * @param messages `url`: the current address of the receiver with that key
 */
export async function sendToAddresses(
  tx: TxCtx,
  purpose: string,
  messages: readonly { key: string; url: string; type: string; body: Record<string, unknown> }[],
): Promise<void> {
  if (messages.length === 0) return;
  const receivers = await putReceivers(tx, purpose, new Map(messages.map(({ key, url }) => [key, url])));
  await queueDeliveries(
    tx,
    messages.flatMap(({ key, type, body }) => {
      const receiver = receivers.get(key);
      return receiver ? [deliveryTo(tx, receiver.id, { type, body })] : [];
    }),
  );
}

/**
 * Queues one signed delivery to a receiver, in the caller's transaction: it is made if, and only if, the transaction
 * commits.
 * @param message `body`: the JSON to send; `id`: its `webhook-id`, generated if absent; a repeated message keeps its id
 * @returns false if there is no such receiver, or if it was disabled: after failing for five days, or after a 410
 */
export async function sendTo(tx: TxCtx, { purpose, key }: ReceiverKey, message: Message): Promise<boolean> {
  const receiver = await scopedReceiver(tx, { purpose, key }).select(['id', 'enabled']).executeTakeFirst();
  if (!receiver?.enabled) return false;
  await queueDeliveries(tx, [deliveryTo(tx, receiver.id, message)]);
  return true;
}

function deliveryTo({ scope, now }: TxCtx, endpointId: EndpointId, { id, type, body }: Message): NewDelivery {
  const eventId = id ?? newId('evt', now);
  return { scope, endpointId, eventId, eventType: type, body: JSON.stringify(body), trigger: 'event' };
}

/** Removes a receiver; its waiting deliveries are dropped. */
export async function deleteReceiver(tx: TxCtx, { purpose, key }: ReceiverKey): Promise<void> {
  await tx.db
    .updateTable('webhook_endpoints')
    // Frees the key for a new receiver.
    .set({ enabled: false, deleted_at: tx.now, updated_at: tx.now, secrets: '[]', key: null })
    .where(inScope(tx))
    .where('purpose', '=', purpose)
    .where('key', '=', key)
    .execute();
}

function scopedReceiver(tx: TxCtx, { purpose, key }: ReceiverKey) {
  return tx.db
    .selectFrom('webhook_endpoints')
    .where(inScope(tx))
    .where('purpose', '=', purpose)
    .where('key', '=', key)
    .where('deleted_at', 'is', null);
}
