import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { reloadWorkspace, useApi, useCan } from '#api/scope.tsx';
import { loadSession } from '#api/session.ts';
import { dropPlace, useHere } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { longDay } from '#ui/moments.ts';
import { Card } from '#ui/page.tsx';

type Named = { id: string; name: string };

/** Explains the consequences of a deletion. */
const consequences = (what: string) => (
  <>
    Nobody will be able to sign in to {what} or use its APIs, and webhooks stop. After seven days it is removed
    permanently, with the accounts of people who belong to no other project. Until then an owner can restore it.
  </>
);

export function DeleteProject({ project }: { project: Named }) {
  const { workspace } = useHere();
  const navigate = useNavigate();
  const api = useApi();
  const remove = useAction(api.useMutation('delete', '/console/v1/projects/{projectId}'));
  const restore = api.useMutation('post', '/console/v1/projects/{projectId}/restore');
  if (!useCan('projects:delete')) return null;
  const onDelete = async () => {
    const question = {
      title: `Delete ${project.name}?`,
      body: consequences('the project, in test or in production,'),
      action: 'Delete project',
      danger: true,
      typeName: project.name,
    };
    const params = { path: { projectId: project.id } };
    const act = () => restore.mutateAsync({ params }).then(() => reloadWorkspace(workspace));
    const undo = { act, done: `${project.name} is restored` };
    const leave = async () => {
      dropPlace();
      await reloadWorkspace(workspace);
      await navigate({ to: `/${workspace}/projects` });
    };
    await remove.run({ params }, { done: whenGone, question, leave, undo });
  };
  return (
    <Card split title="Delete this project" about="Deletes both environments with all members, applications and logs.">
      <div>
        <Button variant="default" c="var(--lk-bad)" loading={remove.busy} onClick={onDelete}>
          Delete project…
        </Button>
      </div>
    </Card>
  );
}

export function DeleteWorkspace({ workspace }: { workspace: Named }) {
  const remove = useAction(useApi().useMutation('delete', '/console/v1/workspace'));
  if (!useCan('workspace:delete')) return null;
  const onDelete = async () => {
    const question = {
      title: `Delete ${workspace.name}?`,
      body: consequences('any project of the workspace'),
      action: 'Delete workspace',
      danger: true,
      typeName: workspace.name,
    };
    const leave = async () => {
      dropPlace();
      await loadSession();
    };
    await remove.run({}, { done: whenGone, question, leave });
  };
  return (
    <Card split title="Delete this workspace" about="Deletes every project, the team and the statements.">
      <div>
        <Button variant="default" c="var(--lk-bad)" loading={remove.busy} onClick={onDelete}>
          Delete workspace…
        </Button>
      </div>
    </Card>
  );
}

function whenGone({ name, deletesAt }: { name: string; deletesAt: string | null }): string {
  return deletesAt ? `${name} is closed and will be deleted on ${longDay(deletesAt)}` : `${name} is closed`;
}

/** Restores a deleted project. */
export function RestoreProject({ project: { id, name } }: { project: Named }) {
  const restore = useAction(useApi().useMutation('post', '/console/v1/projects/{projectId}/restore'));
  if (!useCan('projects:delete')) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={`Restore ${name}`}
      loading={restore.busy}
      onClick={() => restore.run({ params: { path: { projectId: id } } }, { done: `${name} is restored` })}
    >
      Restore
    </Button>
  );
}
