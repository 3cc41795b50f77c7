import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type Mutation, useAction } from './action.ts';

type RemoveButtonProps<I, T> = {
  /** What has to be typed first. */
  name: string;
  /** What is lost with it. */
  body: string;
  /** Where it is called otherwise. */
  verb?: string;
  done?: string;
  mutation: Mutation<I, T>;
  init: I;
  /** Where the list is that it was in. */
  back: string;
};

/** Removes what the screen is about, after its name was typed, and leaves for the list. */
export function RemoveButton<I, T>(props: RemoveButtonProps<I, T>) {
  const { name, body, verb = 'Remove', done = `${name} is removed`, mutation, init, back } = props;
  const navigate = useNavigate();
  const remove = useAction(mutation);
  const onClick = () => {
    const question = { title: `${verb} ${name}?`, body, action: verb, danger: true, typeName: name };
    return remove.run(init, { done, question, leave: () => navigate({ to: back }) });
  };
  return (
    <Button variant="default" c="var(--lk-bad)" loading={remove.busy} onClick={onClick}>
      {verb}
    </Button>
  );
}
