import { Type } from 'typebox';
import { del, get, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { requestErasure } from './erasure.ts';
import { OwnData, ownData } from './own-data.ts';

/** Exporting one's own data, and requesting erasure. */
export const accountRoutes: Routes = [
  get('/v1/me/profile/export', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Export my data',
    description: 'Machine-readable (GDPR Art. 15 and 20). Secrets such as password hashes are not part of it.',
    responses: { 200: OwnData },
    problems: ['NOT_FOUND', 'REAUTHENTICATION_REQUIRED'],
    handler: async (request, reply) => {
      reply.header('content-disposition', 'attachment; filename="my-data.json"').header('cache-control', 'no-store');
      return ownData(request.ctx);
    },
  }),
  del('/v1/me', {
    permission: 'customer',
    changes: '/v1/me/profile',
    freshProof: 'second factor',
    summary: 'Erase my account',
    description:
      'Erases the account after seven days, in every project of the workspace. Ends all sessions immediately; signing in before then keeps the account.',
    responses: { 202: Type.Object({ erasesAt: Instant }) },
    problems: ['REAUTHENTICATION_REQUIRED', 'LAST_OWNER'],
    handler: async (request) => {
      const erasesAt = await requestErasure(request.ctx);
      return { erasesAt: erasesAt.toISOString() };
    },
  }),
];
