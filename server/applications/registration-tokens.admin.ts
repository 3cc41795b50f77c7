import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import {
  deleteRegistrationToken,
  getRegistrationToken,
  IssuedRegistrationToken,
  issueRegistrationToken,
  listRegistrationTokens,
  NewRegistrationToken,
  RegistrationToken,
} from './registration-tokens.ts';

const RegistrationTokenRef = Type.Object({ id: IdSchema('rgt') });

/** Tokens with which programs register themselves as applications. */
export const registrationTokenRoutes: Routes = [
  get('/v1/admin/applications/registration-tokens', {
    permission: 'applications:read',
    summary: 'List registration tokens',
    query: PageQuery,
    responses: { 200: PageOf(RegistrationToken) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listRegistrationTokens(request.ctx, request.query),
  }),
  post('/v1/admin/applications/registration-tokens', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Issue a registration token',
    description:
      'An initial access token for `POST /connect/register` on the auth host. The setting `dynamicRegistration` must allow it.',
    body: NewRegistrationToken,
    responses: { 201: IssuedRegistrationToken },
    handler: (request) => issueRegistrationToken(request.ctx, request.body),
  }),
  get('/v1/admin/applications/registration-tokens/:id', {
    permission: 'applications:read',
    etag: true,
    summary: 'Read a registration token',
    params: RegistrationTokenRef,
    responses: { 200: RegistrationToken },
    problems: ['NOT_FOUND'],
    handler: (request) => getRegistrationToken(request.ctx, request.params.id),
  }),
  del('/v1/admin/applications/registration-tokens/:id', {
    permission: 'applications:write',
    stepUp: false,
    summary: 'Remove a registration token',
    description: 'It registers no further applications; those registered with it stay.',
    params: RegistrationTokenRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteRegistrationToken(request.ctx, request.params.id),
  }),
];
