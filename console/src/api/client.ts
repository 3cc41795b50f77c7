import createFetchClient, { type Client } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import type { paths as Paths } from './schema.ts';
import { carry } from './transport.ts';

export type Environment = 'test' | 'production';
export type Api = ReturnType<typeof createQueryClient<Paths>>;

/** What a call is about. A part that is null is left out: the session needs none, a workspace's pages need only that. */
export type Scope = { workspaceId: string | null; projectId: string | null; environment: Environment | null };

const NOWHERE: Scope = { workspaceId: null, projectId: null, environment: null };

/** The headers that say where a call is made. */
export function headersOf(scope: Scope): Record<string, string> {
  const headers: Record<string, string> = {};
  if (scope.workspaceId) headers['X-Workspace-Id'] = scope.workspaceId;
  if (scope.projectId) headers['X-Project-Id'] = scope.projectId;
  if (scope.environment) headers['X-Environment'] = scope.environment;
  return headers;
}

/** Calls the console API of one scope; the scope headers, the CSRF token and a renewed session are its own business. */
export function clientFor(scope: Scope): Client<Paths> {
  return createFetchClient<Paths>({ baseUrl: window.location.origin, headers: headersOf(scope), fetch: carry });
}

/** The same, as hooks. */
export function apiFor(scope: Scope): Api {
  return createQueryClient(clientFor(scope));
}

export const anywhere = clientFor(NOWHERE);
