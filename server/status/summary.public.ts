import { Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { boardOf } from './prober.ts';
import { Summary } from './summary.ts';

const StatusQuery = Type.Object({
  environment: Type.Optional(
    Type.Enum(['test', 'production', 'prod'], {
      description: 'Only on the console host, which has none of its own; production when absent.',
    }),
  ),
});

export const statusRoutes: Routes = (app) => {
  app.get(
    '/api/status/summary',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Read the status summary',
        description: 'Poll every 60 to 300 seconds, with If-None-Match.',
        querystring: StatusQuery,
        response: { 200: Summary, 304: Type.Null({ description: 'Unchanged since the given ETag.' }) },
      },
    },
    async (request, reply) => {
      const { summary, body, etag } = boardOf(
        app.system,
        app.host.environment ?? named(request.query.environment),
      ).rendered;
      reply.header('cache-control', 'public, max-age=60').header('etag', etag);
      if (matches(request.headers['if-none-match'], etag)) {
        reply.code(304);
        return null;
      }
      reply.type('application/json; charset=utf-8').serializer(() => body);
      return summary;
    },
  );
};

function named(environment: 'test' | 'production' | 'prod' | undefined): Environment {
  return environment === 'test' ? 'test' : 'production';
}

/** RFC 9110 §13.1.2: weak comparison. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header === '*' || header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
