import { customerOf } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { ProfileChanges } from '#platform/profile-fields.ts';
import { getProfile, Profile, updateProfile } from './profile.ts';

export const profileRoutes: Routes = (app) => {
  app.get(
    '/v1/me/profile',
    {
      config: { permission: 'customer', etag: true },
      schema: { summary: 'Read my profile', response: { 200: Profile, ...problemResponses('NOT_FOUND') } },
    },
    (request) => getProfile(request.ctx, customerOf(request.ctx).userId),
  );

  app.patch(
    '/v1/me/profile',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'Change my profile',
        body: ProfileChanges,
        response: { 200: Profile, ...problemResponses('NOT_FOUND', 'ALREADY_EXISTS') },
      },
    },
    (request) => updateProfile(request.ctx, customerOf(request.ctx).userId, request.body),
  );
};
