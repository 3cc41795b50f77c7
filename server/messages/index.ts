export { listInbox, readInbox, type SentMessage } from './inbox.ts';
export { openSending, type Refused } from './messages.task.ts';
export {
  forgetMessages,
  languageFor,
  messageStatuses,
  messagesTo,
  sendMessage,
} from './messages.ts';
export { messagesPart } from './part.ts';
export { routes } from './routes.ts';
export type { CredentialChange } from './templates.ts';
