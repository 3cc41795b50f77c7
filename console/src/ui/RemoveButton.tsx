import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type Mutation, useAction } from './action.ts';

type RemoveButtonProps<I, T> = {
  /** What has to be typed first. */
  name: string;
  /** What is lost with it. */
  body: string;
  mutation: Mutation<I, T>;
  init: I;
  /** Where the list is that it was in. */
  back: string;
};

/** Removes what the screen is about, after its name was typed, and leaves for the list. */
export function RemoveButton<I, T>({ name, body, mutation, init, back }: RemoveButtonProps<I, T>) {
  const navigate = useNavigate();
  const remove = useAction(mutation);
  const onClick = async () => {
    const question = { title: `Remove ${name}?`, body, action: 'Remove', danger: true, typeName: name };
    const removed = await remove.run(init, { done: `${name} is removed`, question });
    if (removed !== null) await navigate({ to: back });
  };
  return (
    <Button variant="default" c="var(--lk-bad)" loading={remove.busy} onClick={onClick}>
      Remove
    </Button>
  );
}
