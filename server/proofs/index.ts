export type { Purpose } from './flow-messages.ts';
export {
  FlowStarted,
  hintOf,
  lookAtLink,
  type NewFlow,
  openFlow,
  type ProvenFlow,
  projectOfLink,
  requireProvable,
  resendFlow,
  startFlow,
  withProof,
} from './flows.ts';
export { flowsOf, forgetFlowsOf, voidFlowsOf } from './flows-of-person.ts';
export { proofsPart } from './part.ts';
export { digitsOf, FlowId, type LinkProof, OneTimeCode, type Proof, proofFields, proofOf } from './proofs.ts';
export { VerificationChallenge, verificationChallenge } from './verification-challenge.ts';
