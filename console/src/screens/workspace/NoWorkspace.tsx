import { Empty } from '#ui/states.tsx';

/** Shown to an operator who is in no team. */
export function NoWorkspace() {
  return <Empty title="No workspace yet">Ask an owner or admin of your team to invite you by mail.</Empty>;
}
