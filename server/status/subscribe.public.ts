import { Type } from 'typebox';
import { Email, Phone } from '#platform/identifiers.ts';
import { problem } from '#platform/problem.ts';
import { post, type Routes } from '#platform/route.ts';
import { sendsTexts } from './boards.ts';
import { ComponentIds } from './components.ts';
import { takeTurn } from './doors.ts';
import { channels, channelsOf } from './subscribers.ts';
import { subscribe } from './subscriptions.ts';
import { pageFor } from './summary.public.ts';
import { unsupported } from './texts.ts';
import { visitorCtx } from './visitors.ts';

const Wish = Type.Object(
  {
    channel: Type.String({ maxLength: 40, description: `One of: ${channels.join(', ')}.` }),
    email: Type.Optional(Email),
    phone: Type.Optional(Phone),
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
      'By `email`; by `sms` to a `phone`, on pages that offer text messages; by `webhook` to a `url`; or in a channel of `slack`, `teams` or `discord`, whose `url` is that of an incoming webhook. The response is the same for every address; a message with a confirmation link is sent to it. Up to five times in ten minutes from one source.',
    body: Wish,
    responses: { 202: Asked },
    problems: ['UNSUPPORTED_CHANNEL', 'RATE_LIMIT_EXCEEDED', 'CONFLICT'],
    handler: async (request) => {
      const { channel, componentIds = [] } = request.body;
      const ctx = await visitorCtx(request, await pageFor(request));
      const texts = await sendsTexts(ctx);
      const known = channelsOf(texts).find((one) => one === channel);
      if (!known) throw unsupported(texts);
      const field = known === 'email' ? 'email' : known === 'sms' ? 'phone' : 'url';
      const address = request.body[field];
      if (address === undefined) throw missing(field);
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
