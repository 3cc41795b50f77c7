import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { emit } from '#events';
import { upstreamProvider } from '#identity-providers';
import { transaction } from '#platform/ctx.ts';
import { callingAhead } from '#platform/http-ahead.ts';
import { IdSchema } from '#platform/ids.ts';
import { post, type Routes } from '#platform/route.ts';
import { checkProvider } from './upstream.ts';

const ProviderRef = Type.Object({ providerId: IdSchema('idp') });

const check = callingAhead(async ({ ctx, params }) => {
  const { providerId } = Value.Parse(ProviderRef, params);
  const provider = await upstreamProvider(ctx, { by: 'id', value: providerId });
  return { provider, result: await checkProvider(ctx, provider) };
});

export const providerTestRoutes: Routes = [
  post('/v1/admin/identity-providers/:providerId/test', {
    permission: 'providers:write',
    stepUp: false,
    ahead: check.call,
    summary: 'Test an identity provider',
    description: 'Checks that the provider responds as configured; signs nobody in.',
    params: ProviderRef,
    responses: {
      200: Type.Object({
        ok: Type.Boolean(),
        issuer: Type.Union([Type.String(), Type.Null()]),
        detail: Type.String(),
      }),
    },
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { provider, result } = check.resultFor(request);
      await transaction(request.ctx, (tx) =>
        emit(tx, 'identity.provider.tested', { providerId: provider.id, key: provider.key, ok: result.ok }),
      );
      return result;
    },
  }),
];
