import { Type } from 'typebox';
import { transaction } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { Settings } from '#settings';
import { projectOf, updateSettings } from './projects.ts';

const SettingsChanges = Type.Partial(Settings, { additionalProperties: false, minProperties: 1 });

export const settingsRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/settings',
    {
      config: { permission: 'settings:read', etag: true },
      schema: { summary: 'Read the settings', response: { 200: Settings } },
    },
    async ({ ctx }) => (await projectOf(ctx.system, ctx.scope, ctx.unit && ctx.db)).settings,
  );

  app.patch(
    '/v1/admin/settings',
    {
      config: { permission: 'settings:write', stepUp: true },
      schema: {
        summary: 'Change settings',
        description: 'Effective in every process within milliseconds.',
        body: SettingsChanges,
        response: { 200: Settings },
      },
    },
    (request) =>
      transaction(request.ctx, async (tx) => {
        await updateSettings(tx, request.body);
        return (await projectOf(tx.system, tx.scope, tx.db)).settings;
      }),
  );
};
