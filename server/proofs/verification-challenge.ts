import { Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import { projectOf } from '#tenancy';
import { hintOf, type NewFlow } from './flows.ts';
import { FlowId } from './proofs.ts';

/** The answer that asks for a code before a session is given. */
export const VerificationChallenge = Type.Object(
  {
    status: Type.Literal('verification_required'),
    flowId: FlowId,
    channel: Type.Enum(['email', 'phone']),
    hint: Type.String({ description: 'The address, mostly hidden.' }),
    expiresIn: Type.Integer({ description: 'Seconds.' }),
  },
  { title: 'VerificationChallenge' },
);

/** Asks for the proof of an address that a flow was begun for. */
export async function verificationChallenge(
  { system, scope }: Pick<Ctx, 'system' | 'scope'>,
  flow: Pick<NewFlow, 'channel' | 'address'>,
  started: { flowId: FlowId },
) {
  const { settings } = await projectOf(system, scope);
  return {
    status: 'verification_required' as const,
    flowId: started.flowId,
    channel: flow.channel,
    hint: hintOf(flow.address),
    expiresIn: settings.oneTimeCodeSeconds,
  };
}
