export { reauthenticationRequired, requireFreshProof } from './step-up.ts';
