import { emit } from '#events';
import { markVerified } from '#identity';
import type { TxCtx } from '#platform/ctx.ts';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { problem } from '#platform/problem.ts';
import { type SessionAnswer, sessionAnswer } from '#sessions';
import { finishRegistration } from './register.ts';
import { signIn } from './sign-in.ts';
import { checkCode, type FlowId, type ProvenFlow, spendFlow } from './verifications.ts';

/**
 * Proves an address with the code that was mailed to it, and signs in.
 * @throws Problem INVALID_CODE, ALREADY_EXISTS, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function verifyEmail(ctx: Ctx, flowId: FlowId, code: string): Promise<SessionAnswer> {
  await checkCode(ctx, flowId, code);
  const { entry, refresh } = await transaction(ctx, async (tx) => {
    const flow = await spendFlow(tx, flowId);
    return flow.purpose === 'register' ? finishRegistration(tx, flow.pending) : confirmAddress(tx, flow);
  });
  return sessionAnswer(ctx, entry, refresh);
}

/** The password was right when the flow was opened; now the address is proven too. An email code is no second factor (AU-5). */
async function confirmAddress(tx: TxCtx, flow: ProvenFlow) {
  if (flow.userId === null) throw problem('INVALID_CODE');
  if (await markVerified(tx, flow.userId, flow.address)) {
    await emit(tx, 'user.email.verified', { userId: flow.userId, email: flow.address });
    await announce(tx, { topic: 'user', key: flow.userId });
  }
  return signIn(tx, flow.userId, { amr: ['pwd', 'otp'], acr: 'aal1' });
}
