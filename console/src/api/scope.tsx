import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { type Api, apiFor, type Client, clientFor, type Scope } from './client.ts';
import { problemOf } from './problem.ts';
import { useSession } from './session.ts';

type Scoped = { scope: Scope; api: Api; queries: QueryClient };

/** Every scope has its own cache, so data of two projects or environments can't be mixed up. */
const known = new Map<string, Scoped>();

const keyOf = ({ workspaceId, projectId, environment }: Scope) => [workspaceId, projectId, environment].join('/');

function scoped(scope: Scope): Scoped {
  const key = keyOf(scope);
  const found = known.get(key) ?? { scope, api: apiFor(scope), queries: newQueries() };
  known.set(key, found);
  return found;
}

function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // Only network failures and server errors are retried.
        retry: (count, error) => {
          const { status } = problemOf(error);
          return count < 2 && (status === 0 || status >= 500);
        },
      },
    },
  });
}

/** Invalidates cached data of a workspace after a change in one of its projects. */
export function reloadWorkspace(workspaceId: string): Promise<void> {
  return scoped({ workspaceId, projectId: null, environment: null }).queries.invalidateQueries();
}

const ScopeContext = createContext<Scoped | null>(null);

/** Children call the API in this scope. They are remounted when the scope changes, because query observers stay with their cache. */
export function ScopeProvider({ scope, children }: { scope: Scope; children: ReactNode }) {
  const value = scoped(scope);
  return (
    <QueryClientProvider key={keyOf(scope)} client={value.queries}>
      <ScopeContext value={value}>{children}</ScopeContext>
    </QueryClientProvider>
  );
}

/** @throws Error if no workspace is open */
function useScoped(): Scoped {
  const value = use(ScopeContext);
  if (!value) throw new Error('No workspace is open.');
  return value;
}

export const useApi = (): Api => useScoped().api;
export const useScope = (): Scope => useScoped().scope;

/** The client for requests outside of queries, such as all pages of a list. */
export const useClient = (): Client => clientFor(useScope());

/** Whether the operator has a permission in the open workspace. */
export function useCan(permission: string): boolean {
  const { workspaceId } = useScope();
  const { workspaces, installation } = useSession();
  const here = workspaces.find(({ id }) => id === workspaceId);
  return (here?.permissions.includes(permission) ?? false) || installation.permissions.includes(permission);
}
