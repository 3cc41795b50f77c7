import { Type } from 'typebox';
import { del, get, post, type Routes } from '#platform/route.ts';
import { activateKey, addKey, getKey, KeyRef, removeKey, SamlKey, samlKeys } from './keys.ts';

/** The keys that sign assertions for the applications by SAML of a project. */
export const keyRoutes: Routes = [
  get('/v1/admin/saml/keys', {
    permission: 'applications:read',
    summary: 'List the SAML keys',
    description:
      'They are in the metadata of every application by SAML; the first one signs. A project has none before its first application by SAML.',
    responses: { 200: Type.Object({ items: Type.Array(SamlKey) }) },
    handler: async (request) => ({ items: await samlKeys(request.ctx) }),
  }),
  post('/v1/admin/saml/keys', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Add a SAML key',
    description: 'It is in the metadata from now on, and signs once it is activated. The first one signs at once.',
    responses: { 201: SamlKey },
    problems: ['CONFLICT'],
    handler: (request) => addKey(request.ctx),
  }),
  get('/v1/admin/saml/keys/:keyId', {
    permission: 'applications:read',
    etag: true,
    summary: 'Read a SAML key',
    params: KeyRef,
    responses: { 200: SamlKey },
    problems: ['NOT_FOUND'],
    handler: (request) => getKey(request.ctx, request.params.keyId),
  }),
  post('/v1/admin/saml/keys/:keyId/activate', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Let a SAML key sign',
    description:
      'Do so when the service providers have its certificate. The key before stays in the metadata until you remove it.',
    params: KeyRef,
    responses: { 200: SamlKey },
    problems: ['NOT_FOUND'],
    handler: (request) => activateKey(request.ctx, request.params.keyId),
  }),
  del('/v1/admin/saml/keys/:keyId', {
    permission: 'applications:write',
    stepUp: true,
    summary: 'Remove a SAML key',
    description: 'Not the one that signs.',
    params: KeyRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => removeKey(request.ctx, request.params.keyId),
  }),
];
