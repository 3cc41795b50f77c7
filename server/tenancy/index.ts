export { CLOSING_TOPIC, isClosed, isOpen } from './closed-scopes.ts';
export { closePlace, openImported, placeRemoval, projectIdsOf, restorePlace } from './deletions.ts';
export {
  allWorkspaces,
  countProjects,
  getProject,
  getWorkspace,
  listProjects,
  Project,
  projectNames,
  renamePlace,
  Workspace,
  workspacesById,
} from './directory.ts';
export { part } from './part.ts';
export {
  createWorkspace,
  insertProject,
  isDefaultProject,
  namesOf,
  takeDefaultProject,
  workspaceByRoutingKey,
} from './workspaces.ts';
