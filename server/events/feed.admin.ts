import { type Static, Type } from 'typebox';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { Event, requireEventType, requireKnownPatterns, selectedTypes } from './event-types.ts';
import { emitExample } from './events.ts';
import { lastSequence, readEvents } from './reading.ts';
import { waitForEvents } from './waiting.ts';

const FeedQuery = Type.Object({
  after: Type.String({
    pattern: '^(latest|[0-9]{1,15})$',
    default: '0',
    description: 'The sequence to go on after: `nextAfter` of the answer before; `latest` for what comes from now on.',
  }),
  types: Type.Optional(
    Type.String({
      maxLength: 2_000,
      examples: ['user.*,session.revoked'],
      description: 'Event types or groups, separated by commas; all when absent.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  wait: Type.Integer({
    minimum: 0,
    maximum: 30,
    default: 0,
    description: 'Seconds to wait for an event when there is none yet (long poll).',
  }),
});

const Feed = Type.Object({
  items: Type.Array(Event, { description: 'In their order, oldest first.' }),
  nextAfter: Type.Integer({ description: 'Go on with this; it moves on also when no event was of the wanted types.' }),
  more: Type.Boolean({ description: 'There are more right now.' }),
});

export const feedRoutes: Routes = [
  get('/v1/admin/events', {
    permission: 'events:read',
    summary: 'Read the event feed',
    description:
      'Every event of the project environment in one order that never changes: an event that commits late comes later, it is never put before one that was read. Keep `nextAfter` and go on with it to miss nothing.',
    query: FeedQuery,
    responses: { 200: Feed },
    problems: ['VALIDATION_FAILED'],
    handler: ({ ctx, query, server }) => readFeed(ctx, query, server.closing),
  }),
  post('/v1/admin/events', {
    permission: 'webhooks:write',
    stepUp: false,
    summary: 'Emit an example event',
    description:
      'Writes an event with example data into the log, marked `example`, so that receivers can be tried. Test environment only.',
    body: Type.Object({ type: Type.String({ minLength: 1, maxLength: 100 }) }, { additionalProperties: false }),
    responses: { 201: Type.Object({ id: IdSchema('evt'), type: Type.String() }) },
    problems: ['VALIDATION_FAILED', 'CONFLICT'],
    handler: async ({ ctx, body }, reply) => reply.code(201).send(await trigger(ctx, body.type)),
  }),
];

async function readFeed(
  ctx: Ctx,
  { after, types, limit, wait }: Static<typeof FeedQuery>,
  closing: AbortSignal,
): Promise<Static<typeof Feed>> {
  const patterns = types === undefined ? null : patternsOf(types);
  let from = after === 'latest' ? await lastSequence(ctx) : Number(after);
  const look = async () => {
    const { events, reached, more } = await readEvents(ctx, {
      after: from,
      types: patterns && selectedTypes(patterns),
      limit,
    });
    from = reached;
    return events.length > 0 ? { items: events, nextAfter: reached, more } : null;
  };
  const found = wait > 0 ? await waitForEvents(ctx, look, { seconds: wait, signal: closing }) : await look();
  return found ?? { items: [], nextAfter: from, more: false };
}

function patternsOf(types: string): string[] {
  const patterns = types.split(',');
  requireKnownPatterns(patterns, '/querystring/types');
  return patterns;
}

/**
 * @throws Problem VALIDATION_FAILED for an unknown type, CONFLICT in the production environment, which has no examples
 */
function trigger(ctx: Ctx, name: string): Promise<{ id: `evt_${string}`; type: string }> {
  const type = requireEventType(name);
  if (ctx.scope.environment === 'production')
    throw problem('CONFLICT', 'Example events can only be emitted in the test environment.');
  return transaction(ctx, async (tx) => ({ id: await emitExample(tx, type), type }));
}
