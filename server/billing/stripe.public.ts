import { Type } from 'typebox';
import type { App } from '#platform/http.ts';
import { post, type Routes } from '#platform/route.ts';
import { takeNotice } from './stripe-notices.ts';

/** The signature covers the raw body, so it is kept as text. */
async function asText(scope: App): Promise<void> {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/** Webhooks of the payment provider. */
export const stripeRoutes: Routes = [
  post('/v1/callbacks/stripe', {
    permission: 'public',
    counted: { uncounted: 'it accepts signed notices, which are checked before anything is written' },
    summary: 'Receive a webhook of Stripe',
    description: 'For the events `checkout.session.*`, `invoice.*` and `customer.subscription.deleted`.',
    headers: Type.Object({ 'stripe-signature': Type.String({ maxLength: 4_096 }) }, { additionalProperties: true }),
    responses: { 204: Type.Null() },
    problems: ['AUTHENTICATION_REQUIRED', 'SERVICE_UNAVAILABLE'],
    plugin: asText,
    handler: async ({ server, headers, body }) => {
      const raw = typeof body === 'string' ? body : '';
      await takeNotice(server.system, raw, headers['stripe-signature']);
    },
  }),
];
