export { ENDED_BY, endWithCredentials } from './credential-changes.ts';
export { voidOpenProofs } from './open-proofs.ts';
