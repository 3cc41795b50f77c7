import { Type } from 'typebox';
import { emit } from '#events';
import { removeAllFactors, removeRecoveryCodes, voidOpenProofs } from '#factors';
import { changeMember, MemberRef, requireAuthority } from '#members';
import { credentialChanged } from '#notices';
import { clearSecondFactorPasskeys } from '#passkeys';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { startReset } from '#sign-in';

/** What an administrator may do about a member's credentials: start over, never choose or see one (ASVS 6.4.6). */
export const memberCredentialRoutes: Routes = (app) => {
  app.post(
    '/v1/admin/members/:memberId/reset-password',
    {
      config: { permission: 'members:write', stepUp: false },
      schema: {
        summary: 'Mail a member a password reset',
        description: 'Only the member chooses the new password.',
        params: MemberRef,
        response: { 202: Type.Object({}), ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await changeMember(request.ctx, request.params.memberId, async (tx, { userId }) => {
        await requireAuthority(tx, 'member.password.reset', { userId });
        await voidOpenProofs(tx, userId);
        await startReset(tx, userId);
      });
      return reply.code(202).send({});
    },
  );

  app.post(
    '/v1/admin/members/:memberId/reset-mfa',
    {
      config: { permission: 'members:write', stepUp: true },
      schema: {
        summary: "Remove a member's second factors",
        description: 'For somebody who lost them. Ends every session of the person; passkeys stay as ways in.',
        params: MemberRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await changeMember(request.ctx, request.params.memberId, async (tx, { userId }) => {
        await requireAuthority(tx, 'member.mfa.reset', { userId });
        await removeAllFactors(tx, userId);
        await clearSecondFactorPasskeys(tx, userId);
        await removeRecoveryCodes(tx, userId);
        await emit(tx, 'user.mfa.reset', { userId });
        await credentialChanged(tx, userId, 'mfa_reset');
      });
      return reply.code(204).send(null);
    },
  );
};
