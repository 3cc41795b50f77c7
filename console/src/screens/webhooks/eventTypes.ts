import type { EventType } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { pages, params, useWhole } from '#api/whole.ts';

const NONE: readonly EventType[] = [];

/** The whole catalogue of event types. */
export function useCatalogue({ enabled = true } = {}) {
  return useWhole<EventType>(
    useApi().useInfiniteQuery(
      'get',
      '/console/v1/webhooks/event-types',
      { params },
      { ...pages, staleTime: 600_000, enabled },
    ),
  );
}

/** The event types, and with groups (`user.*`) the choices for an endpoint. */
export function useEventTypes(options?: { enabled: boolean }): { types: readonly EventType[]; choices: string[] } {
  const types = useCatalogue(options).data ?? NONE;
  return { types, choices: choicesOf(types.map(({ type }) => type)) };
}

function choicesOf(types: readonly string[]): string[] {
  const groups = new Set(types.map((type) => `${type.split('.')[0]}.*`));
  return [...groups, ...types];
}
