import { upstreamProvider } from '#applications';
import { exchangeCode, leave } from '#auth';
import type { App } from '#platform/http.ts';
import { pageAddress } from './fields.ts';
import { deviceTokenOf, explain, failed, keepStep, proceed } from './flow.ts';
import { page } from './forms.ts';

/** Leaving for a provider, or a mail program, and coming back. */
export function upstreamRoutes(app: App): void {
  page(app, '/provider/:provider', async (flow) => {
    const { request, reply, ctx, interaction, step } = flow;
    const { provider: key } = Object(request.params);
    try {
      const provider = await upstreamProvider(ctx, { by: 'key', value: String(key) });
      const start = {
        redirectUri: `${request.address.url}${pageAddress(flow, '/return')}`,
        appState: null,
        codeChallenge: null,
        linkTo: null,
        loginHint: interaction.asked.loginHint,
      };
      const there = await leave(request, reply, { ctx, provider, start });
      keepStep(flow, { ...step, provider: provider.name });
      return reply.redirect(there, 303);
    } catch (error) {
      return explain(flow, '', error);
    }
  });

  page(app, '/return', async (flow) => {
    const { code } = Object(flow.request.query);
    // Refused, or failed, there.
    if (typeof code !== 'string') return failed(flow, 'UPSTREAM');
    try {
      return await proceed(flow, await exchangeCode(flow.ctx, { code, deviceToken: deviceTokenOf(flow) }));
    } catch (error) {
      return explain(flow, '', error);
    }
  });
}
