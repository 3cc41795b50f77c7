import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';

/** A receiver of webhooks for development mode: `/dev/hooks/204` takes them, `/dev/hooks/503` shows what failing looks like. */
export const devReceiverRoutes: Routes = (app) => {
  app.post(
    '/dev/hooks/:status',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Take a webhook',
        description: 'Answers with the status of its address and keeps nothing. Development mode only.',
        params: Type.Object({ status: Type.Integer({ minimum: 200, maximum: 599 }) }),
      },
    },
    (request, reply) => reply.code(request.params.status).send(),
  );
};
