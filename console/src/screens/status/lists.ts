import type { StatusComponent, StatusGroup } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { pages, params, useWhole } from '#api/whole.ts';

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
