import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import type { paths as Paths } from './schema.ts';
import { carry } from './transport.ts';

export type Environment = 'test' | 'production';
export type Api = ReturnType<typeof createQueryClient<Paths>>;
export type Client = FetchClient<Paths>;

/** The scope of a request. Null parts are omitted: the session needs none, pages of a workspace need only the workspace. */
export type Scope = { workspaceId: string | null; projectId: string | null; environment: Environment | null };

const NOWHERE: Scope = { workspaceId: null, projectId: null, environment: null };

/** The headers that name the scope of a request. */
export function headersOf(scope: Scope): Record<string, string> {
  const headers: Record<string, string> = {};
  if (scope.workspaceId) headers['X-Workspace-Id'] = scope.workspaceId;
  if (scope.projectId) headers['X-Project-Id'] = scope.projectId;
  if (scope.environment) headers['X-Environment'] = scope.environment;
  return headers;
}

/** A client of the console API for one scope. It adds the scope headers and the CSRF token, and renews the session. */
export function clientFor(scope: Scope): Client {
  return createFetchClient<Paths>({ baseUrl: window.location.origin, headers: headersOf(scope), fetch: carry });
}

/** The client as hooks. */
export function apiFor(scope: Scope): Api {
  return createQueryClient(clientFor(scope));
}

export const anywhere = clientFor(NOWHERE);

/** @throws the problem of a request that failed */
export async function dataOf<T>(response: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await response;
  if (data === undefined) throw error;
  return data;
}
