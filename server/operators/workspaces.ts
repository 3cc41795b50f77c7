import { createProject } from '#environments';
import { emit } from '#events';
import { setUpRoles } from '#members';
import { type Ctx, environments, operatorOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, UserId, WorkspaceId } from '#platform/ids.ts';
import { at } from '#platform/scoped.ts';
import { createWorkspace, getProject, getWorkspace, type Project, takeDefaultProject } from '#tenancy';
import { workspaceScope } from './edge.ts';
import { addTeamMember } from './team.ts';

/**
 * Adds a workspace owned by its creator.
 * @returns its record
 */
export function addWorkspace(ctx: Ctx, name: string) {
  return transaction(ctx, async (tx) => {
    const id = await newWorkspace(tx, name, operatorOf(tx).userId);
    return getWorkspace(at(tx, { workspaceId: id }));
  });
}

/** Creates a workspace with its first owner. */
export async function newWorkspace(tx: TxCtx, name: string, owner: UserId): Promise<WorkspaceId> {
  const { id } = await createWorkspace(tx, name);
  const inside: TxCtx = at(tx, workspaceScope(id));
  await emit(inside, 'workspace.created', { workspaceId: id, name });
  await addTeamMember(inside, owner, 'owner');
  return id;
}

/**
 * Adds a project with both environments and their built-in roles.
 * @returns its record
 */
export function addProject(ctx: Ctx, name: string): Promise<Project> {
  return transaction(ctx, async (tx) => getProject(tx, await newProject(tx, name)));
}

export async function newProject(tx: TxCtx, name: string): Promise<ProjectId> {
  const projectId = await createProject(tx, name);
  for (const environment of environments) {
    const inside: TxCtx = at(tx, { projectId, environment });
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await setUpRoles(inside);
    await takeDefaultProject(inside);
  }
  return projectId;
}
