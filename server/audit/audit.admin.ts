import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { AuditedEvent } from './chain.ts';
import { Checkpoint, listCheckpoints } from './checkpoints.ts';
import { ExportFormat, exportAudit } from './export.ts';
import { AuditEvent, AuditQuery, searchAudit, TimeRange } from './search.ts';
import { auditKeyThumbprint } from './signing.ts';

const Export = Type.Object({
  entries: Type.Array(
    Type.Object({
      sequence: Type.Integer(),
      leaf: Type.String({ description: 'The hash of the entry, base64url.' }),
      hash: Type.String({ description: 'The hash of the chain up to it, base64url.' }),
      entry: Type.Union([AuditedEvent, Type.Null()]),
    }),
  ),
  seal: Type.String({ description: 'A compact JWS that says which stretch of the chain this is.' }),
});

/** What happened in a project, and the proof that nothing of it was changed. */
export const auditRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/audit-events',
    {
      config: { permission: 'audit:read' },
      schema: {
        summary: 'Search the audit log',
        description: 'Newest first. Every event of the project environment is in it, within a second.',
        querystring: AuditQuery,
        response: { 200: PageOf(AuditEvent), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => searchAudit(request.ctx, request.query),
  );

  app.get(
    '/v1/admin/audit-events/export',
    {
      config: { permission: 'audit:read', scopeIn: 'link' },
      schema: {
        summary: 'Export the audit log',
        description:
          'Everything between the first entry of the range and the last, in order, ended by a signed seal; `latchkey audit verify FILE` proves it whole and unaltered.',
        querystring: Type.Object({ ...TimeRange.properties, format: ExportFormat }),
        response: {
          200: {
            description: 'The file.',
            content: {
              'application/json': { schema: Type.Unsafe<Readable>(Export) },
              'text/csv': { schema: Type.Unsafe<Readable>(Type.String()) },
            },
          },
        },
      },
    },
    async ({ ctx, query }, reply) =>
      reply
        .type(query.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
        .header(
          'content-disposition',
          `attachment; filename="audit-${ctx.scope.environment}-${ctx.now.toISOString().slice(0, 10)}.${query.format}"`,
        )
        .header('cache-control', 'no-store')
        .send(exportAudit(ctx, query)),
  );

  app.get(
    '/v1/admin/audit-events/checkpoints',
    {
      config: { permission: 'audit:read' },
      schema: {
        summary: 'List signed checkpoints of the audit log',
        description:
          'Newest first, one an hour while things happen. Keep them elsewhere: what they signed can not be rewritten.',
        querystring: PageQuery,
        response: {
          200: Type.Object({
            ...PageOf(Checkpoint).properties,
            key: Type.String({ description: 'Thumbprint (RFC 7638) of the key that signs checkpoints and exports.' }),
          }),
          ...problemResponses('INVALID_CURSOR'),
        },
      },
    },
    async ({ ctx, query }) => ({
      ...(await listCheckpoints(ctx, query)),
      key: await auditKeyThumbprint(ctx.system),
    }),
  );
};
