import { Empty } from '#ui/states.tsx';

/** For somebody who signed in and is in no team. */
export function NoWorkspace() {
  return (
    <Empty title="You belong to no workspace yet">Ask an owner or admin of your team to invite you by mail.</Empty>
  );
}
