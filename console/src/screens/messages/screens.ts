import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of messages, by their path in the project. */
export const messagesScreens = [
  ['/messages', lazyRouteComponent(() => import('./Messages.tsx'), 'Messages')],
  ['/messages/sent', lazyRouteComponent(() => import('./SentMessages.tsx'), 'SentMessages')],
  ['/messages/$template', lazyRouteComponent(() => import('./Template.tsx'), 'Template')],
  ['/inbox', lazyRouteComponent(() => import('./Inbox.tsx'), 'Inbox')],
] as const;
