import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import {
  accountOf,
  MemberAccount,
  removeMemberFactor,
  removeMemberIdentity,
  removeMemberPasskey,
  sendVerification,
  unlockMember,
} from './member-account.ts';

const memberId = IdSchema('mem');
const MemberRef = Type.Object({ memberId });
const removal = {
  permission: 'members:write',
  stepUp: true,
  changes: '/v1/admin/members/:memberId/account',
  responses: { 204: Type.Null() },
} as const;

/** Administrators see with what a member signs in, and remove what is lost or stolen. */
export const memberAccountRoutes: Routes = [
  get('/v1/admin/members/:memberId/account', {
    permission: 'members:read',
    etag: { without: ['throttled'] },
    summary: 'Read the account of a member',
    description:
      'The profile, the sign-in methods and second factors, and the attempts that are refused now. A project sees it once the person has entered it; an account of another project is for that project and for the team.',
    params: MemberRef,
    responses: { 200: MemberAccount },
    problems: ['NOT_FOUND'],
    handler: (request) => accountOf(request.ctx, request.params.memberId),
  }),
  del('/v1/admin/members/:memberId/factors/:factorId', {
    ...removal,
    summary: 'Remove a second factor of a member',
    description: 'Recovery codes are removed with the last one.',
    params: Type.Object({ memberId, factorId: IdSchema('fac') }),
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => removeMemberFactor(ctx, params.memberId, params.factorId),
  }),
  del('/v1/admin/members/:memberId/passkeys/:passkeyId', {
    ...removal,
    summary: 'Remove a passkey of a member',
    params: Type.Object({ memberId, passkeyId: IdSchema('psk') }),
    problems: ['NOT_FOUND', 'LAST_SIGN_IN_METHOD'],
    handler: ({ ctx, params }) => removeMemberPasskey(ctx, params.memberId, params.passkeyId),
  }),
  del('/v1/admin/members/:memberId/linked-identities/:identityId', {
    ...removal,
    summary: 'Unlink an identity of a member',
    params: Type.Object({ memberId, identityId: IdSchema('idn') }),
    problems: ['NOT_FOUND', 'LAST_SIGN_IN_METHOD'],
    handler: ({ ctx, params }) => removeMemberIdentity(ctx, params.memberId, params.identityId),
  }),
  post('/v1/admin/members/:memberId/unlock', {
    permission: 'members:write',
    stepUp: false,
    summary: 'Let a member try to sign in again',
    description: 'Resets the counted attempts at their account, from everywhere. A blocked member stays blocked.',
    params: MemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => unlockMember(request.ctx, request.params.memberId),
  }),
  post('/v1/admin/members/:memberId/send-verification', {
    permission: 'members:write',
    stepUp: false,
    summary: 'Mail a member a link that verifies their address',
    params: MemberRef,
    responses: { 202: Type.Object({}) },
    problems: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      await sendVerification(request.ctx, request.params.memberId);
      return {};
    },
  }),
];
