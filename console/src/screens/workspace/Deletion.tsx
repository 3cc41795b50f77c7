import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { rereadWorkspace, useApi, useCan } from '#api/scope.tsx';
import { loadSession } from '#api/session.ts';
import { forgetPlace, useHere } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { longDay } from '#ui/moments.ts';
import { Card } from '#ui/page.tsx';

type Named = { id: string; name: string };

/** What stands before a deletion: what it does, at once and for good. */
const consequences = (what: string) => (
  <>
    From now on nobody can sign in to {what} or use its APIs, and webhooks stop. In seven days it is removed for good,
    with the accounts of people who belong to nothing else. Until then an owner can restore it with everything.
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
    const act = () => restore.mutateAsync({ params }).then(() => rereadWorkspace(workspace));
    const undo = { act, done: `${project.name} is restored` };
    const leave = async () => {
      forgetPlace();
      await rereadWorkspace(workspace);
      await navigate({ to: `/${workspace}/projects` });
    };
    await remove.run({ params }, { done: whenGone, question, leave, undo });
  };
  return (
    <Card split title="Delete this project" about="In both environments, with all its members, applications and logs.">
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
      forgetPlace();
      await loadSession();
    };
    await remove.run({}, { done: whenGone, question, leave });
  };
  return (
    <Card split title="Delete this workspace" about="With every project in it, its team and its invoices.">
      <div>
        <Button variant="default" c="var(--lk-bad)" loading={remove.busy} onClick={onDelete}>
          Delete workspace…
        </Button>
      </div>
    </Card>
  );
}

function whenGone({ name, deletesAt }: { name: string; deletesAt: string | null }): string {
  return deletesAt ? `${name} is closed, and deleted on ${longDay(deletesAt)}` : `${name} is closed`;
}

/** Takes the deletion of a project back. */
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
