import { Type } from 'typebox';
import { del, get, type Routes } from '#platform/route.ts';
import { endOwnImpersonations, Impersonations, ownImpersonations } from './impersonation.ts';

/** A person ends what others do in their name. */
export const ownImpersonationRoutes: Routes = [
  get('/v1/me/security/impersonation', {
    permission: 'customer',
    etag: true,
    summary: 'Read who acts as me',
    responses: { 200: Impersonations },
    handler: async ({ ctx }) => ({ impersonations: await ownImpersonations(ctx) }),
  }),
  del('/v1/me/security/impersonation', {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'End every impersonation of me',
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'REAUTHENTICATION_REQUIRED'],
    handler: ({ ctx }) => endOwnImpersonations(ctx),
  }),
];
