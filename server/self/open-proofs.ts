import { forgetCodesOf } from '#exchange';
import { whenProofsEnd } from '#factors';
import { forgetUpstreamFlowsOf } from '#federation';
import { endChallenges } from '#mfa-challenges';
import type { System } from '#platform/system.ts';
import { voidAddressChallengesOf } from '#proofs';

/** The proofs that this part keeps end when a person's credentials change. */
export function voidProofsWithCredentials(system: System): void {
  whenProofsEnd(system, async (tx, userId) => {
    await voidAddressChallengesOf(tx, userId);
    await endChallenges(tx, userId);
    await forgetCodesOf(tx, userId);
    await forgetUpstreamFlowsOf(tx, userId);
  });
}
