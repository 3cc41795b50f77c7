import { credentialChanged } from '#notices';
import { findIdentifier, replaceAddress } from '#people';
import { type Ctx, customerOf } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { type AddressChallengeId, digitsOf, startAddressChallenge, withProof } from '#proofs';
import { addressProven } from '#sign-in';

/**
 * Sends a code to an address that shall become the signed-in person's, or is and was not proven yet; the same for one that is
 * taken, whose owner hears of it.
 * @param address normalised @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function startAddressChange(ctx: Ctx, address: { kind: 'email' | 'phone'; value: string }) {
  const { userId } = customerOf(ctx);
  const owner = await findIdentifier(ctx, address);
  const possible = !owner || (owner.userId === userId && !owner.verified);
  return startAddressChallenge(ctx, {
    purpose: address.kind === 'email' ? 'change_email' : 'change_phone',
    channel: address.kind,
    address: address.value,
    userId,
    ...(!possible && { decoy: { tell: owner.userId !== userId } }),
  });
}

/** Changes the address, or notes that it is proven, with the code. @throws Problem INVALID_CODE, ALREADY_EXISTS */
export async function finishAddressChange(
  ctx: Ctx,
  kind: 'email' | 'phone',
  { flowId, code }: { flowId: AddressChallengeId; code: string },
): Promise<void> {
  const { userId } = customerOf(ctx);
  const purpose = kind === 'email' ? 'change_email' : 'change_phone';
  await withProof(ctx, { proof: { flowId, code: digitsOf(code) }, purposes: [purpose] }, async (tx, challenge) => {
    if (challenge.userId !== userId) throw problem('INVALID_CODE');
    const owner = await findIdentifier(tx, { kind, value: challenge.address });
    if (owner?.userId === userId) {
      await addressProven(tx, { userId, channel: kind, address: challenge.address }, 'holder');
      return;
    }
    const before = await replaceAddress(tx, userId, { kind, value: challenge.address });
    // The address before is told, so that its owner can act on a change somebody else made.
    await credentialChanged(tx, userId, kind, kind === 'email' && before !== null ? before : undefined);
  });
}
