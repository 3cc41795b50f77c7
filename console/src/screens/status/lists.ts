import { useEffect } from 'react';
import type { StatusComponent, StatusGroup } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';

const params = { query: { limit: 100 } };
const pages = {
  pageParamName: 'cursor',
  // Null leaves the cursor out; undefined would become 0.
  initialPageParam: null,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor,
};

/** All components of the status, in their order: two pages at most. */
export function useStatusComponents() {
  return useWhole<StatusComponent>(
    useApi().useInfiniteQuery('get', '/console/v1/status/components', { params }, pages),
  );
}

/** All groups of the status, in their order. */
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

/** Reads page after page, and has data once all are there: what is put in order must be whole. */
function useWhole<T>({ data, error, isPending, isFetching, hasNextPage, fetchNextPage, refetch }: Paged<T>) {
  useEffect(() => {
    if (hasNextPage && !isFetching) fetchNextPage().catch(() => undefined);
  }, [hasNextPage, isFetching, fetchNextPage]);
  const items = data && !hasNextPage ? data.pages.flatMap((page) => page.items) : undefined;
  return { data: items, error, isPending: isPending || (hasNextPage && !error), refetch };
}
