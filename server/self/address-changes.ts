import { findIdentifier } from '#identifiers';
import { credentialChanged } from '#notices';
import { replaceAddress } from '#people';
import { type Ctx, customerOf } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { type AddressChallengeId, digitsOf, startAddressChallenge, withProof } from '#proofs';
import { addressProven } from '#sign-in';

/**
 * Sends a code to a new address of the signed-in user, or to their current unverified one. For a taken address the
 * response is the same, and its owner is notified.
 * @param address normalised
 * @throws Problem RATE_LIMIT_EXCEEDED
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

/**
 * Changes the address, or marks it as verified, with the code.
 * @throws Problem INVALID_CODE, ALREADY_EXISTS
 */
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
    // The old address is notified, so that its owner can react to a change by somebody else.
    await credentialChanged(tx, userId, kind, kind === 'email' && before !== null ? before : undefined);
  });
}
