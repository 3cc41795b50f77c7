import { Type } from 'typebox';
import { voidOpenProofs } from '#credential-changes';
import { emit } from '#events';
import { removeAllFactors } from '#factors';
import { changeMember, requireAuthority } from '#members';
import { credentialChanged } from '#notices';
import { clearSecondFactorPasskeys } from '#passkeys';
import { IdSchema } from '#platform/ids.ts';
import { post, type Routes } from '#platform/route.ts';
import { removeRecoveryCodes } from '#recovery-codes';
import { startReset } from '#sign-in';

const MemberRef = Type.Object({ memberId: IdSchema('mem') });

/** Administrators can reset a member's credentials, but never choose or see them (ASVS 6.4.6). */
export const memberCredentialRoutes: Routes = [
  post('/v1/admin/members/:memberId/reset-password', {
    permission: 'members:write',
    stepUp: false,
    summary: 'Mail a member a password reset',
    description: 'Only the member chooses the new password.',
    params: MemberRef,
    responses: { 202: Type.Object({}) },
    problems: ['NOT_FOUND', 'CONFLICT', 'METHOD_DISABLED'],
    handler: async (request) => {
      await changeMember(request.ctx, request.params.memberId, async (tx, { userId }) => {
        await requireAuthority(tx, 'member.password.reset', { userId });
        await voidOpenProofs(tx, userId);
        await startReset(tx, userId);
      });
      return {};
    },
  }),
  post('/v1/admin/members/:memberId/reset-mfa', {
    permission: 'members:write',
    stepUp: true,
    summary: "Remove a member's second factors",
    description: 'For a person who lost them. Ends all sessions of the person; passkeys remain as sign-in methods.',
    params: MemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      await changeMember(request.ctx, request.params.memberId, async (tx, { userId }) => {
        await requireAuthority(tx, 'member.mfa.reset', { userId });
        await removeAllFactors(tx, userId);
        await clearSecondFactorPasskeys(tx, userId);
        await removeRecoveryCodes(tx, userId);
        await emit(tx, 'user.mfa.reset', { userId });
        await credentialChanged(tx, userId, 'mfa_reset');
      });
    },
  }),
];
