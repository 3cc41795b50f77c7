import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { Maintenance } from './maintenance-records.ts';
import {
  addMaintenanceUpdate,
  cancelMaintenance,
  createMaintenance,
  getMaintenance,
  listMaintenances,
  MaintenanceChanges,
  MaintenanceRef,
  NewMaintenance,
  NewMaintenanceUpdate,
  updateMaintenance,
} from './maintenances.ts';

export const statusMaintenanceRoutes: Routes = (app) => {
  recordRoutes(app);
  actionRoutes(app);
};

const recordRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/status/maintenances',
    {
      config: { permission: 'status:read' },
      schema: {
        summary: 'List maintenances',
        querystring: PageQuery,
        response: { 200: PageOf(Maintenance), ...problemResponses('NOT_FOUND', 'INVALID_CURSOR') },
      },
    },
    (request) => listMaintenances(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/status/maintenances',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Plan a maintenance',
        description:
          'It begins and ends by itself at the times given; while it lasts, its components count as planned.',
        body: NewMaintenance,
        response: { 201: Maintenance, ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => reply.code(201).send(await createMaintenance(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/status/maintenances/:id',
    {
      config: { permission: 'status:read', etag: true },
      schema: {
        summary: 'Read a maintenance',
        params: MaintenanceRef,
        response: { 200: Maintenance, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getMaintenance(request.ctx, request.params.id),
  );

  app.patch(
    '/v1/admin/status/maintenances/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Change a maintenance',
        params: MaintenanceRef,
        body: MaintenanceChanges,
        response: { 200: Maintenance, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    (request) => updateMaintenance(request.ctx, request.params.id, request.body),
  );
};

const actionRoutes: Routes = (app) => {
  app.post(
    '/v1/admin/status/maintenances/:id/updates',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Add an update to a maintenance',
        params: MaintenanceRef,
        body: NewMaintenanceUpdate,
        response: { 201: Maintenance, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await addMaintenanceUpdate(request.ctx, request.params.id, request.body)),
  );

  app.delete(
    '/v1/admin/status/maintenances/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Call a maintenance off',
        params: MaintenanceRef,
        response: { 204: Type.Null({ description: 'Called off.' }), ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await cancelMaintenance(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );
};
