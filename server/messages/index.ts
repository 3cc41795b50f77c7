export { listInbox, readInbox, type SentMessage } from './inbox.ts';
export { messageRoutes } from './messages.admin.ts';
export { sendMessageTask } from './messages.task.ts';
export { forgetMessages, languageFor, messagesTo, sendMessage } from './messages.ts';
export type { CredentialChange } from './templates.ts';
