import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Request } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { requireAddress } from './stream-rules.ts';
import {
  createStream,
  deleteStream,
  getStream,
  LogStream,
  LogStreamRef,
  listStreams,
  NewStream,
  StreamChanges,
  updateStream,
} from './streams.ts';

const WithUrl = Type.Object({ url: Type.String() });

/**
 * Checks a new address, including DNS.
 * @throws Problem VALIDATION_FAILED
 */
async function ahead({ ctx, body }: Request): Promise<void> {
  if (Value.Check(WithUrl, body)) await requireAddress(ctx, body.url);
}

export const streamRoutes: Routes = [
  get('/v1/admin/log-streams', {
    permission: 'log-streams:read',
    summary: 'List log streams',
    query: PageQuery,
    responses: { 200: PageOf(LogStream) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listStreams(request.ctx, request.query),
  }),
  post('/v1/admin/log-streams', {
    permission: 'log-streams:write',
    stepUp: true,
    ahead,
    summary: 'Add a log stream',
    description:
      'Sends the audit log of the project environment, which has one entry per event, to another system: in order, at least once. A project environment has up to ten log streams.',
    body: NewStream,
    responses: { 201: LogStream },
    problems: ['CONFLICT'],
    handler: (request) => createStream(request.ctx, request.body),
  }),
  get('/v1/admin/log-streams/:logStreamId', {
    permission: 'log-streams:read',
    etag: { without: ['delivery'] },
    summary: 'Read a log stream with its lag',
    params: LogStreamRef,
    responses: { 200: LogStream },
    problems: ['NOT_FOUND'],
    handler: (request) => getStream(request.ctx, request.params.logStreamId),
  }),
  patch('/v1/admin/log-streams/:logStreamId', {
    permission: 'log-streams:write',
    stepUp: true,
    ahead,
    summary: 'Change a log stream',
    description:
      'An address of another origin needs the secret again, and so does another `caCertificate`, except for `syslog`.',
    params: LogStreamRef,
    body: StreamChanges,
    responses: { 200: LogStream },
    problems: ['NOT_FOUND'],
    handler: (request) => updateStream(request.ctx, request.params.logStreamId, request.body),
  }),
  del('/v1/admin/log-streams/:logStreamId', {
    permission: 'log-streams:write',
    stepUp: true,
    summary: 'Remove a log stream',
    params: LogStreamRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteStream(request.ctx, request.params.logStreamId),
  }),
];
