import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { enabledConnection } from '#connections';
import { connectionParty, exchangeCode, providerParty, sendAway } from '#federation';
import { upstreamProvider } from '#identity-providers';
import { IdSchema } from '#platform/ids.ts';
import { randomSecret } from '#platform/keyring.ts';
import { Problem, problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { bindingTo, deviceTokenOf, explain, failed, keepStep, markOf, proceed } from './flow.ts';
import { page } from './forms.ts';

const ConnectionRef = Type.Object({ connectionId: IdSchema('con') });

/** Redirects to an identity provider or mail program, and the way back. */
export const upstreamRoutes: Routes = [
  page('/provider/:provider', async (flow) => {
    const { request, reply, ctx, interaction, step } = flow;
    const { provider: key } = Object(request.params);
    try {
      const provider = await upstreamProvider(ctx, { by: 'key', value: String(key) });
      const verifier = randomSecret();
      const start = {
        redirectUri: `${request.address.url}${flow.place.base}/return`,
        appState: null,
        binding: bindingTo(verifier),
        linkTo: null,
        loginHint: step.identifier ?? interaction.asked.loginHint,
      };
      const there = await sendAway(request, reply, { ctx, party: providerParty(ctx, provider), start });
      const { sentTo: _elsewhere, ...kept } = step;
      keepStep(flow, { ...kept, provider: provider.name, verifier, way: `provider:${provider.key}` });
      return reply.redirect(there, 303);
    } catch (error) {
      return explain(flow, '', error);
    }
  }),
  page('/connection/:connectionId', async (flow) => {
    const { request, reply, ctx, interaction, step } = flow;
    try {
      const { connectionId } = Value.Parse(ConnectionRef, request.params);
      const connection = await enabledConnection(ctx, connectionId);
      const { organizationId, loginHint } = interaction.asked;
      // A request that names an organization is for its people alone.
      if (organizationId !== null && organizationId !== connection.organizationId) throw problem('METHOD_DISABLED');
      const verifier = randomSecret();
      const start = {
        redirectUri: `${request.address.url}${flow.place.base}/return`,
        appState: null,
        binding: bindingTo(verifier),
        linkTo: null,
        loginHint: step.identifier ?? loginHint,
      };
      const there = await sendAway(request, reply, { ctx, party: connectionParty(ctx, connection), start });
      const sentTo = connection.organizationId;
      keepStep(flow, { ...step, provider: connection.name, verifier, routed: true, sentTo, way: 'connection' });
      return reply.redirect(there, 303);
    } catch (error) {
      return explain({ ...flow, step: { ...step, routed: true } }, '', error);
    }
  }),
  page('/return', async (flow) => {
    const { code } = Object(flow.request.query);
    // The provider returned an error.
    if (typeof code !== 'string') return failed(flow, 'UPSTREAM');
    try {
      // A code injected by another page was not requested here, so its verifier is missing.
      const { verifier: codeVerifier = '', sentTo } = flow.step;
      const exchanged = { code, codeVerifier, deviceToken: deviceTokenOf(flow), browser: markOf(flow) };
      const response = await exchangeCode(flow.ctx, exchanged);
      // The code belongs to the verifier of this step, so it came from where the step was sent.
      const vouched = sentTo ? { ...flow, step: { ...flow.step, vouchedBy: sentTo } } : flow;
      return await proceed(vouched, response);
    } catch (error) {
      // This person has to sign in by a way of their own.
      const own = error instanceof Problem && error.code === 'REAUTHENTICATION_REQUIRED';
      return explain(flow, '', own ? problem('METHOD_DISABLED') : error);
    }
  }),
];
