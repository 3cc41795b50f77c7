import { Type } from 'typebox';
import { post, type Routes } from '#platform/route.ts';

/** A webhook receiver for development mode: `/dev/hooks/204` accepts deliveries, `/dev/hooks/503` shows failures. */
export const devReceiverRoutes: Routes = [
  post('/dev/hooks/:status', {
    permission: 'public',
    counted: { uncounted: 'it is served in development only' },
    summary: 'Receive a webhook',
    description: 'Responds with the status in its address and stores nothing. Development mode only.',
    params: Type.Object({ status: Type.Integer({ minimum: 200, maximum: 599 }) }),
    handler: (request, reply) => reply.code(request.params.status).send(),
  }),
];
