import { useEffect } from 'react';

/** The options of a list that is read page by page. */
export const pages = {
  pageParamName: 'cursor',
  // Null omits the cursor; undefined would become 0.
  initialPageParam: null,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor,
};

/** The parameters of the largest page. */
export const params = { query: { limit: 100 } };

type Paged<T> = {
  data: { pages: readonly { items: readonly T[] }[] } | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  hasNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
  refetch: () => Promise<unknown>;
};

/** Loads every page before it returns data; for lists that are shown, ordered or searched as a whole. */
export function useWhole<T>({ data, error, isPending, isFetching, hasNextPage, fetchNextPage, refetch }: Paged<T>) {
  useEffect(() => {
    if (hasNextPage && !isFetching) fetchNextPage().catch(() => undefined);
  }, [hasNextPage, isFetching, fetchNextPage]);
  const items = data && !hasNextPage ? data.pages.flatMap((page) => page.items) : undefined;
  return { data: items, error, isPending: isPending || (hasNextPage && !error), refetch };
}
