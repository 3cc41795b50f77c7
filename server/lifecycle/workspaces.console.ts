import { Type } from 'typebox';
import { addProject, addWorkspace, permissionsForInstallation, TeamRole, teamsOf } from '#operators';
import { transaction } from '#platform/ctx.ts';
import { Name } from '#platform/identifiers.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { get, patch, post, type Routes } from '#platform/route.ts';
import {
  countProjects,
  getProject,
  getWorkspace,
  listProjects,
  Project,
  renamePlace,
  Workspace,
  workspacesById,
} from '#tenancy';

const Named = Type.Object({ name: Name }, { additionalProperties: false });
export const ProjectRef = Type.Object({ projectId: IdSchema('prj') });
const ProjectQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A part of the name.' })),
});
const OwnWorkspace = Type.Object({ ...Workspace.properties, role: TeamRole });
const WorkspaceDetail = Type.Object({ ...Workspace.properties, projectCount: Type.Integer() });

export const workspaceRoutes: Routes = [
  get('/console/v1/workspaces', {
    permission: 'operator',
    summary: 'List your workspaces',
    responses: { 200: Type.Object({ items: Type.Array(OwnWorkspace), nextCursor: Type.Null() }) },
    handler: async ({ ctx, operator }) => {
      const teams = await teamsOf(ctx, operator.userId);
      const found = await workspacesById(ctx.db, [...teams.keys()]);
      const items = found.flatMap((workspace) => {
        const role = teams.get(workspace.id);
        return role ? [{ ...workspace, role }] : [];
      });
      return { items, nextCursor: null };
    },
  }),
  post('/console/v1/workspaces', {
    permission: 'operator',
    stepUp: false,
    summary: 'Add a workspace',
    description:
      'For owners and admins of the built-in workspace, which runs the installation. You become the owner of the new workspace.',
    body: Named,
    responses: { 201: Workspace },
    problems: ['AUTHORIZATION_DENIED'],
    handler: async ({ ctx, operator, body }) => {
      const requiredPermission = 'workspaces:create';
      if (!permissionsForInstallation(operator.installationRole).includes(requiredPermission))
        throw problem('AUTHORIZATION_DENIED', { extensions: { requiredPermission } });
      return addWorkspace(ctx, body.name);
    },
  }),
  get('/console/v1/workspace', {
    permission: 'workspace:read',
    level: 'workspace',
    etag: { without: ['projectCount'] },
    whenClosed: true,
    summary: 'Read the workspace',
    responses: { 200: WorkspaceDetail },
    handler: async ({ ctx }) => {
      const [workspace, projectCount] = await Promise.all([getWorkspace(ctx), countProjects(ctx)]);
      return { ...workspace, projectCount };
    },
  }),
  patch('/console/v1/workspace', {
    permission: 'workspace:write',
    stepUp: false,
    level: 'workspace',
    summary: 'Rename the workspace',
    body: Named,
    responses: { 200: Workspace },
    handler: ({ ctx, body }) =>
      transaction(ctx, async (tx) => {
        await renamePlace(tx, null, body.name);
        return getWorkspace(tx);
      }),
  }),
  get('/console/v1/projects', {
    permission: 'projects:read',
    level: 'workspace',
    summary: 'List projects',
    query: ProjectQuery,
    responses: { 200: PageOf(Project) },
    problems: ['INVALID_CURSOR'],
    handler: ({ ctx, query }) => listProjects(ctx, query),
  }),
  post('/console/v1/projects', {
    permission: 'projects:write',
    stepUp: false,
    level: 'workspace',
    summary: 'Add a project',
    body: Named,
    responses: { 201: Project },
    handler: ({ ctx, body }) => addProject(ctx, body.name),
  }),
  get('/console/v1/projects/:projectId', {
    permission: 'projects:read',
    level: 'workspace',
    etag: true,
    summary: 'Read a project',
    params: ProjectRef,
    responses: { 200: Project },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => getProject(ctx, params.projectId),
  }),
  patch('/console/v1/projects/:projectId', {
    permission: 'projects:write',
    stepUp: false,
    level: 'workspace',
    summary: 'Rename a project',
    params: ProjectRef,
    body: Named,
    responses: { 200: Project },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params, body }) =>
      transaction(ctx, async (tx) => {
        await renamePlace(tx, params.projectId, body.name);
        return getProject(tx, params.projectId);
      }),
  }),
];
