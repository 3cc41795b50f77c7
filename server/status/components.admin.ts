import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { getStatusSettings, StatusSettings, StatusSettingsChanges, updateStatusSettings } from './boards.ts';
import {
  Component,
  ComponentChanges,
  ComponentRef,
  CreatedComponent,
  createComponent,
  deleteComponent,
  getComponent,
  listComponents,
  NewComponent,
  updateComponent,
} from './components.ts';
import {
  createGroup,
  deleteGroup,
  Group,
  GroupChanges,
  GroupRef,
  getGroup,
  listGroups,
  NewGroup,
  updateGroup,
} from './groups.ts';

/** Components and groups of the status page. */
export const statusComponentRoutes: Routes = [
  get('/v1/admin/status/components', {
    permission: 'status:read',
    summary: 'List status components',
    description: 'In the order in which they are shown.',
    query: PageQuery,
    responses: { 200: PageOf(Component) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => listComponents(request.ctx, request.query),
  }),
  post('/v1/admin/status/components', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Add a status component',
    description:
      'Checked over HTTP or TCP, reporting by itself (`heartbeat`: the response contains the address to POST to, which is shown only once), or set by your incidents (`manual`).',
    body: NewComponent,
    responses: { 201: CreatedComponent },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request, reply) => reply.code(201).send(await createComponent(request.ctx, request.body)),
  }),
  get('/v1/admin/status/components/:id', {
    permission: 'status:read',
    etag: { without: ['status', 'statusSince', 'heartbeatAt'] },
    summary: 'Read a status component',
    params: ComponentRef,
    responses: { 200: Component },
    problems: ['NOT_FOUND'],
    handler: (request) => getComponent(request.ctx, request.params.id),
  }),
  patch('/v1/admin/status/components/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Change how a status component is shown',
    params: ComponentRef,
    body: ComponentChanges,
    responses: { 200: Component },
    problems: ['NOT_FOUND'],
    handler: (request) => updateComponent(request.ctx, request.params.id, request.body),
  }),
  del('/v1/admin/status/components/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Remove a status component of your own',
    params: ComponentRef,
    responses: { 204: Type.Null({ description: 'Removed.' }) },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request, reply) => {
      await deleteComponent(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  }),
  // Groups of components, and the settings of the status.
  get('/v1/admin/status/groups', {
    permission: 'status:read',
    summary: 'List status groups',
    description: 'In the order in which they are shown.',
    query: PageQuery,
    responses: { 200: PageOf(Group) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => listGroups(request.ctx, request.query),
  }),
  post('/v1/admin/status/groups', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Add a status group',
    body: NewGroup,
    responses: { 201: Group },
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => reply.code(201).send(await createGroup(request.ctx, request.body)),
  }),
  get('/v1/admin/status/groups/:id', {
    permission: 'status:read',
    etag: true,
    summary: 'Read a status group',
    params: GroupRef,
    responses: { 200: Group },
    problems: ['NOT_FOUND'],
    handler: (request) => getGroup(request.ctx, request.params.id),
  }),
  patch('/v1/admin/status/groups/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Change a status group',
    params: GroupRef,
    body: GroupChanges,
    responses: { 200: Group },
    problems: ['NOT_FOUND'],
    handler: (request) => updateGroup(request.ctx, request.params.id, request.body),
  }),
  del('/v1/admin/status/groups/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Remove an empty status group',
    params: GroupRef,
    responses: { 204: Type.Null({ description: 'Removed.' }) },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request, reply) => {
      await deleteGroup(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  }),
  get('/v1/admin/status/settings', {
    permission: 'status:read',
    etag: true,
    summary: 'Read the settings of the status',
    responses: { 200: StatusSettings },
    problems: ['NOT_FOUND'],
    handler: (request) => getStatusSettings(request.ctx),
  }),
  patch('/v1/admin/status/settings', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Change the settings of the status',
    body: StatusSettingsChanges,
    responses: { 200: StatusSettings },
    problems: ['NOT_FOUND'],
    handler: (request) => updateStatusSettings(request.ctx, request.body),
  }),
];
