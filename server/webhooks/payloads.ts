import { type Static, Type } from 'typebox';
import { eventsById, isErased } from '#events';
import type { Ctx } from '#platform/ctx.ts';
import type { EventId } from '#platform/ids.ts';
import { openHeaders, sameHeaders, shownHeaders } from './endpoint-rules.ts';
import { type EndpointId, EVENTS, findRow } from './endpoints.ts';

const states = ['kept', 'erased', 'gone', 'internal'] as const;

export const Payload = Type.Object({
  state: Type.Enum([...states], {
    description:
      '`kept`: shown as it is sent; `erased`: a person in it was erased, and it is sent without their address; `gone`: the event is no longer in the log; `internal`: not shown, because the receiver is not one of your endpoints but, for example, a status subscriber.',
  }),
  body: Type.Union([Type.String(), Type.Null()], { description: 'The JSON text that is signed and sent.' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      'The headers of a delivery with the endpoint’s current configuration, without credentials. Each attempt adds `webhook-timestamp` (its second) and `webhook-signature`, which is not stored.',
  }),
});
type Payload = Static<typeof Payload>;

type Queued = { endpoint_id: EndpointId; event_id: EventId; body: string | null };

/** The payload of a delivery. Two reads by primary key; lists do not include it. */
export async function payloadOf({ system, scope: { workspaceId } }: Ctx, queued: Queued): Promise<Payload> {
  const endpoint = await findRow(system, { workspaceId, endpointId: queued.endpoint_id });
  // Payloads of other parts may contain links that only their receiver may have.
  if (endpoint?.purpose !== EVENTS) return { state: 'internal', body: null, headers: {} };
  const own = shownHeaders(openHeaders(system.keyring, endpoint.headers_sealed, endpoint.id));
  const headers = { ...own, ...sameHeaders(queued.event_id) };
  if (queued.body !== null) return { state: 'kept', body: queued.body, headers };
  const event = (await eventsById(system, workspaceId, [queued.event_id])).get(queued.event_id);
  if (!event) return { state: 'gone', body: null, headers };
  return { state: isErased(event) ? 'erased' : 'kept', body: JSON.stringify(event), headers };
}
