import { Value } from 'typebox/value';
import { emit } from '#events';
import { transaction } from '#platform/ctx.ts';
import { callingAhead } from '#platform/http-ahead.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { listFaults, StreamFault } from './faults.ts';
import { about, findStream, LogStream, LogStreamRef, pauseStream, Resumption, resumeStream } from './streams.ts';
import { TestResult, tryStream } from './testing.ts';

const trial = callingAhead(async ({ ctx, params }) => {
  const stream = await findStream(ctx, Value.Parse(LogStreamRef, params).logStreamId);
  return { stream, result: await tryStream(ctx, stream) };
});

export const streamActionRoutes: Routes = [
  post('/v1/admin/log-streams/:logStreamId/pause', {
    permission: 'log-streams:write',
    stepUp: true,
    summary: 'Pause a log stream',
    description: 'Entries wait until it is resumed.',
    params: LogStreamRef,
    responses: { 200: LogStream },
    problems: ['NOT_FOUND'],
    handler: (request) => pauseStream(request.ctx, request.params.logStreamId),
  }),
  post('/v1/admin/log-streams/:logStreamId/resume', {
    permission: 'log-streams:write',
    stepUp: true,
    summary: 'Resume a log stream',
    description:
      'The stream continues after the last entry that it sent, or where `from` says. With `from`, it need not be paused.',
    params: LogStreamRef,
    body: Resumption,
    responses: { 200: LogStream },
    problems: ['NOT_FOUND'],
    handler: (request) => resumeStream(request.ctx, request.params.logStreamId, request.body.from),
  }),
  post('/v1/admin/log-streams/:logStreamId/test', {
    permission: 'log-streams:write',
    stepUp: false,
    ahead: trial.call,
    summary: 'Test a log stream',
    description:
      'Sends an example entry to the destination and returns the result, also while the stream is paused. The entry is marked `example` and is not in the log.',
    params: LogStreamRef,
    responses: { 200: TestResult },
    problems: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      const { stream, result } = trial.resultFor(request);
      await transaction(request.ctx, (tx) => emit(tx, 'log_stream.tested', { ...about(stream), ok: result.ok }));
      return result;
    },
  }),
  get('/v1/admin/log-streams/:logStreamId/faults', {
    permission: 'log-streams:read',
    summary: 'List the last faults of a log stream',
    description: 'Newest first: the last hundred failed requests, and the last hundred entries that were skipped.',
    params: LogStreamRef,
    query: PageQuery,
    responses: { 200: PageOf(StreamFault) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => listFaults(request.ctx, request.params.logStreamId, request.query),
  }),
];
