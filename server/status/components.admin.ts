import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
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

const GONE = { 204: Type.Null({ description: 'Removed.' }) };

/** What the status is made of. */
export const statusComponentRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/status/components',
    {
      config: { permission: 'status:read' },
      schema: {
        summary: 'List status components',
        description: 'In the order in which they are shown.',
        querystring: PageQuery,
        response: { 200: PageOf(Component), ...problemResponses('NOT_FOUND', 'INVALID_CURSOR') },
      },
    },
    (request) => listComponents(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/status/components',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Add a status component',
        description:
          'Checked over HTTP or TCP, reporting by itself (`heartbeat`: the answer holds the address to POST to, which is not shown again), or as your incidents say (`manual`).',
        body: NewComponent,
        response: { 201: CreatedComponent, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => reply.code(201).send(await createComponent(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/status/components/:id',
    {
      config: { permission: 'status:read', etag: { without: ['status', 'statusSince', 'heartbeatAt'] } },
      schema: {
        summary: 'Read a status component',
        params: ComponentRef,
        response: { 200: Component, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getComponent(request.ctx, request.params.id),
  );

  app.patch(
    '/v1/admin/status/components/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Change how a status component is shown',
        params: ComponentRef,
        body: ComponentChanges,
        response: { 200: Component, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => updateComponent(request.ctx, request.params.id, request.body),
  );

  app.delete(
    '/v1/admin/status/components/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Remove a status component of your own',
        params: ComponentRef,
        response: { ...GONE, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await deleteComponent(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );
};

/** Groups of components, and the settings of the status. */
export const statusGroupRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/status/groups',
    {
      config: { permission: 'status:read' },
      schema: {
        summary: 'List status groups',
        description: 'In the order in which they are shown.',
        querystring: PageQuery,
        response: { 200: PageOf(Group), ...problemResponses('NOT_FOUND', 'INVALID_CURSOR') },
      },
    },
    (request) => listGroups(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/status/groups',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Add a status group',
        body: NewGroup,
        response: { 201: Group, ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => reply.code(201).send(await createGroup(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/status/groups/:id',
    {
      config: { permission: 'status:read', etag: true },
      schema: {
        summary: 'Read a status group',
        params: GroupRef,
        response: { 200: Group, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getGroup(request.ctx, request.params.id),
  );

  app.patch(
    '/v1/admin/status/groups/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Change a status group',
        params: GroupRef,
        body: GroupChanges,
        response: { 200: Group, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => updateGroup(request.ctx, request.params.id, request.body),
  );

  app.delete(
    '/v1/admin/status/groups/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Remove an empty status group',
        params: GroupRef,
        response: { ...GONE, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await deleteGroup(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );

  settingsRoutes(app);
};

const settingsRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/status/settings',
    {
      config: { permission: 'status:read', etag: true },
      schema: {
        summary: 'Read the settings of the status',
        response: { 200: StatusSettings, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getStatusSettings(request.ctx),
  );

  app.patch(
    '/v1/admin/status/settings',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Change the settings of the status',
        body: StatusSettingsChanges,
        response: { 200: StatusSettings, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => updateStatusSettings(request.ctx, request.body),
  );
};
