import { useApi } from '#api/scope.tsx';

type EventType = { type: string; description: string };

const NONE: readonly EventType[] = [];

/** The event types, and with groups (`user.*`) the choices for an endpoint. */
export function useEventTypes(): { types: readonly EventType[]; choices: string[] } {
  const first = useApi().useQuery(
    'get',
    '/console/v1/webhooks/event-types',
    { params: { query: { limit: 100 } } },
    { staleTime: 600_000 },
  );
  const types = first.data?.items ?? NONE;
  return { types, choices: choicesOf(types.map(({ type }) => type)) };
}

function choicesOf(types: readonly string[]): string[] {
  const groups = new Set(types.map((type) => `${type.split('.')[0]}.*`));
  return [...groups, ...types];
}
