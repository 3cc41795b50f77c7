import { customerOf } from '#platform/ctx.ts';
import { ProfileChanges } from '#platform/profile-fields.ts';
import { get, patch, type Routes } from '#platform/route.ts';
import { getProfile, Profile, updateProfile } from './profile.ts';

export const profileRoutes: Routes = [
  get('/v1/me/profile', {
    permission: 'customer',
    etag: true,
    summary: 'Read my profile',
    responses: { 200: Profile },
    problems: ['NOT_FOUND'],
    handler: (request) => getProfile(request.ctx, customerOf(request.ctx).userId),
  }),
  patch('/v1/me/profile', {
    permission: 'customer',
    summary: 'Change my profile',
    body: ProfileChanges,
    responses: { 200: Profile },
    problems: ['NOT_FOUND', 'ALREADY_EXISTS'],
    handler: (request) => updateProfile(request.ctx, customerOf(request.ctx).userId, request.body),
  }),
];
