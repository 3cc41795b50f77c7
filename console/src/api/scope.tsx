import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { type Api, apiFor, type Scope } from './client.ts';
import { problemOf } from './problem.ts';
import { useSession } from './session.ts';

type Scoped = { scope: Scope; api: Api; queries: QueryClient };

/** A cache of its own for every scope: the data of two projects or environments can never be mixed up. */
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
        // An answer that says why it is refused is not asked for again.
        retry: (count, error) => {
          const { status } = problemOf(error);
          return count < 2 && (status === 0 || status >= 500);
        },
      },
    },
  });
}

/** Has what is known of a workspace read again, after a change that was made in one of its projects. */
export function rereadWorkspace(workspaceId: string): Promise<void> {
  return scoped({ workspaceId, projectId: null, environment: null }).queries.invalidateQueries();
}

const ScopeContext = createContext<Scoped | null>(null);

/** Everything inside calls the API in this scope. In another scope it begins anew: what observes a cache keeps to that one. */
export function ScopeProvider({ scope, children }: { scope: Scope; children: ReactNode }) {
  const value = scoped(scope);
  return (
    <QueryClientProvider key={keyOf(scope)} client={value.queries}>
      <ScopeContext value={value}>{children}</ScopeContext>
    </QueryClientProvider>
  );
}

/** @throws Error outside a workspace */
function useScoped(): Scoped {
  const value = use(ScopeContext);
  if (!value) throw new Error('No workspace is open.');
  return value;
}

export const useApi = (): Api => useScoped().api;
export const useScope = (): Scope => useScoped().scope;

/** Whether the operator may do something in the workspace that is open. */
export function useCan(permission: string): boolean {
  const { workspaceId } = useScope();
  const { workspaces, installation } = useSession();
  const here = workspaces.find(({ id }) => id === workspaceId);
  return (here?.permissions.includes(permission) ?? false) || installation.permissions.includes(permission);
}
