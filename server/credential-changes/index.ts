export { ENDED_BY, endWithCredentials } from './credential-changes.ts';
export { voidOpenProofs, whenProofsEnd } from './open-proofs.ts';
