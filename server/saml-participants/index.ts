export { part } from './part.ts';
export {
  hasParticipants,
  keepParticipant,
  type Participant,
  sessionsNamed,
  takeParticipants,
  useUpRequest,
} from './participants.ts';
export { beginRound, newRoundState, nextStep, noteResponse, roundPath } from './rounds.ts';
