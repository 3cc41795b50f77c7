import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { AdminIncident, IncidentChanges, IncidentRef, NewIncident, NewIncidentUpdate } from './incident-records.ts';
import {
  addIncidentUpdate,
  createIncident,
  deleteIncident,
  getIncident,
  listIncidents,
  publishIncident,
  updateIncident,
} from './incidents.ts';
import { managedPage } from './pages.ts';

export const statusIncidentRoutes: Routes = [
  get('/v1/admin/status/incidents', {
    permission: 'status:read',
    summary: 'List incidents, including drafts',
    query: PageQuery,
    responses: { 200: PageOf(AdminIncident) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: async (request) => listIncidents(await managedPage(request.ctx), request.query),
  }),
  post('/v1/admin/status/incidents', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Open an incident',
    body: NewIncident,
    responses: { 201: AdminIncident },
    problems: ['NOT_FOUND'],
    handler: async (request) => createIncident(await managedPage(request.ctx), request.body),
  }),
  get('/v1/admin/status/incidents/:id', {
    permission: 'status:read',
    etag: true,
    summary: 'Read an incident',
    params: IncidentRef,
    responses: { 200: AdminIncident },
    problems: ['NOT_FOUND'],
    handler: async (request) => getIncident(await managedPage(request.ctx), request.params.id),
  }),
  patch('/v1/admin/status/incidents/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Correct an incident, or write its postmortem',
    description: 'Sends no notification; the phase changes with updates.',
    params: IncidentRef,
    body: IncidentChanges,
    responses: { 200: AdminIncident },
    problems: ['NOT_FOUND'],
    handler: async (request) => updateIncident(await managedPage(request.ctx), request.params.id, request.body),
  }),
  post('/v1/admin/status/incidents/:id/updates', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Add an update to an incident',
    description:
      'Subscribers are notified when the phase changes. `investigating` or `identified` reopens a resolved incident.',
    params: IncidentRef,
    body: NewIncidentUpdate,
    responses: { 201: AdminIncident },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => addIncidentUpdate(await managedPage(request.ctx), request.params.id, request.body),
  }),
  post('/v1/admin/status/incidents/:id/publish', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Publish the draft of an incident',
    params: IncidentRef,
    responses: { 200: AdminIncident },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => publishIncident(await managedPage(request.ctx), request.params.id),
  }),
  del('/v1/admin/status/incidents/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Delete the draft of an incident',
    params: IncidentRef,
    responses: { 204: Type.Null({ description: 'Removed.' }) },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => deleteIncident(await managedPage(request.ctx), request.params.id),
  }),
];
