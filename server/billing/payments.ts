import { type Ctx, transaction } from '#platform/ctx.ts';
import { type AddOnStatus, addOnStatus, subscribe } from './subscriptions.ts';

/** Subscribes or changes the tier. @returns where to pay first, if anywhere, and where the add-on stands */
export async function startSubscription(
  ctx: Ctx,
  tierId: string,
): Promise<AddOnStatus & { checkoutUrl: string | null }> {
  return transaction(ctx, async (tx) => {
    await subscribe(tx, tierId);
    return { ...(await addOnStatus(tx)), checkoutUrl: null };
  });
}
