import { Type } from 'typebox';
import type { App, Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  ApplicationChanges,
  ApplicationRecord,
  addApplication,
  addApplicationSecret,
  CreatedApplication,
  getApplication,
  listApplications,
  NewApplicationBody,
  NewSecret,
  removeApplication,
  removeApplicationSecret,
  updateApplication,
} from './application-records.ts';

const ApplicationRef = Type.Object({ id: IdSchema('app') });
const SecretRef = Type.Object({ id: IdSchema('app'), secretId: IdSchema('sec') });

/** OAuth/OIDC clients of a project, and their secrets. */
export const applicationRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/applications',
    {
      config: { permission: 'applications:read' },
      schema: {
        summary: 'List applications',
        querystring: PageQuery,
        response: { 200: PageOf(ApplicationRecord), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listApplications(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/applications',
    {
      config: { permission: 'applications:write', stepUp: true },
      schema: {
        summary: 'Add an application',
        body: NewApplicationBody,
        response: { 201: CreatedApplication },
      },
    },
    async (request, reply) => reply.code(201).send(await addApplication(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/applications/:id',
    {
      config: { permission: 'applications:read', etag: true },
      schema: {
        summary: 'Read an application',
        params: ApplicationRef,
        response: { 200: ApplicationRecord, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getApplication(request.ctx, request.params.id),
  );

  app.patch(
    '/v1/admin/applications/:id',
    {
      config: { permission: 'applications:write', stepUp: true },
      schema: {
        summary: 'Change an application',
        description: 'Switching off, and changing permissions or keys, ends its tokens at once.',
        params: ApplicationRef,
        body: ApplicationChanges,
        response: { 200: ApplicationRecord, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => updateApplication(request.ctx, request.params.id, request.body),
  );

  app.delete(
    '/v1/admin/applications/:id',
    {
      config: { permission: 'applications:write', stepUp: true },
      schema: {
        summary: 'Remove an application',
        description: 'Its tokens end at once.',
        params: ApplicationRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await removeApplication(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );
  secretRoutes(app);
};

function secretRoutes(app: App): void {
  app.post(
    '/v1/admin/applications/:id/secrets',
    {
      config: { permission: 'applications:write', stepUp: true },
      schema: {
        summary: 'Add a secret',
        description: 'Two can be live, so that a new one is rolled out before the old one goes.',
        params: ApplicationRef,
        response: { 201: NewSecret, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => reply.code(201).send(await addApplicationSecret(request.ctx, request.params.id)),
  );

  app.delete(
    '/v1/admin/applications/:id/secrets/:secretId',
    {
      config: { permission: 'applications:write', stepUp: true },
      schema: {
        summary: 'Remove a secret',
        description: "The application's tokens end at once.",
        params: SecretRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await removeApplicationSecret(request.ctx, request.params.id, request.params.secretId);
      return reply.code(204).send(null);
    },
  );
}
