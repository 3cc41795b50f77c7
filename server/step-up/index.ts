export { reauthenticationRequired, requireFreshProof, requireOwnProof } from './step-up.ts';
