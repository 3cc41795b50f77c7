import { type Static, Type } from 'typebox';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { openCursor, PageQuery, sealCursor } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { nullable } from '#platform/schemas.ts';
import { Event, requireExample, requireKnownPatterns, selectedTypes } from './event-types.ts';
import { emitExample } from './events.ts';
import { lastSequence, readEvents } from './reading.ts';
import { waitForEvents } from './waiting.ts';

const FeedQuery = Type.Object({
  after: Type.String({
    pattern: '^(latest|[0-9]{1,15})$',
    default: '0',
    description:
      'The sequence to continue after: `nextAfter` of the previous response; `latest` for future events only.',
  }),
  types: Type.Optional(
    Type.String({
      maxLength: 2_000,
      examples: ['user.*,session.revoked'],
      description: 'Event types or groups, separated by commas; all when absent.',
    }),
  ),
  ...PageQuery.properties,
  wait: Type.Integer({
    minimum: 0,
    maximum: 30,
    default: 0,
    description: 'Seconds to wait for an event when there is none yet (long poll).',
  }),
});

const Feed = Type.Object({
  items: Type.Array(Event, { description: 'In log order, oldest first.' }),
  nextCursor: nullable(
    Type.String({
      description: 'Continues after these events, as in every list. Null if there are no more right now.',
    }),
  ),
  nextAfter: Type.Integer({
    description: 'Pass it as `after` to continue, now or later. It advances even if no event had a selected type.',
  }),
  more: Type.Boolean({ description: 'True if more events can be read now.' }),
});

export const feedRoutes: Routes = [
  get('/v1/admin/events', {
    permission: 'events:read',
    summary: 'Read the event feed',
    description:
      'Every event of the project environment, in an order that never changes: an event that commits late appears at the end, never before one that was already read. Store `nextAfter` and continue with it to miss nothing. `cursor` takes precedence over `after`.',
    query: FeedQuery,
    responses: { 200: Feed },
    problems: ['VALIDATION_FAILED', 'INVALID_CURSOR'],
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
    handler: ({ ctx, body }) => trigger(ctx, body.type),
  }),
];

async function readFeed(
  ctx: Ctx,
  { after, cursor, types, limit, wait }: Static<typeof FeedQuery>,
  closing: AbortSignal,
): Promise<Static<typeof Feed>> {
  const patterns = types === undefined ? null : patternsOf(ctx, types);
  const list = `events ${types ?? ''}`;
  let from = cursor === undefined ? await startOf(ctx, after) : Number(openCursor(ctx, list, cursor));
  const look = async () => {
    const { events, reached, more } = await readEvents(ctx, {
      after: from,
      types: patterns && selectedTypes(ctx, patterns),
      limit,
    });
    from = reached;
    if (events.length === 0) return null;
    const nextCursor = more ? sealCursor(ctx, list, String(reached)) : null;
    return { items: events, nextCursor, nextAfter: reached, more };
  };
  const found = wait > 0 ? await waitForEvents(ctx, look, { seconds: wait, signal: closing }) : await look();
  return found ?? { items: [], nextCursor: null, nextAfter: from, more: false };
}

async function startOf(ctx: Ctx, after: string): Promise<number> {
  return after === 'latest' ? lastSequence(ctx) : Number(after);
}

function patternsOf(ctx: Ctx, types: string): string[] {
  const patterns = types.split(',');
  requireKnownPatterns(ctx, patterns, '/querystring/types');
  return patterns;
}

/**
 * @throws Problem VALIDATION_FAILED for an unknown type, CONFLICT in the production environment, which has no examples
 */
function trigger(ctx: Ctx, name: string): Promise<{ id: `evt_${string}`; type: string }> {
  const example = requireExample(ctx, name);
  if (ctx.scope.environment === 'production')
    throw problem('CONFLICT', 'Example events can only be emitted in the test environment.');
  return transaction(ctx, async (tx) => ({ id: await emitExample(tx, example), type: name }));
}
