import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { Endpoint, EndpointWithSecret, rotateSecret, setEnabled } from './endpoints.ts';
import { EndpointStats, endpointStats } from './stats.ts';

const EndpointRef = Type.Object({ endpointId: IdSchema('whe') });
const DAY = 86_400;

export const endpointActionRoutes: Routes = (app) => {
  for (const [action, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    app.post(
      `/v1/admin/webhooks/endpoints/:endpointId/${action}`,
      {
        config: { permission: 'webhooks:write', stepUp: false },
        schema: {
          summary: `${enabled ? 'Enable' : 'Disable'} a webhook endpoint`,
          description: enabled
            ? 'What waits goes on. Events that happened while it was disabled are sent by /recover.'
            : 'What waits is kept until it is enabled again. Events that happen meanwhile are not queued for it.',
          params: EndpointRef,
          response: { 200: Endpoint, ...problemResponses('NOT_FOUND') },
        },
      },
      (request) => setEnabled(request.ctx, request.params.endpointId, enabled),
    );

  app.post(
    '/v1/admin/webhooks/endpoints/:endpointId/secret/rotate',
    {
      config: { permission: 'webhooks:write', stepUp: true },
      schema: {
        summary: 'Rotate the secret of a webhook endpoint',
        description: 'While both secrets are live every delivery carries a signature of each.',
        params: EndpointRef,
        body: Type.Object(
          {
            overlapSeconds: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 7 * DAY,
                description: 'How long the secret before signs along; a day when absent.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: EndpointWithSecret, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    (request) => rotateSecret(request.ctx, request.params.endpointId, request.body.overlapSeconds ?? DAY),
  );

  app.get(
    '/v1/admin/webhooks/endpoints/:endpointId/stats',
    {
      config: { permission: 'webhooks:read' },
      schema: {
        summary: 'Read how a webhook endpoint is doing',
        params: EndpointRef,
        response: { 200: EndpointStats, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => endpointStats(request.ctx, request.params.endpointId),
  );
};
