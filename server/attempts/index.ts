export { inEvenTime } from './even-time.ts';
export { part } from './part.ts';
export { newProofChallenge, ProofChallenge, proofField, requireProof } from './proof-of-work.ts';
export { COUNTERS, type CountedAttempt, countAttempt, countMessage, type Way } from './throttle.ts';
