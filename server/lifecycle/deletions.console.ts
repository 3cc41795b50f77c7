import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { Project, Workspace } from '#tenancy';
import { deleteProject, deleteWorkspace, keepProject, keepWorkspace } from './deletions.ts';
import { ProjectRef } from './workspaces.console.ts';

const SEVEN_DAYS =
  'Tokens, sign-ins, APIs and webhooks stop; the owners of the workspace are told. It is removed in seven days; until then an owner restores it.';

export const deletionRoutes: Routes = (app) => {
  app.delete(
    '/console/v1/workspace',
    {
      config: { permission: 'workspace:delete', stepUp: true, level: 'workspace' },
      schema: {
        summary: 'Delete the workspace',
        description: `Closes it with every project in it, at once. ${SEVEN_DAYS}`,
        response: { 202: Workspace, ...problemResponses('CONFLICT', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async ({ ctx }, reply) => reply.code(202).send(await deleteWorkspace(ctx)),
  );

  app.post(
    '/console/v1/workspace/restore',
    {
      config: { permission: 'workspace:delete', stepUp: false, level: 'workspace', whenClosed: true },
      schema: {
        summary: 'Restore the workspace',
        description: 'Takes a deletion back: everything is as it was.',
        response: { 200: Workspace, ...problemResponses('CONFLICT') },
      },
    },
    ({ ctx }) => keepWorkspace(ctx),
  );

  app.delete(
    '/console/v1/projects/:projectId',
    {
      config: { permission: 'projects:delete', stepUp: true, level: 'workspace' },
      schema: {
        summary: 'Delete a project',
        description: `Closes it in both environments, at once. ${SEVEN_DAYS}`,
        params: ProjectRef,
        response: { 202: Project, ...problemResponses('NOT_FOUND', 'CONFLICT', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async ({ ctx, params }, reply) => reply.code(202).send(await deleteProject(ctx, params.projectId)),
  );

  app.post(
    '/console/v1/projects/:projectId/restore',
    {
      config: { permission: 'projects:delete', stepUp: false, level: 'workspace' },
      schema: {
        summary: 'Restore a project',
        description: 'Takes a deletion back: everything is as it was.',
        params: ProjectRef,
        response: { 200: Project, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    ({ ctx, params }) => keepProject(ctx, params.projectId),
  );
};
