import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { addApplication, deleteApplication, updateApplication } from './application-changes.ts';
import {
  ApplicationChanges,
  ApplicationQuery,
  ApplicationRecord,
  CreatedApplication,
  getApplication,
  listApplications,
  NewApplicationBody,
  NewSecret,
} from './application-records.ts';
import { addApplicationSecret, removeApplicationSecret } from './application-secrets.ts';

const ApplicationRef = Type.Object({ id: IdSchema('app') });
const SecretRef = Type.Object({ id: IdSchema('app'), secretId: IdSchema('sec') });

/** OAuth/OIDC clients of a project, and their secrets. */
export const applicationRoutes: Routes = [
  get('/v1/admin/applications', {
    permission: 'applications:read',
    summary: 'List applications',
    query: ApplicationQuery,
    responses: { 200: PageOf(ApplicationRecord) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listApplications(request.ctx, request.query),
  }),
  post('/v1/admin/applications', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Add an application',
    body: NewApplicationBody,
    responses: { 201: CreatedApplication },
    handler: (request) => addApplication(request.ctx, request.body),
  }),
  get('/v1/admin/applications/:id', {
    permission: 'applications:read',
    etag: true,
    summary: 'Read an application',
    params: ApplicationRef,
    responses: { 200: ApplicationRecord },
    problems: ['NOT_FOUND'],
    handler: (request) => getApplication(request.ctx, request.params.id),
  }),
  patch('/v1/admin/applications/:id', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Change an application',
    description: 'Disabling it, or changing permissions or keys, ends its tokens immediately.',
    params: ApplicationRef,
    body: ApplicationChanges,
    responses: { 200: ApplicationRecord },
    problems: ['NOT_FOUND'],
    handler: (request) => updateApplication(request.ctx, request.params.id, request.body),
  }),
  del('/v1/admin/applications/:id', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Remove an application',
    description: 'Its tokens end immediately.',
    params: ApplicationRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteApplication(request.ctx, request.params.id),
  }),
  post('/v1/admin/applications/:id/secrets', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Add a secret',
    description: 'Two can be active, so that you can deploy a new one before you remove the old one.',
    params: ApplicationRef,
    responses: { 201: NewSecret },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => addApplicationSecret(request.ctx, request.params.id),
  }),
  del('/v1/admin/applications/:id/secrets/:secretId', {
    permission: 'applications:write',
    changes: '/v1/admin/applications/:id',
    stepUp: true,
    summary: 'Remove a secret',
    description: "The application's tokens end immediately.",
    params: SecretRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => removeApplicationSecret(request.ctx, request.params.id, request.params.secretId),
  }),
];
