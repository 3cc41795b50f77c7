import { PageOf } from '#platform/page.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { ChangedRelations, changeRelations, RelationChanges } from './relation-writes.ts';
import { listRelations, Relation, RelationQuery } from './relations.ts';
import { listResources, ReachedResources, ResourceQuery } from './resources.ts';
import { listSubjects, ReachedSubject, SubjectQuery } from './subjects.ts';

/** Who has which relation to which resource. */
export const relationRoutes: Routes = [
  get('/v1/admin/authorization/relations', {
    permission: 'relations:read',
    summary: 'List relations',
    description: 'Those of `resource`, of `subject`, of all resources of `type`, or all. Expired ones are left out.',
    query: RelationQuery,
    responses: { 200: PageOf(Relation) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listRelations(request.ctx, request.query),
  }),
  post('/v1/admin/authorization/relations', {
    permission: 'relations:write',
    stepUp: false,
    summary: 'Write and delete relations',
    description:
      'All or none, up to a thousand of each. Writing a relation that is stored, and deleting one that is not, changes nothing. A check that begins after the response sees the result.',
    body: RelationChanges,
    responses: { 200: ChangedRelations },
    problems: ['CONFLICT'],
    handler: (request) => changeRelations(request.ctx, request.body),
  }),
  get('/v1/admin/authorization/resources', {
    permission: 'relations:read',
    summary: 'List the resources on which a person has a permission',
    description:
      'The resources of one type, in the order of their ids. `everything`: a role of the project grants the permission on all resources, so none is listed.',
    query: ResourceQuery,
    responses: { 200: ReachedResources },
    problems: ['NOT_FOUND', 'INVALID_CURSOR', 'CONFLICT'],
    handler: (request) => listResources(request.ctx, request.query),
  }),
  get('/v1/admin/authorization/subjects', {
    permission: 'relations:read',
    summary: 'List who has a permission on a resource',
    description:
      'By relations to the resource or to one above it, in the order of subjects: people who are active members, organizations and groups. People who have the permission by a role of the project are not listed.',
    query: SubjectQuery,
    responses: { 200: PageOf(ReachedSubject) },
    problems: ['INVALID_CURSOR', 'CONFLICT'],
    handler: (request) => listSubjects(request.ctx, request.query),
  }),
];
