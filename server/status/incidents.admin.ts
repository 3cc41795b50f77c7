import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
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

export const statusIncidentRoutes: Routes = (app) => {
  recordRoutes(app);
  actionRoutes(app);
};

const recordRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/status/incidents',
    {
      config: { permission: 'status:read' },
      schema: {
        summary: 'List incidents, drafts too',
        querystring: PageQuery,
        response: { 200: PageOf(AdminIncident), ...problemResponses('NOT_FOUND', 'INVALID_CURSOR') },
      },
    },
    (request) => listIncidents(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/status/incidents',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Open an incident',
        body: NewIncident,
        response: { 201: AdminIncident, ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => reply.code(201).send(await createIncident(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/status/incidents/:id',
    {
      config: { permission: 'status:read', etag: true },
      schema: {
        summary: 'Read an incident',
        params: IncidentRef,
        response: { 200: AdminIncident, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getIncident(request.ctx, request.params.id),
  );

  app.patch(
    '/v1/admin/status/incidents/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Correct an incident, or write its postmortem',
        description: 'Nobody is told of it; phases move with updates.',
        params: IncidentRef,
        body: IncidentChanges,
        response: { 200: AdminIncident, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => updateIncident(request.ctx, request.params.id, request.body),
  );
};

const actionRoutes: Routes = (app) => {
  app.post(
    '/v1/admin/status/incidents/:id/updates',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Add an update to an incident',
        description:
          'Subscribers are told when the phase is another than before. A resolved incident is opened again with `investigating` or `identified`.',
        params: IncidentRef,
        body: NewIncidentUpdate,
        response: { 201: AdminIncident, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await addIncidentUpdate(request.ctx, request.params.id, request.body)),
  );

  app.post(
    '/v1/admin/status/incidents/:id/publish',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Publish the draft of an incident',
        params: IncidentRef,
        response: { 200: AdminIncident, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    (request) => publishIncident(request.ctx, request.params.id),
  );

  app.delete(
    '/v1/admin/status/incidents/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Throw the draft of an incident away',
        params: IncidentRef,
        response: { 204: Type.Null({ description: 'Removed.' }), ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await deleteIncident(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );
};
