import { Type } from 'typebox';
import { addProject, addWorkspace, permissionsForInstallation, TeamRole, teamsOf } from '#operators';
import { transaction } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { problem, problemResponses } from '#platform/problem.ts';
import {
  countProjects,
  getProject,
  getWorkspace,
  listProjects,
  Name,
  Project,
  ProjectQuery,
  renameProject,
  renameWorkspace,
  Workspace,
  workspacesById,
} from '#tenancy';

const Named = Type.Object({ name: Name }, { additionalProperties: false });
export const ProjectRef = Type.Object({ projectId: IdSchema('prj') });
const OwnWorkspace = Type.Object({ ...Workspace.properties, role: TeamRole });
const WorkspaceDetail = Type.Object({ ...Workspace.properties, projectCount: Type.Integer() });

export const workspaceRoutes: Routes = (app) => {
  app.get(
    '/console/v1/workspaces',
    {
      config: { permission: 'operator' },
      schema: {
        summary: 'List your workspaces',
        response: { 200: Type.Object({ items: Type.Array(OwnWorkspace), nextCursor: Type.Null() }) },
      },
    },
    async ({ ctx, operator }) => {
      const teams = await teamsOf(ctx, operator.userId);
      const found = await workspacesById(ctx.db, [...teams.keys()]);
      const items = found.flatMap((workspace) => {
        const role = teams.get(workspace.id);
        return role ? [{ ...workspace, role }] : [];
      });
      return { items, nextCursor: null };
    },
  );

  app.post(
    '/console/v1/workspaces',
    {
      config: { permission: 'operator', stepUp: false },
      schema: {
        summary: 'Add a workspace',
        description: 'For owners and admins of the built-in workspace, who run the installation. You become its owner.',
        body: Named,
        response: { 201: Workspace, ...problemResponses('AUTHORIZATION_DENIED') },
      },
    },
    async ({ ctx, operator, body }, reply) => {
      const requiredPermission = 'workspaces:create';
      if (!permissionsForInstallation(operator.installationRole).includes(requiredPermission))
        throw problem('AUTHORIZATION_DENIED', { extensions: { requiredPermission } });
      return reply.code(201).send(await addWorkspace(ctx, body.name));
    },
  );

  app.get(
    '/console/v1/workspace',
    {
      config: {
        permission: 'workspace:read',
        level: 'workspace',
        etag: { without: ['projectCount'] },
        whenClosed: true,
      },
      schema: { summary: 'Read the workspace', response: { 200: WorkspaceDetail } },
    },
    async ({ ctx }) => {
      const [workspace, projectCount] = await Promise.all([getWorkspace(ctx), countProjects(ctx)]);
      return { ...workspace, projectCount };
    },
  );

  app.patch(
    '/console/v1/workspace',
    {
      config: { permission: 'workspace:write', stepUp: false, level: 'workspace' },
      schema: { summary: 'Rename the workspace', body: Named, response: { 200: Workspace } },
    },
    ({ ctx, body }) => transaction(ctx, (tx) => renameWorkspace(tx, body.name)),
  );
};

export const projectRoutes: Routes = (app) => {
  app.get(
    '/console/v1/projects',
    {
      config: { permission: 'projects:read', level: 'workspace' },
      schema: {
        summary: 'List projects',
        querystring: ProjectQuery,
        response: { 200: PageOf(Project), ...problemResponses('INVALID_CURSOR') },
      },
    },
    ({ ctx, query }) => listProjects(ctx, query),
  );

  app.post(
    '/console/v1/projects',
    {
      config: { permission: 'projects:write', stepUp: false, level: 'workspace' },
      schema: { summary: 'Add a project', body: Named, response: { 201: Project } },
    },
    async ({ ctx, body }, reply) => reply.code(201).send(await addProject(ctx, body.name)),
  );

  app.get(
    '/console/v1/projects/:projectId',
    {
      config: { permission: 'projects:read', level: 'workspace', etag: true },
      schema: {
        summary: 'Read a project',
        params: ProjectRef,
        response: { 200: Project, ...problemResponses('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getProject(ctx, params.projectId),
  );

  app.patch(
    '/console/v1/projects/:projectId',
    {
      config: { permission: 'projects:write', stepUp: false, level: 'workspace' },
      schema: {
        summary: 'Rename a project',
        params: ProjectRef,
        body: Named,
        response: { 200: Project, ...problemResponses('NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => transaction(ctx, (tx) => renameProject(tx, params.projectId, body.name)),
  );
};
