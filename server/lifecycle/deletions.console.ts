import { del, post, type Routes } from '#platform/route.ts';
import { Project, Workspace } from '#tenancy';
import { deleteProject, deleteWorkspace, keepProject, keepWorkspace } from './deletions.ts';
import { ProjectRef } from './workspaces.console.ts';

const SEVEN_DAYS =
  'Tokens, sign-ins, APIs and webhooks stop; the owners of the workspace are notified. It is removed after seven days; until then an owner can restore it.';

export const deletionRoutes: Routes = [
  del('/console/v1/workspace', {
    permission: 'workspace:delete',
    stepUp: true,
    level: 'workspace',
    summary: 'Delete the workspace',
    description: `Closes the workspace and all its projects immediately. ${SEVEN_DAYS}`,
    responses: { 202: Workspace },
    problems: ['CONFLICT', 'REAUTHENTICATION_REQUIRED'],
    handler: ({ ctx }) => deleteWorkspace(ctx),
  }),
  post('/console/v1/workspace/restore', {
    permission: 'workspace:delete',
    stepUp: false,
    level: 'workspace',
    whenClosed: true,
    summary: 'Restore the workspace',
    description: 'Cancels the deletion: everything is restored.',
    responses: { 200: Workspace },
    problems: ['CONFLICT'],
    handler: ({ ctx }) => keepWorkspace(ctx),
  }),
  del('/console/v1/projects/:projectId', {
    permission: 'projects:delete',
    stepUp: true,
    level: 'workspace',
    summary: 'Delete a project',
    description: `Closes the project in both environments immediately. ${SEVEN_DAYS}`,
    params: ProjectRef,
    responses: { 202: Project },
    problems: ['NOT_FOUND', 'CONFLICT', 'REAUTHENTICATION_REQUIRED'],
    handler: ({ ctx, params }) => deleteProject(ctx, params.projectId),
  }),
  post('/console/v1/projects/:projectId/restore', {
    permission: 'projects:delete',
    stepUp: false,
    level: 'workspace',
    summary: 'Restore a project',
    description: 'Cancels the deletion: everything is restored.',
    params: ProjectRef,
    responses: { 200: Project },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ ctx, params }) => keepProject(ctx, params.projectId),
  }),
];
