import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type Mutation, useAction } from './action.ts';

type RemoveButtonProps<I, T> = {
  /** The name that must be typed to confirm. */
  name: string;
  /** The consequences. */
  body: string;
  /** Another verb than Remove. */
  verb?: string;
  done?: string;
  mutation: Mutation<I, T>;
  init: I;
  /** The path of its list. */
  back: string;
};

/** Removes the record of the screen after its name was typed, and returns to the list. */
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
