import { Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import { projectOf } from '#tenancy';
import { hintOf, type NewAddressChallenge } from './address-challenges.ts';
import { AddressChallengeId } from './proofs.ts';

/** The answer that asks for a code before a session is given. */
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

/** Asks for the proof of an address that a challenge was begun for. */
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
