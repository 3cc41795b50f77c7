export { type Arrival, receiverOfMessage } from './arrivals.ts';
export { listInbox, readInbox, type SentMessage } from './inbox.ts';
export { type Arrived, openSending } from './messages.task.ts';
export {
  countMessages,
  languageFor,
  messageStatuses,
  messagesTo,
  removeMessages,
  sendMessage,
} from './messages.ts';
export { part } from './part.ts';
export { previewMessage } from './previews.ts';
export { type CredentialChange, TemplateId } from './templates.ts';
