import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Workspace = Type.Object({ workspaceId: text, name: text });
const workspace = { workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Acme' };
const Project = Type.Object({ projectId: text, name: text });
const project = { projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Shop' };
const deletesAt = '2026-04-08T00:00:00.000Z';

export const events = {
  'project.created': define('A project was created.', Project, project),
  'project.updated': define('A project was renamed.', Project, project),
  'project.deletion.scheduled': define(
    'A project was closed; it is removed at `deletesAt`.',
    Type.Object({ ...Project.properties, deletesAt: text }),
    { ...project, deletesAt },
  ),
  'project.deletion.cancelled': define('A closed project was restored.', Project, project),
  'project.deleted': define('A project was removed with everything in it.', Project, project),
  'workspace.deletion.scheduled': define(
    'A workspace was closed; it is removed at `deletesAt`.',
    Type.Object({ ...Workspace.properties, deletesAt: text }),
    { ...workspace, deletesAt },
  ),
  'workspace.deletion.cancelled': define('A closed workspace was restored.', Workspace, workspace),
  'workspace.deleted': define('A workspace was removed with everything in it.', Workspace, workspace),
  'workspace.created': define('A workspace was created.', Workspace, workspace),
  'workspace.updated': define('A workspace was renamed.', Workspace, workspace),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
