import { emit } from '#events';
import { markVerified } from '#identity';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { problem } from '#platform/problem.ts';
import type { Purpose } from './flow-messages.ts';
import { type Proof, type ProvenFlow, withProof } from './flows.ts';
import { finishRegistration } from './register.ts';
import { answerOf, type SignedIn, type SignInAnswer, signIn } from './sign-in.ts';

/** What a proof of an address may finish here. */
const VERIFYING: readonly Purpose[] = ['register', 'verify_email'];

/**
 * Proves an address with the code or link that was sent to it, and signs in.
 * @throws Problem INVALID_CODE, INVALID_TOKEN, ALREADY_EXISTS, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function verifyAddress(ctx: Ctx, proof: Proof, deviceToken?: string): Promise<SignInAnswer> {
  const result = await withProof(ctx, { proof, purposes: VERIFYING }, (tx, flow) =>
    flow.purpose === 'register' ? finishRegistration(tx, flow) : confirmAddress(tx, flow, deviceToken),
  );
  return answerOf(ctx, result);
}

/** The password was right when the flow was opened; now the address is proven too. An email code is no second factor (AU-5). */
async function confirmAddress(tx: TxCtx, flow: ProvenFlow, deviceToken?: string): Promise<SignedIn> {
  if (flow.userId === null) throw problem('INVALID_CODE');
  await addressProven(tx, { ...flow, userId: flow.userId });
  return signIn(tx, flow.userId, { entrance: 'verified_address', amr: ['pwd', 'otp'], acr: 'aal1' }, { deviceToken });
}

/** Notes that an address was proven, if it is still the person's and was not before. */
export async function addressProven(
  tx: TxCtx,
  { userId, channel, address }: Pick<ProvenFlow, 'channel' | 'address'> & { userId: NonNullable<ProvenFlow['userId']> },
): Promise<void> {
  if (!(await markVerified(tx, userId, address))) return;
  if (channel === 'email') await emit(tx, 'user.email.verified', { userId, email: address });
  else await emit(tx, 'user.phone.verified', { userId });
  await announce(tx, { topic: 'user', key: userId });
}
