import { PassThrough, Readable } from 'node:stream';
import { Type } from 'typebox';
import { sendFile } from '#platform/files.ts';
import type { App } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { Problem, problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { failedRows, ImportReport, ReportQuery, reportImport } from './import-report.ts';
import { receiveImport } from './import-upload.ts';
import { getImport, ImportRef, listImports, MemberImport } from './imports.ts';
import { exportMembers, noteExport, requireExport } from './member-export.ts';

const FORMATS = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;

/**
 * Reads a body so that the client receives an error response sent halfway: the connection stays open and the rest of
 * the body is discarded. Browsers read a response only after they have sent everything.
 */
async function answerable<T>(body: Readable, read: (file: Readable) => Promise<T>): Promise<T> {
  const file = new PassThrough();
  body.once('error', (error) => file.destroy(error)).pipe(file);
  try {
    return await read(file);
  } catch (error) {
    body.unpipe(file);
    if (error instanceof Problem && error.code !== 'PAYLOAD_TOO_LARGE') body.resume();
    else body.destroy();
    throw error;
  } finally {
    file.destroy();
  }
}

/** Passes the body on as a stream instead of reading it into memory. */
async function asStream(scope: App): Promise<void> {
  scope.addContentTypeParser(Object.keys(FORMATS), (_request, body, parsed) => parsed(null, body));
}

const ExportQuery = Type.Object({
  passwordHashes: Type.Boolean({ default: false, description: 'Includes the password hashes.' }),
});

/** Importing members from another system, and exporting them to one. */
export const importRoutes: Routes = [
  post('/v1/admin/members/import', {
    permission: 'members:import',
    stepUp: 'unless dryRun',
    streams: true,
    summary: 'Import members',
    description:
      'Accepts up to 1 GiB of newline-delimited JSON (`application/x-ndjson`) or CSV with a header line (`text/csv`), one member per row, with password hashes of many kinds. Responds once all rows are stored; they are processed in the background, also after a crash. `dryRun` reports the results and changes nothing.',
    consumes: Object.keys(FORMATS),
    query: Type.Object({ dryRun: Type.Boolean({ default: false }) }),
    responses: { 202: MemberImport },
    problems: ['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    plugin: asStream,
    handler: async (request, reply) => {
      const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      const { body } = request;
      if (!(body instanceof Readable)) throw problem('UNSUPPORTED_MEDIA_TYPE');
      const format = type === 'text/csv' ? 'csv' : 'ndjson';
      const { dryRun } = request.query;
      return reply
        .code(202)
        .send(await answerable(body, (file) => receiveImport(request.ctx, file, { format, dryRun })));
    },
  }),
  get('/v1/admin/members/import', {
    permission: 'members:import',
    summary: 'List imports of members',
    description: 'Newest first, for thirty days.',
    query: PageQuery,
    responses: { 200: PageOf(MemberImport) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listImports(request.ctx, request.query),
  }),
  get('/v1/admin/members/import/:jobId', {
    permission: 'members:import',
    summary: 'Read an import and its report',
    params: ImportRef,
    query: ReportQuery,
    responses: { 200: ImportReport },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => reportImport(request.ctx, request.params.jobId, request.query),
  }),
  get('/v1/admin/members/import/:jobId/failures', {
    permission: 'members:import',
    scopeIn: 'link',
    summary: 'Export the failed rows of an import',
    description: 'Row numbers and errors as CSV; the rows themselves are not stored.',
    params: ImportRef,
    produces: ['text/csv'],
    responses: { 200: Type.Unsafe<Readable>(Type.String()) },
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const { ctx, params } = request;
      const { jobId } = params;
      await getImport(ctx, jobId);
      reply.type('text/csv; charset=utf-8').header('cache-control', 'no-store');
      reply.header('content-disposition', `attachment; filename="failed-rows-${jobId}.csv"`);
      return sendFile({ request, reply }, failedRows(ctx, jobId));
    },
  }),
  get('/v1/admin/members/export', {
    permission: 'members:import',
    stepUp: true,
    scopeIn: 'link',
    summary: 'Export all members',
    description:
      'One JSON object per line, oldest first, in the format of an import. Includes password hashes only with `passwordHashes` (and `members:credentials`), and only of accounts that were created in this project and belong to no other. Protect them like the database.',
    query: ExportQuery,
    produces: ['application/x-ndjson'],
    responses: { 200: Type.Unsafe<Readable>(Type.String()) },
    handler: async (request, reply) => {
      const { ctx, query } = request;
      await requireExport(ctx, query);
      if (request.method !== 'HEAD') await noteExport(ctx, query);
      reply.type('application/x-ndjson').header('cache-control', 'no-store');
      reply.header('content-disposition', 'attachment; filename="members.ndjson"');
      return sendFile({ request, reply }, exportMembers(ctx, query));
    },
  }),
];
