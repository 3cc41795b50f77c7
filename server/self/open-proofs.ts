import { whenProofsEnd } from '#credential-changes';
import { removeCodesOf } from '#exchange';
import { removeUpstreamFlowsOf } from '#federation';
import { endChallenges } from '#mfa-challenges';
import type { System } from '#platform/system.ts';
import { voidAddressChallengesOf } from '#proofs';

/** Ends this part's proofs when a user's credentials change. */
export function voidProofsWithCredentials(system: System): void {
  whenProofsEnd(system, async (tx, userId) => {
    await voidAddressChallengesOf(tx, userId);
    await endChallenges(tx, userId);
    await removeCodesOf(tx, userId);
    await removeUpstreamFlowsOf(tx, userId);
  });
}
