export { part } from './part.ts';
export {
  beginRegistration,
  createdByRegistration,
  finishedRegistration,
  provenRegistration,
  removeRegistrationsOf,
} from './registrations.ts';
