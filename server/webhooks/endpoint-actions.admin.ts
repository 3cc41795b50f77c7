import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { OVERLAP_SECONDS, Rotation } from '#platform/signing-secrets.ts';
import { Endpoint, EndpointWithSecret, rotateSecret, setEnabled } from './endpoints.ts';
import { EndpointStats, endpointStats } from './stats.ts';

const EndpointRef = Type.Object({ endpointId: IdSchema('whe') });

export const endpointActionRoutes: Routes = [
  ...(
    [
      ['enable', true],
      ['disable', false],
    ] as const
  ).map(([action, enabled]) =>
    post(`/v1/admin/webhooks/endpoints/:endpointId/${action}`, {
      permission: 'webhooks:write',
      stepUp: false,
      summary: `${enabled ? 'Enable' : 'Disable'} a webhook endpoint`,
      description: enabled
        ? 'Pending deliveries continue. Use /recover for the events that occurred while it was disabled.'
        : 'Pending deliveries are kept until it is enabled again. Events that occur until then are not queued for it.',
      params: EndpointRef,
      responses: { 200: Endpoint },
      problems: ['NOT_FOUND'],
      handler: (request) => setEnabled(request.ctx, request.params.endpointId, enabled),
    }),
  ),
  post('/v1/admin/webhooks/endpoints/:endpointId/secret/rotate', {
    permission: 'webhooks:write',
    stepUp: true,
    summary: 'Rotate the secret of a webhook endpoint',
    description: 'While both secrets are valid, every delivery has a signature of each.',
    params: EndpointRef,
    body: Rotation,
    responses: { 200: EndpointWithSecret },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      rotateSecret(request.ctx, request.params.endpointId, request.body.overlapSeconds ?? OVERLAP_SECONDS),
  }),
  get('/v1/admin/webhooks/endpoints/:endpointId/stats', {
    permission: 'webhooks:read',
    summary: 'Read the statistics of a webhook endpoint',
    params: EndpointRef,
    responses: { 200: EndpointStats },
    problems: ['NOT_FOUND'],
    handler: (request) => endpointStats(request.ctx, request.params.endpointId),
  }),
];
