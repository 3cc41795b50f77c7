import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { Block, listBlocks, removeBlock } from './conversions.ts';
import { changeGuard, GuardChanges, GuardRules, guardRules } from './guard-rules.ts';

const GUARD = '/v1/admin/billing/addons/sms/guard';

/** What holds text messages back that look like traffic pumping. */
export const smsGuardRoutes: Routes = (app) => {
  app.get(
    GUARD,
    {
      config: { permission: 'billing:read', etag: true },
      schema: { summary: 'Read the rules against SMS pumping', response: { 200: GuardRules } },
    },
    (request) => guardRules(request.ctx),
  );

  app.patch(
    GUARD,
    {
      config: { permission: 'billing:write', stepUp: false },
      schema: {
        summary: 'Change the rules against SMS pumping',
        description: 'Effective with the next message.',
        body: GuardChanges,
        response: { 200: GuardRules },
      },
    },
    (request) => changeGuard(request.ctx, request.body),
  );

  app.get(
    `${GUARD}/blocks`,
    {
      config: { permission: 'billing:read' },
      schema: {
        summary: 'List blocks of numbers that get no messages',
        querystring: PageQuery,
        response: { 200: PageOf(Block), ...problemResponses('INVALID_CURSOR') },
      },
    },
    async ({ ctx, query }) =>
      pageOfWhole(ctx, await listBlocks(ctx), { list: 'sms-blocks', query, keyOf: ({ prefix }) => prefix }),
  );

  app.delete(
    `${GUARD}/blocks/:prefix`,
    {
      config: { permission: 'billing:write', stepUp: false },
      schema: {
        summary: 'Let a block of numbers have messages again',
        params: Type.Object({ prefix: Type.String({ pattern: '^\\+[0-9]{2,14}$', examples: ['+49151123'] }) }),
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await removeBlock(request.ctx, request.params.prefix);
      return reply.code(204).send(null);
    },
  );
};
