import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  IssuedRegistrationToken,
  issueRegistrationToken,
  listRegistrationTokens,
  NewRegistrationToken,
  RegistrationToken,
  removeRegistrationToken,
} from './registration-tokens.ts';

/** Tokens with which programs register themselves as applications. */
export const registrationTokenRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/applications/registration-tokens',
    {
      config: { permission: 'applications:read' },
      schema: {
        summary: 'List registration tokens',
        querystring: PageQuery,
        response: { 200: PageOf(RegistrationToken), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listRegistrationTokens(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/applications/registration-tokens',
    {
      config: { permission: 'applications:write', stepUp: true },
      schema: {
        summary: 'Issue a registration token',
        description:
          'An initial access token for `POST /connect/register` on the auth host, which the setting `dynamicRegistration` has to open.',
        body: NewRegistrationToken,
        response: { 201: IssuedRegistrationToken },
      },
    },
    async (request, reply) => reply.code(201).send(await issueRegistrationToken(request.ctx, request.body)),
  );

  app.delete(
    '/v1/admin/applications/registration-tokens/:id',
    {
      config: { permission: 'applications:write', stepUp: false },
      schema: {
        summary: 'Remove a registration token',
        description: 'It registers nothing more; the applications it registered stay.',
        params: Type.Object({ id: IdSchema('rgt') }),
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await removeRegistrationToken(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );
};
