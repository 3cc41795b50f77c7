import { whenProofsEnd } from '#identity';
import type { System } from '#platform/system.ts';
import { forgetCodesOf } from './exchange-codes.ts';
import { voidFlowsOf } from './flows-of-person.ts';
import { endChallenges } from './mfa-challenges.ts';
import { forgetUpstreamFlowsOf } from './social.ts';

/** The proofs that this part keeps end when a person's credentials change. */
export function voidProofsWithCredentials(system: System): void {
  whenProofsEnd(system, async (tx, userId) => {
    await voidFlowsOf(tx, userId);
    await endChallenges(tx, userId);
    await forgetCodesOf(tx, userId);
    await forgetUpstreamFlowsOf(tx, userId);
  });
}
