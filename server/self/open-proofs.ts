import { whenProofsEnd } from '#credential-changes';
import { forgetCodesOf } from '#exchange';
import { forgetUpstreamFlowsOf } from '#federation';
import { endChallenges } from '#mfa-challenges';
import type { System } from '#platform/system.ts';
import { voidAddressChallengesOf } from '#proofs';

/** Ends this part's proofs when a user's credentials change. */
export function voidProofsWithCredentials(system: System): void {
  whenProofsEnd(system, async (tx, userId) => {
    await voidAddressChallengesOf(tx, userId);
    await endChallenges(tx, userId);
    await forgetCodesOf(tx, userId);
    await forgetUpstreamFlowsOf(tx, userId);
  });
}
