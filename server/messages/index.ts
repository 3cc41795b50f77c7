export { listInbox, readInbox, type SentMessage } from './inbox.ts';
export { messageRoutes } from './messages.admin.ts';
export { openSending, type Refused } from './messages.task.ts';
export {
  forgetMessages,
  languageFor,
  messageStatuses,
  messagesTo,
  sendMessage,
} from './messages.ts';
export { messagesPart } from './part.ts';
export { receiptRoutes } from './receipts.public.ts';
export type { CredentialChange } from './templates.ts';
