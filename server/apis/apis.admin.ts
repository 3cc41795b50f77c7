import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { Api, ApiChanges, createApi, deleteApi, getApi, listApis, NewApi, updateApi } from './apis.ts';

const ApiRef = Type.Object({ id: IdSchema('api') });

/** The APIs that a project's applications may get access tokens for (resource servers). */
export const apiRoutes: Routes = [
  get('/v1/admin/apis', {
    permission: 'apis:read',
    summary: 'List APIs',
    query: PageQuery,
    responses: { 200: PageOf(Api) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listApis(request.ctx, request.query),
  }),
  post('/v1/admin/apis', {
    permission: 'apis:write',
    stepUp: false,
    summary: 'Add an API',
    description: 'Applications get tokens for it when it is granted to them (`apis` of an application).',
    body: NewApi,
    responses: { 201: Api },
    problems: ['ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => createApi(request.ctx, request.body),
  }),
  get('/v1/admin/apis/:id', {
    permission: 'apis:read',
    etag: true,
    summary: 'Read an API',
    params: ApiRef,
    responses: { 200: Api },
    problems: ['NOT_FOUND'],
    handler: (request) => getApi(request.ctx, request.params.id),
  }),
  patch('/v1/admin/apis/:id', {
    permission: 'apis:write',
    stepUp: true,
    summary: 'Change an API',
    description:
      'A scope that is left out of `scopes` ends for every application and every consent; one that is added again has to be granted again.',
    params: ApiRef,
    body: ApiChanges,
    responses: { 200: Api },
    problems: ['NOT_FOUND'],
    handler: (request) => updateApi(request.ctx, request.params.id, request.body),
  }),
  del('/v1/admin/apis/:id', {
    permission: 'apis:write',
    stepUp: true,
    summary: 'Remove an API',
    description: 'No further tokens are issued for it; those already issued are valid until they expire.',
    params: ApiRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteApi(request.ctx, request.params.id),
  }),
];
