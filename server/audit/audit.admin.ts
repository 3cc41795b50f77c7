import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { sendFile } from '#platform/files.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { get, type Routes } from '#platform/route.ts';
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
      hash: Type.String({ description: 'The hash of the chain up to this entry, base64url.' }),
      entry: Type.Union([AuditedEvent, Type.Null()]),
    }),
  ),
  seal: Type.String({ description: 'A compact JWS over the range and the hashes of the exported part of the chain.' }),
});

/** The audit log of a project, and its signed exports. */
export const auditRoutes: Routes = [
  get('/v1/admin/audit-events', {
    permission: 'audit:read',
    summary: 'Search the audit log',
    description: 'Newest first. Every event of the project environment is in it, within a second.',
    query: AuditQuery,
    responses: { 200: PageOf(AuditEvent) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => searchAudit(request.ctx, request.query),
  }),
  get('/v1/admin/audit-events/export', {
    permission: 'audit:read',
    scopeIn: 'link',
    summary: 'Export the audit log',
    description:
      'Every entry of the range in order, followed by a signed seal. `latchkey audit verify FILE` proves that the file is complete and unaltered.',
    query: Type.Object({ ...TimeRange.properties, format: ExportFormat }),
    responses: {
      200: {
        description: 'The file.',
        content: {
          'application/json': { schema: Type.Unsafe<Readable>(Export) },
          'text/csv': { schema: Type.Unsafe<Readable>(Type.String()) },
        },
      },
    },
    handler: async (request, reply) => {
      const { ctx, query } = request;
      const name = `audit-${ctx.scope.environment}-${ctx.now.toISOString().slice(0, 10)}.${query.format}`;
      reply
        .type(query.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-store');
      return sendFile({ request, reply }, exportAudit(ctx, query));
    },
  }),
  get('/v1/admin/audit-events/checkpoints', {
    permission: 'audit:read',
    summary: 'List signed checkpoints of the audit log',
    description:
      'Newest first; one per hour with events. Store them elsewhere: entries they cover cannot be rewritten unnoticed.',
    query: PageQuery,
    responses: {
      200: Type.Object({
        ...PageOf(Checkpoint).properties,
        key: Type.String({ description: 'Thumbprint (RFC 7638) of the key that signs checkpoints and exports.' }),
      }),
    },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query }) => ({
      ...(await listCheckpoints(ctx, query)),
      key: await auditKeyThumbprint(ctx.system),
    }),
  }),
];
