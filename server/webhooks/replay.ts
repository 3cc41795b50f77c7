import { type Static, Type } from 'typebox';
import { EventPattern, emit, requireKnownPatterns } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { addJob } from '#platform/jobs.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { type EndpointId, type EndpointRow, getEndpoint, lockEndpoint } from './endpoints.ts';

export const Replay = Type.Object(
  {
    since: Instant,
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Now when absent.' })),
    types: Type.Optional(
      Type.Array(EventPattern, {
        minItems: 1,
        maxItems: 100,
        description: 'Event types or groups; the endpoint’s own selection when absent.',
      }),
    ),
  },
  { additionalProperties: false },
);
export const Recovery = Type.Object({ since: Instant }, { additionalProperties: false });

export const ReplayWork = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
  endpointId: IdSchema('whe'),
  trigger: Type.Enum(['replay', 'recovery']),
  since: Type.String(),
  until: Type.String(),
  types: Type.Array(Type.String()),
  after: Type.Integer(),
});
export type ReplayWork = Static<typeof ReplayWork>;

declare module '#platform/jobs.ts' {
  interface Jobs {
    replay_webhooks: ReplayWork;
  }
}

/**
 * Sends the events of a time range to an endpoint again, with their original ids. The endpoint may be new.
 * @throws Problem NOT_FOUND, CONFLICT while it is disabled, VALIDATION_FAILED
 */
export async function replay(ctx: Ctx, id: EndpointId, { since, until, types }: Static<typeof Replay>): Promise<void> {
  if (types) requireKnownPatterns(ctx, types, '/body/types');
  const end = until ?? justAfter(ctx.now);
  if (instantOf(end) <= instantOf(since))
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/until', message: 'must be after `since`' }] },
    });
  await takeTurn(ctx, id);
  await transaction(ctx, async (tx) => {
    const endpoint = await enabledEndpoint(tx, id);
    await begin(tx, endpoint, { trigger: 'replay', since, until: end, types: types ?? endpoint.events });
    await emit(tx, 'webhook.endpoint.replayed', { endpointId: id, url: endpoint.url, since, until: end });
  });
}

/**
 * Sends the events that an endpoint has missed since a time: selected events that were neither delivered nor wait for
 * delivery.
 * @throws Problem NOT_FOUND, CONFLICT while it is disabled, RATE_LIMIT_EXCEEDED
 */
export async function recover(ctx: Ctx, id: EndpointId, { since }: Static<typeof Recovery>): Promise<void> {
  await takeTurn(ctx, id);
  await transaction(ctx, async (tx) => {
    const endpoint = await enabledEndpoint(tx, id);
    const until = justAfter(tx.now);
    await begin(tx, endpoint, { trigger: 'recovery', since, until, types: endpoint.events });
    await emit(tx, 'webhook.endpoint.recovered', { endpointId: id, url: endpoint.url, since });
  });
}

const turns = limits({ 'webhook-replay': { points: 10, seconds: 3_600 } });

/**
 * Limits replays, because each may queue every event in the log while other endpoints share the workers.
 * @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED beyond ten replays and recoveries of an endpoint in an hour
 */
async function takeTurn(ctx: Ctx, id: EndpointId): Promise<void> {
  await getEndpoint(ctx, id);
  const taken = await turns(ctx.system)['webhook-replay'].take(ctx, limitKey(id));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
}

/** Includes events of the current millisecond. */
function justAfter(now: Date): string {
  return new Date(now.getTime() + 1).toISOString();
}

async function enabledEndpoint(tx: TxCtx, id: EndpointId): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(tx, id);
  if (!endpoint.enabled) throw problem('CONFLICT', 'The endpoint is disabled; enable it first.');
  return endpoint;
}

function begin(tx: TxCtx, endpoint: EndpointRow, work: Pick<ReplayWork, 'trigger' | 'since' | 'until' | 'types'>) {
  return addJob(tx, 'replay_webhooks', { ...tx.scope, endpointId: endpoint.id, after: 0, ...work });
}
