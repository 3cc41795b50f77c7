export {
  admit,
  deviceOfSession,
  refusal,
  requireAdmitted,
  requireStillAdmitted,
} from './admission.ts';
export {
  type Decision,
  isAnotherThan,
  isOfOrganization,
  mustBeLookedAtAgain,
} from './decision.ts';
export { ENTRANCES, type Entrance } from './entrances.ts';
export { part } from './part.ts';
