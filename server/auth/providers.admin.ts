import { Type } from 'typebox';
import { upstreamProvider } from '#applications';
import { emit } from '#events';
import { transaction } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { checkProvider } from './upstream.ts';

export const providerTestRoutes: Routes = (app) => {
  app.post(
    '/v1/admin/identity-providers/:providerId/test',
    {
      config: { permission: 'providers:write' },
      schema: {
        summary: 'Test an identity provider',
        description: 'Asks whether the provider answers as configured; nobody is signed in.',
        params: Type.Object({ providerId: IdSchema('idp') }),
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            issuer: Type.Union([Type.String(), Type.Null()]),
            detail: Type.String(),
          }),
          ...problemResponses('NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const provider = await upstreamProvider(request.ctx, { by: 'id', value: request.params.providerId });
      const result = await checkProvider(request.ctx, provider);
      await transaction(request.ctx, (tx) =>
        emit(tx, 'identity.provider.tested', { providerId: provider.id, key: provider.key, ok: result.ok }),
      );
      return result;
    },
  );
};
