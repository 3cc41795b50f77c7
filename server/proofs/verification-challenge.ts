import { Type } from 'typebox';
import { projectOf } from '#environments';
import type { Ctx } from '#platform/ctx.ts';
import { hintOf, type NewAddressChallenge } from './address-challenges.ts';
import { AddressChallengeId } from './proofs.ts';

/** The response that requires a code before there is a session. */
export const VerificationChallenge = Type.Object(
  {
    status: Type.Literal('verification_required'),
    flowId: AddressChallengeId,
    channel: Type.Enum(['email', 'phone']),
    hint: Type.String({ description: 'The address, mostly hidden.' }),
    expiresIn: Type.Integer({ description: 'Seconds.' }),
  },
  { title: 'VerificationChallenge' },
);

/** The response that asks for the proof of a challenge's address. */
export async function verificationChallenge(
  { system, scope }: Pick<Ctx, 'system' | 'scope'>,
  challenge: Pick<NewAddressChallenge, 'channel' | 'address'>,
  started: { flowId: AddressChallengeId },
) {
  const { settings } = await projectOf(system, scope);
  return {
    status: 'verification_required' as const,
    flowId: started.flowId,
    channel: challenge.channel,
    hint: hintOf(challenge.address),
    expiresIn: settings.oneTimeCodeSeconds,
  };
}
