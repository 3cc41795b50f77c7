import type { Scope, TxCtx } from '#platform/ctx.ts';
import { addJob } from '#platform/jobs.ts';

declare module '#platform/jobs.ts' {
  interface Jobs {
    sync_payment: { scope: Scope };
    end_payment: { reference: string };
  }
}

/**
 * Queues an update of the payment provider, which runs after the commit and is retried: a customer's decision never
 * waits for the provider.
 */
export async function syncPayment(tx: TxCtx, { payment }: { payment: 'manual' | 'stripe' }): Promise<void> {
  if (payment === 'stripe')
    await addJob(tx, 'sync_payment', { scope: tx.scope }, { key: `sync_payment ${Object.values(tx.scope).join(' ')}` });
}

/**
 * Queues the end of a surplus subscription at the provider.
 * @param reference the provider's id of it
 */
export async function endSurplus(tx: TxCtx, reference: string): Promise<void> {
  await addJob(tx, 'end_payment', { reference }, { key: `end_payment ${reference}` });
}
