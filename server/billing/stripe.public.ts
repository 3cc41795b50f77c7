import { Type } from 'typebox';
import type { App, Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { takeNotice } from './stripe-notices.ts';

/** Notices of the payment provider. The signature covers the body as it came, so it is kept as text. */
export const stripeRoutes: Routes = (app) => {
  app.register(async (scoped) => {
    const callbacks: App = scoped.withTypeProvider();
    callbacks.removeContentTypeParser('application/json');
    callbacks.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    callbacks.post(
      '/v1/callbacks/stripe',
      {
        config: { permission: 'public' },
        schema: {
          summary: 'Take a notice of Stripe',
          description: 'For the events `checkout.session.*`, `invoice.*` and `customer.subscription.deleted`.',
          headers: Type.Object(
            { 'stripe-signature': Type.String({ maxLength: 4_096 }) },
            { additionalProperties: true },
          ),
          response: { 204: Type.Null(), ...problemResponses('AUTHENTICATION_REQUIRED', 'SERVICE_UNAVAILABLE') },
        },
      },
      async (request, reply) => {
        const raw = typeof request.body === 'string' ? request.body : '';
        await takeNotice(app.system, raw, request.headers['stripe-signature']);
        return reply.code(204).send(null);
      },
    );
  });
};
