export { COUNTERS, type Way, ways } from './counters.ts';
export { inEvenTime } from './even-time.ts';
export { part } from './part.ts';
export { newProofChallenge, ProofChallenge, proofField, requireProof } from './proof-of-work.ts';
export { type CountedAttempt, countAttempt, countMessage } from './throttle.ts';
export { throttledAt, unlock } from './throttled.ts';
