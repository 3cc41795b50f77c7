import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import {
  createType,
  deleteType,
  getType,
  listTypes,
  NewResourceType,
  ResourceType,
  ResourceTypeChanges,
  ResourceTypeRef,
  updateType,
} from './resource-types.ts';

const PATH = '/v1/admin/authorization/types';
const ONE = `${PATH}/:typeKey`;

/** The types of resources, and the permissions that relations to them give. */
export const resourceTypeRoutes: Routes = [
  get(PATH, {
    permission: 'roles:read',
    summary: 'List resource types',
    query: PageQuery,
    responses: { 200: PageOf(ResourceType) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listTypes(request.ctx, request.query),
  }),
  post(PATH, {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Add a resource type',
    body: NewResourceType,
    responses: { 201: ResourceType },
    problems: ['ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => createType(request.ctx, request.body),
  }),
  get(ONE, {
    permission: 'roles:read',
    etag: true,
    summary: 'Read a resource type',
    params: ResourceTypeRef,
    responses: { 200: ResourceType },
    problems: ['NOT_FOUND'],
    handler: (request) => getType(request.ctx, request.params.typeKey),
  }),
  patch(ONE, {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Change a resource type',
    description:
      '`relations` and `parents` are replaced as a whole. What stored relations need is not removed: 409 `CONFLICT`.',
    params: ResourceTypeRef,
    body: ResourceTypeChanges,
    responses: { 200: ResourceType },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => updateType(request.ctx, request.params.typeKey, request.body),
  }),
  del(ONE, {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Remove a resource type with its relations',
    description: 'While another type names it as a parent, or it has more than 10,000 relations: 409 `CONFLICT`.',
    params: ResourceTypeRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => deleteType(request.ctx, request.params.typeKey),
  }),
];
