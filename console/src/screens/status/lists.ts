import { useEffect } from 'react';
import type { StatusComponent, StatusGroup } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';

const params = { query: { limit: 100 } };
const pages = {
  pageParamName: 'cursor',
  // Null omits the cursor; undefined would become 0.
  initialPageParam: null,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor,
};

/** All components in order; at most two pages. */
export function useStatusComponents() {
  return useWhole<StatusComponent>(
    useApi().useInfiniteQuery('get', '/console/v1/status/components', { params }, pages),
  );
}

/** All groups in order. */
export function useStatusGroups() {
  return useWhole<StatusGroup>(useApi().useInfiniteQuery('get', '/console/v1/status/groups', { params }, pages));
}

type Paged<T> = {
  data: { pages: readonly { items: readonly T[] }[] } | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  hasNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
  refetch: () => Promise<unknown>;
};

/** Loads every page before it returns data, because ordering needs the complete list. */
function useWhole<T>({ data, error, isPending, isFetching, hasNextPage, fetchNextPage, refetch }: Paged<T>) {
  useEffect(() => {
    if (hasNextPage && !isFetching) fetchNextPage().catch(() => undefined);
  }, [hasNextPage, isFetching, fetchNextPage]);
  const items = data && !hasNextPage ? data.pages.flatMap((page) => page.items) : undefined;
  return { data: items, error, isPending: isPending || (hasNextPage && !error), refetch };
}
