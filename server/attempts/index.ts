import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export { inEvenTime } from './even-time.ts';
export { newProofChallenge, ProofChallenge, proofField, requireProof } from './proof-of-work.ts';
export { COUNTERS, type CountedAttempt, countAttempt, countMessage, type Way } from './throttle.ts';

export const part = {
  removals: [rowsOfWorkspace('spent_proofs')],
  cleanUps: { 'expired spent proofs': expiredRowsOf('spent_proofs') },
} satisfies Part;
