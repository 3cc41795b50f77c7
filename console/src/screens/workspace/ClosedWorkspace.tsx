import { Button } from '@mantine/core';
import { useApi, useCan } from '#api/scope.tsx';
import { loadSession } from '#api/session.ts';
import { useAction } from '#ui/action.ts';
import { longDay } from '#ui/moments.ts';
import { Card, Page } from '#ui/page.tsx';
import { Empty } from '#ui/states.tsx';

/** Replaces every screen of a closed workspace. */
export function ClosedWorkspace({ name, deletesAt }: { name: string; deletesAt: string }) {
  const restore = useAction(useApi().useMutation('post', '/console/v1/workspace/restore'));
  const canRestore = useCan('workspace:delete');
  const onRestore = async () => {
    if (await restore.run({}, { done: `${name} is restored` })) await loadSession();
  };
  return (
    <Page title={name}>
      <Card>
        <Empty
          title={`This workspace will be deleted on ${longDay(deletesAt)}`}
          action={
            canRestore && (
              <Button loading={restore.busy} onClick={onRestore}>
                Restore workspace
              </Button>
            )
          }
        >
          The workspace and its projects are closed: nobody can sign in to them or use their APIs.{' '}
          {canRestore ? 'Until then you can restore it' : 'Until then an owner of the workspace can restore it'} with
          everything.
        </Empty>
      </Card>
    </Page>
  );
}
