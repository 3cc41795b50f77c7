export { listInbox, readInbox, type SentMessage } from './inbox.ts';
export { messageRoutes } from './messages.admin.ts';
export { openSending, type Refused } from './messages.task.ts';
export {
  forgetMessages,
  forgetOldMessages,
  languageFor,
  messageStatuses,
  messagesTo,
  sendMessage,
} from './messages.ts';
export { receiptRoutes } from './receipts.public.ts';
export { messageRemovals } from './removal.ts';
export type { CredentialChange } from './templates.ts';
export { settleAbandoned } from './texts.ts';
