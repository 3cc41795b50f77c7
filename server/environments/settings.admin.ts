import { Type } from 'typebox';
import { transaction } from '#platform/ctx.ts';
import { get, patch, type Routes } from '#platform/route.ts';
import { Settings } from '#settings';
import { projectOf, updateSettings } from './environments.ts';

const SettingsChanges = Type.Partial(Settings, { additionalProperties: false, minProperties: 1 });

export const settingsRoutes: Routes = [
  get('/v1/admin/settings', {
    permission: 'settings:read',
    etag: true,
    summary: 'Read the settings',
    responses: { 200: Settings },
    handler: async ({ ctx }) => (await projectOf(ctx.system, ctx.scope, ctx.unit && ctx.db)).settings,
  }),
  patch('/v1/admin/settings', {
    permission: 'settings:write',
    stepUp: true,
    summary: 'Change settings',
    description: 'Effective in every process within milliseconds.',
    body: SettingsChanges,
    responses: { 200: Settings },
    handler: (request) =>
      transaction(request.ctx, async (tx) => {
        await updateSettings(tx, request.body);
        return (await projectOf(tx.system, tx.scope, tx.db)).settings;
      }),
  }),
];
