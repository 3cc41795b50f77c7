import { Type } from 'typebox';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { found } from '#platform/problem.ts';
import { del, get, patch, type Routes } from '#platform/route.ts';
import { Block, listBlocks, removeBlock } from './conversions.ts';
import { changeGuard, GuardChanges, GuardRules, guardRules } from './guard-rules.ts';

const BlockRef = Type.Object({ prefix: Type.String({ pattern: '^\\+[0-9]{2,14}$', examples: ['+49151123'] }) });
const GUARD = '/v1/admin/billing/addons/sms/guard';

/** The limits that protect against traffic pumping. */
export const smsGuardRoutes: Routes = [
  get(GUARD, {
    permission: 'billing:read',
    etag: true,
    summary: 'Read the rules against SMS pumping',
    responses: { 200: GuardRules },
    handler: (request) => guardRules(request.ctx),
  }),
  patch(GUARD, {
    permission: 'billing:write',
    stepUp: false,
    summary: 'Change the rules against SMS pumping',
    description: 'Effective with the next message.',
    body: GuardChanges,
    responses: { 200: GuardRules },
    handler: (request) => changeGuard(request.ctx, request.body),
  }),
  get(`${GUARD}/blocks`, {
    permission: 'billing:read',
    summary: 'List blocked ranges of numbers',
    query: PageQuery,
    responses: { 200: PageOf(Block) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query }) =>
      pageOfWhole(ctx, await listBlocks(ctx), {
        list: 'sms-blocks',
        query,
        positionOf: ({ createdAt, prefix }) => [-Date.parse(createdAt), prefix],
      }),
  }),
  get(`${GUARD}/blocks/:prefix`, {
    permission: 'billing:read',
    etag: true,
    summary: 'Read a blocked range of numbers',
    params: BlockRef,
    responses: { 200: Block },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params }) => found((await listBlocks(ctx)).find(({ prefix }) => prefix === params.prefix)),
  }),
  del(`${GUARD}/blocks/:prefix`, {
    permission: 'billing:write',
    stepUp: false,
    summary: 'Unblock a range of numbers',
    params: BlockRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => removeBlock(request.ctx, request.params.prefix),
  }),
];
