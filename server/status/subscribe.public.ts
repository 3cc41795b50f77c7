import { Type } from 'typebox';
import { Email } from '#platform/identifiers.ts';
import { problem } from '#platform/problem.ts';
import { post, type Routes } from '#platform/route.ts';
import { ComponentIds } from './components.ts';
import { channels } from './subscribers.ts';
import { subscribe, takeTurn } from './subscriptions.ts';
import { pageFor } from './summary.public.ts';
import { visitorCtx } from './visitors.ts';

const Wish = Type.Object(
  {
    channel: Type.String({ maxLength: 40, description: `One of: ${channels.join(', ')}.` }),
    email: Type.Optional(Email),
    url: Type.Optional(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2_048 })),
    componentIds: Type.Optional(ComponentIds),
  },
  { additionalProperties: false },
);
const Asked = Type.Object({ status: Type.Literal('confirmation_required') });

export const statusSubscribeRoutes: Routes = [
  post('/api/status/subscribe', {
    permission: 'public',
    counted: { uncounted: 'it has its own, smaller limit per source' },
    summary: 'Subscribe to the status',
    description:
      'By `email`; by `webhook` to a `url`; or in a channel of `slack`, `teams` or `discord`, whose `url` is that of an incoming webhook. The response is the same for every address; a message with a confirmation link is sent to it. Up to five times in ten minutes from one source.',
    body: Wish,
    responses: { 202: Asked },
    problems: ['UNSUPPORTED_CHANNEL', 'RATE_LIMIT_EXCEEDED', 'CONFLICT'],
    handler: async (request) => {
      const { channel, email, url, componentIds = [] } = request.body;
      const known = channels.find((one) => one === channel);
      if (!known) throw problem('UNSUPPORTED_CHANNEL', `Known channels: ${channels.join(', ')}.`);
      const address = known === 'email' ? email : url;
      if (address === undefined) throw missing(known === 'email' ? 'email' : 'url');
      const ctx = await visitorCtx(request, await pageFor(request));
      await takeTurn(ctx, 'status-subscribe');
      await subscribe(ctx, { channel: known, address, componentIds });
      return { status: 'confirmation_required' };
    },
  }),
];

function missing(field: string): Error {
  return problem('VALIDATION_FAILED', {
    extensions: { errors: [{ pointer: `/body/${field}`, message: 'is required for this channel' }] },
  });
}
