import { useParams, useRouterState } from '@tanstack/react-router';
import type { Environment } from '#api/client.ts';

/** The current location in the console. */
export type Here = { workspace: string; project: string | null; environment: Environment | null };

type Params = { workspace?: string; project?: string; environment?: string };

export function useHere(): Here {
  const { workspace = '', project, environment }: Params = useParams({ strict: false });
  return { workspace, project: project ?? null, environment: environmentOf(environment) };
}

export function environmentOf(text: string | undefined): Environment | null {
  return text === 'test' || text === 'production' ? text : null;
}

/** Builds paths within the open project and environment. */
export function useAt(): (path: string) => string {
  const { workspace, project, environment } = useHere();
  return (path) => `/${workspace}/${project}/${environment}${path}`;
}

/** The same screen in another project or environment; for a single record, its list. */
export function useSameScreen(): (project: string, environment: Environment) => string {
  const { workspace } = useHere();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const [, , screen = ''] = /^\/[^/]+\/[^/]+\/(test|production)\/([a-z-]+)/.exec(pathname) ?? [];
  return (project, environment) => `/${workspace}/${project}/${environment}${screen === '' ? '' : `/${screen}`}`;
}

const KEY = 'latchkey-console-place';

export function rememberPlace(here: Here): void {
  if (here.project && here.environment)
    localStorage.setItem(KEY, `/${here.workspace}/${here.project}/${here.environment}`);
}

/** Forgets the last place, so that nobody returns to a deleted project. */
export function dropPlace(): void {
  localStorage.removeItem(KEY);
}

/** The last place of the operator, if they are still in that workspace's team. */
export function lastPlace(workspaces: readonly { id: string }[]): string | null {
  const place = localStorage.getItem(KEY);
  return workspaces.some(({ id }) => place?.startsWith(`/${id}/`)) ? place : null;
}
