import { Type } from 'typebox';
import { membersById } from '#members';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema, type MemberId, type UserId } from '#platform/ids.ts';
import { found, problem } from '#platform/problem.ts';
import { post, type Routes } from '#platform/route.ts';
import { Asked, Check, checkPermissions } from './checks.ts';

/** The maximum number of checks in a batch. */
const MAX_CHECKS = 100;

const Question = Type.Object(
  { userId: Type.Optional(IdSchema('usr')), memberId: Type.Optional(IdSchema('mem')), ...Asked },
  { additionalProperties: false },
);
const QuestionOfUser = Type.Object({ userId: IdSchema('usr'), ...Asked }, { additionalProperties: false });

/** Checks of a member's permissions, for the back ends of a project. */
export const adminCheckRoutes: Routes = [
  post('/v1/admin/authorization/check', {
    permission: 'roles:read',
    stepUp: false,
    summary: 'Check a permission of a member',
    description:
      'Says whether the member, named by `userId` or `memberId`, has the permission now: in the project, in the organization `organizationId`, or on `resource`; with every path that grants it, or why not.',
    body: Question,
    responses: { 200: Check },
    problems: ['NOT_FOUND'],
    silent: 'it changes nothing',
    handler: async ({ ctx, body: { memberId, userId, ...asked } }) =>
      found((await checkPermissions(ctx, [{ ...asked, userId: await userOf(ctx, { memberId, userId }) }]))[0]),
  }),
  post('/v1/admin/authorization/check-batch', {
    permission: 'roles:read',
    stepUp: false,
    summary: 'Check up to a hundred permissions',
    description: 'All checks see the same moment or a later one; the responses are in the order of `checks`.',
    body: Type.Object(
      { checks: Type.Array(QuestionOfUser, { minItems: 1, maxItems: MAX_CHECKS }) },
      { additionalProperties: false },
    ),
    responses: { 200: Type.Object({ results: Type.Array(Check) }) },
    silent: 'it changes nothing',
    handler: async ({ ctx, body: { checks } }) => ({
      results: await checkPermissions(
        ctx,
        checks.map((asked, index) => ({ ...asked, at: `/body/checks/${index}` })),
      ),
    }),
  }),
];

/** @throws Problem VALIDATION_FAILED unless one of both is given, NOT_FOUND for a member that the project does not have */
async function userOf(
  ctx: Ctx,
  { memberId, userId }: { memberId: MemberId | undefined; userId: UserId | undefined },
): Promise<UserId> {
  if ((memberId === undefined) === (userId === undefined))
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body', message: 'must have either `userId` or `memberId`' }] },
    });
  return userId ?? found(memberId && (await membersById(ctx, [memberId]))[0]).userId;
}
