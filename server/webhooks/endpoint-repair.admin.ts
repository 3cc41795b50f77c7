import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { post, type Routes } from '#platform/route.ts';
import { Recovery, Replay, recover, replay } from './replay.ts';
import { testEndpoint } from './testing.ts';

const EndpointRef = Type.Object({ endpointId: IdSchema('whe') });
const Accepted = Type.Object({ status: Type.Literal('accepted') });

/** Sends deliveries on request: tests, replays, recoveries. */
export const endpointRepairRoutes: Routes = [
  post('/v1/admin/webhooks/endpoints/:endpointId/test', {
    permission: 'webhooks:write',
    stepUp: false,
    summary: 'Send a test event to a webhook endpoint',
    params: EndpointRef,
    body: Type.Object(
      {
        type: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: '`user.created` when absent.' })),
      },
      { additionalProperties: false },
    ),
    responses: { 202: Type.Object({ eventId: Type.String(), eventType: Type.String() }) },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request, reply) =>
      reply
        .code(202)
        .send(await testEndpoint(request.ctx, request.params.endpointId, request.body.type ?? 'user.created')),
  }),
  post('/v1/admin/webhooks/endpoints/:endpointId/replay', {
    permission: 'webhooks:write',
    stepUp: false,
    summary: 'Replay events to a webhook endpoint',
    description: 'Sends the events of a time range again, under their own ids, whether they were delivered or not.',
    params: EndpointRef,
    body: Replay,
    responses: { 202: Accepted },
    problems: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      await replay(request.ctx, request.params.endpointId, request.body);
      return { status: 'accepted' };
    },
  }),
  post('/v1/admin/webhooks/endpoints/:endpointId/recover', {
    permission: 'webhooks:write',
    stepUp: false,
    summary: 'Recover the events that a webhook endpoint missed',
    description:
      'Sends the events since then that were not delivered to the endpoint and are not waiting for delivery.',
    params: EndpointRef,
    body: Recovery,
    responses: { 202: Accepted },
    problems: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      await recover(request.ctx, request.params.endpointId, request.body);
      return { status: 'accepted' };
    },
  }),
];
