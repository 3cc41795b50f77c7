import { Type } from 'typebox';
import { upstreamProvider } from '#applications';
import { exchangeCode, leave } from '#auth';
import type { App } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { pageAddress } from './fields.ts';
import { deviceTokenOf, explain, flowOf, proceed } from './flow.ts';
import { page } from './forms.ts';

const hidden = { hide: true } as const;
const config = { permission: 'public' } as const;
const ProviderRef = Type.Object({
  uid: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
  provider: Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' }),
});

/** Leaving for a provider, or a mail program, and coming back. */
export function upstreamRoutes(app: App): void {
  app.get(
    '/sign-in/:uid/provider/:provider',
    { config, schema: { ...hidden, params: ProviderRef } },
    async (request, reply) => {
      const flow = await flowOf(request, reply);
      const { ctx, interaction } = flow;
      const provider = await upstreamProvider(ctx, { by: 'key', value: request.params.provider });
      const start = {
        redirectUri: `${ctx.system.config.addresses[ctx.scope.environment].auth}${pageAddress(flow, '/return')}`,
        appState: null,
        codeChallenge: null,
        linkTo: null,
        loginHint: interaction.asked.loginHint,
      };
      return reply.redirect(await leave(request, reply, { ctx, provider, start }), 303);
    },
  );

  page(app, '/return', async (flow) => {
    const { code } = Object(flow.request.query);
    try {
      if (typeof code !== 'string') throw problem('SERVICE_UNAVAILABLE');
      return await proceed(flow, await exchangeCode(flow.ctx, { code, deviceToken: deviceTokenOf(flow) }));
    } catch (error) {
      return explain(flow, '', error);
    }
  });
}
