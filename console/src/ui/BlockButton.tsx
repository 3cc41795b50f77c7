import { Button } from '@mantine/core';
import { type Mutation, useAction } from './action.ts';

type BlockButtonProps<I, T> = {
  name: string;
  blocked: boolean;
  /** The consequences of blocking. */
  body: string;
  blocking: Mutation<I, T>;
  unblocking: Mutation<I, T>;
  init: I;
};

/** Blocks the record of the screen after a confirmation, or unblocks it; both can be undone. */
export function BlockButton<I, T>({ name, blocked, body, blocking, unblocking, init }: BlockButtonProps<I, T>) {
  const block = useAction(blocking);
  const unblock = useAction(unblocking);
  const isBlocked = `${name} is blocked`;
  const isUnblocked = `${name} is unblocked`;
  const onUnblock = () => {
    const undo = { act: () => blocking.mutateAsync(init), done: isBlocked };
    return unblock.run(init, { done: isUnblocked, change: 'Unblock', undo });
  };
  const onBlock = () => {
    const question = { title: `Block ${name}?`, body, action: 'Block', danger: true };
    const undo = { act: () => unblocking.mutateAsync(init), done: isUnblocked };
    return block.run(init, { done: isBlocked, question, undo });
  };
  return blocked ? (
    <Button loading={unblock.busy} onClick={onUnblock}>
      Unblock
    </Button>
  ) : (
    <Button variant="default" c="var(--lk-bad)" loading={block.busy} onClick={onBlock}>
      Block
    </Button>
  );
}
