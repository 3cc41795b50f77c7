import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of log streams, by their path in the workspace. */
export const logStreamsOfWorkspaceScreens = [
  ['/team/log-streams', lazyRouteComponent(() => import('./LogStreams.tsx'), 'LogStreams')],
  ['/team/log-streams/$id', lazyRouteComponent(() => import('./LogStream.tsx'), 'LogStream')],
] as const;

/** The screens of log streams, by their path in the project. */
export const logStreamsScreens = [
  ['/log-streams', lazyRouteComponent(() => import('./LogStreams.tsx'), 'LogStreams')],
  ['/log-streams/$id', lazyRouteComponent(() => import('./LogStream.tsx'), 'LogStream')],
] as const;
