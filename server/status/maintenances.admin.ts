import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
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
import { managedPage } from './pages.ts';

export const statusMaintenanceRoutes: Routes = [
  get('/v1/admin/status/maintenances', {
    permission: 'status:read',
    summary: 'List maintenances',
    query: PageQuery,
    responses: { 200: PageOf(Maintenance) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: async (request) => listMaintenances(await managedPage(request.ctx), request.query),
  }),
  post('/v1/admin/status/maintenances', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Plan a maintenance',
    description:
      'It starts and ends automatically at the given times; in between, its components count as under maintenance.',
    body: NewMaintenance,
    responses: { 201: Maintenance },
    problems: ['NOT_FOUND'],
    handler: async (request) => createMaintenance(await managedPage(request.ctx), request.body),
  }),
  get('/v1/admin/status/maintenances/:id', {
    permission: 'status:read',
    etag: true,
    summary: 'Read a maintenance',
    params: MaintenanceRef,
    responses: { 200: Maintenance },
    problems: ['NOT_FOUND'],
    handler: async (request) => getMaintenance(await managedPage(request.ctx), request.params.id),
  }),
  patch('/v1/admin/status/maintenances/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Change a maintenance',
    params: MaintenanceRef,
    body: MaintenanceChanges,
    responses: { 200: Maintenance },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => updateMaintenance(await managedPage(request.ctx), request.params.id, request.body),
  }),
  post('/v1/admin/status/maintenances/:id/updates', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Add an update to a maintenance',
    params: MaintenanceRef,
    body: NewMaintenanceUpdate,
    responses: { 201: Maintenance },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => addMaintenanceUpdate(await managedPage(request.ctx), request.params.id, request.body),
  }),
  del('/v1/admin/status/maintenances/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Cancel a maintenance',
    params: MaintenanceRef,
    responses: { 204: Type.Null({ description: 'Cancelled.' }) },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => cancelMaintenance(await managedPage(request.ctx), request.params.id),
  }),
];
