import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { requestErasure } from './erasure.ts';
import { OwnData, ownData } from './own-data.ts';

/** Taking one's data along, and being forgotten. */
export const accountRoutes: Routes = (app) => {
  app.get(
    '/v1/me/profile/export',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Export everything held on me',
        description: 'Machine-readable (GDPR Art. 15 and 20). Secrets such as password hashes are not part of it.',
        response: { 200: OwnData, ...problemResponses('NOT_FOUND', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async (request, reply) => {
      reply.header('content-disposition', 'attachment; filename="my-data.json"').header('cache-control', 'no-store');
      return ownData(request.ctx);
    },
  );

  app.delete(
    '/v1/me',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Have my account erased',
        description:
          'In seven days, in every project of the workspace. Ends all sessions at once; signing in again before then keeps the account.',
        response: {
          202: Type.Object({ erasesAt: Type.String({ format: 'date-time' }) }),
          ...problemResponses('REAUTHENTICATION_REQUIRED', 'LAST_OWNER'),
        },
      },
    },
    async (request, reply) => {
      const erasesAt = await requestErasure(request.ctx);
      return reply.code(202).send({ erasesAt: erasesAt.toISOString() });
    },
  );
};
