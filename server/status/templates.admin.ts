import { Type } from 'typebox';
import { PageOf } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { managedPage } from './pages.ts';
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  NewTemplate,
  Template,
  TemplateChanges,
  TemplateQuery,
  TemplateRef,
  updateTemplate,
} from './templates.ts';

export const statusTemplateRoutes: Routes = [
  get('/v1/admin/status/templates', {
    permission: 'status:read',
    summary: 'List templates of incidents and maintenances',
    query: TemplateQuery,
    responses: { 200: PageOf(Template) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: async (request) => listTemplates(await managedPage(request.ctx), request.query),
  }),
  post('/v1/admin/status/templates', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Add a template of an incident or maintenance',
    description: 'Up to 200. A template announces nothing: the console fills its forms with it.',
    body: NewTemplate,
    responses: { 201: Template },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => createTemplate(await managedPage(request.ctx), request.body),
  }),
  get('/v1/admin/status/templates/:id', {
    permission: 'status:read',
    etag: true,
    summary: 'Read a template',
    params: TemplateRef,
    responses: { 200: Template },
    problems: ['NOT_FOUND'],
    handler: async (request) => getTemplate(await managedPage(request.ctx), request.params.id),
  }),
  patch('/v1/admin/status/templates/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Change a template',
    params: TemplateRef,
    body: TemplateChanges,
    responses: { 200: Template },
    problems: ['NOT_FOUND'],
    handler: async (request) => updateTemplate(await managedPage(request.ctx), request.params.id, request.body),
  }),
  del('/v1/admin/status/templates/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Remove a template',
    params: TemplateRef,
    responses: { 204: Type.Null({ description: 'Removed.' }) },
    problems: ['NOT_FOUND'],
    handler: async (request) => deleteTemplate(await managedPage(request.ctx), request.params.id),
  }),
];
