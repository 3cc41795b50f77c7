import { Type } from 'typebox';
import { customerOf, transaction } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { del, type Routes } from '#platform/route.ts';
import { endImpersonations } from './impersonation.ts';

/** A person ends what others do in their name. */
export const ownImpersonationRoutes: Routes = [
  del('/v1/me/security/impersonation', {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'End all acting as me',
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'REAUTHENTICATION_REQUIRED'],
    handler: async ({ ctx }, reply) => {
      const ended = await transaction(ctx, (tx) => endImpersonations(tx, customerOf(tx).userId));
      if (ended === 0) throw problem('NOT_FOUND');
      return reply.code(204).send(null);
    },
  }),
];
