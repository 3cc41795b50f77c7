import { type Static, Type } from 'typebox';
import { publicActor } from '#events';
import type { Ctx } from '#platform/ctx.ts';
import { newId } from '#platform/ids.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { send } from './destinations.ts';
import type { LogEntry } from './log-entries.ts';
import { about, destinationOf, type StreamRow } from './streams.ts';

export const TestResult = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether the destination accepted the entry.' }),
    statusCode: nullable(Type.Integer()),
    error: nullable(Type.String()),
    responseSnippet: nullable(Type.String()),
  },
  { title: 'LogStreamTest' },
);

/** A person waits for the result. */
const TEST_MS = 10_000;
const turns = limits({ 'log-stream-test': { points: 30, seconds: 3_600 } });

/**
 * Sends an example entry to the destination of a stream.
 * @throws Problem RATE_LIMIT_EXCEEDED beyond thirty of a stream in an hour
 */
export async function tryStream(ctx: Ctx, stream: StreamRow): Promise<Static<typeof TestResult>> {
  const taken = await turns(ctx.system)['log-stream-test'].take(ctx, limitKey(stream.id));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  const destination = destinationOf(ctx.system.keyring, stream);
  const signal = AbortSignal.timeout(TEST_MS);
  const verdict = await send(ctx.system, destination, { entries: [exampleEntry(ctx, stream)], signal });
  if (verdict.kind === 'accepted' && verdict.refused.length === 0)
    return { ok: true, statusCode: null, error: null, responseSnippet: null };
  const fault = verdict.kind === 'accepted' ? verdict.refused[0]?.fault : verdict.fault;
  return { ok: false, statusCode: null, error: null, responseSnippet: null, ...fault };
}

function exampleEntry({ scope, now, actor, trace }: Ctx, stream: StreamRow): LogEntry {
  return {
    ...scope,
    id: newId('evt', now),
    sequence: 0,
    occurredAt: now.toISOString(),
    action: 'log_stream.tested',
    actor: publicActor(actor),
    resources: [stream.id],
    correlationId: trace.correlationId,
    example: true,
    data: { ...about(stream), ok: true },
    hash: '',
  };
}
