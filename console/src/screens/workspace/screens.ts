import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of the workspace and its projects, by their path in the workspace. */
export const workspaceScreens = [
  ['/', lazyRouteComponent(() => import('./Projects.tsx'), 'Projects')],
  ['/projects', lazyRouteComponent(() => import('./Projects.tsx'), 'Projects')],
  ['/team', lazyRouteComponent(() => import('./Team.tsx'), 'Team')],
  ['/workspace', lazyRouteComponent(() => import('./WorkspaceSettings.tsx'), 'WorkspaceSettings')],
] as const;

/** The screens of the workspace and its projects, by their path in the project. */
export const projectSettingsScreens = [
  ['/settings', lazyRouteComponent(() => import('./ProjectSettings.tsx'), 'ProjectSettings')],
] as const;
