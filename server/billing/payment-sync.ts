import type { Scope, TxCtx } from '#platform/ctx.ts';
import { addJob } from '#platform/jobs.ts';

declare module '#platform/jobs.ts' {
  interface Jobs {
    sync_payment: { scope: Scope };
    end_payment: { reference: string };
  }
}

/**
 * Has the payment provider brought to what is agreed here, after the commit and as often as it takes: what a customer decides
 * never waits for the provider.
 */
export async function syncPayment(tx: TxCtx, { payment }: { payment: 'manual' | 'stripe' }): Promise<void> {
  if (payment === 'stripe')
    await addJob(tx, 'sync_payment', { scope: tx.scope }, { key: `sync_payment ${Object.values(tx.scope).join(' ')}` });
}

/** Has a subscription ended at the provider that is one too many. @param reference the provider's name for it */
export async function endSurplus(tx: TxCtx, reference: string): Promise<void> {
  await addJob(tx, 'end_payment', { reference }, { key: `end_payment ${reference}` });
}
