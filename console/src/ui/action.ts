import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';
import { type Question, useAsk } from './ask.tsx';

export type Mutation<I, T> = { mutateAsync: (init: I) => Promise<T>; isPending: boolean };

export type Action<T> = {
  /** The toast that says it is done. */
  done: string | ((result: T) => string);
  /** Asked first everywhere; without one, production asks once and test doesn't. */
  question?: Question;
  /** What production asks with when there is no question. */
  change?: string;
  /** Hears a failure instead of a toast. @returns true when it dealt with it */
  onProblem?: (problem: ReturnType<typeof problemOf>) => boolean;
};

/** Runs a change: asks where it must, does it, reads everything on the screen again, and says what came of it. */
export function useAction<I, T>(mutation: Mutation<I, T>) {
  const ask = useAsk();
  const queries = useQueryClient();
  const { environment } = useScope();
  const run = async (init: I, { done, question, change, onProblem }: Action<T>): Promise<T | null> => {
    const asked = question ?? (environment === 'production' ? productionQuestion(change) : null);
    if (asked && !(await ask(asked))) return null;
    try {
      const result = await mutation.mutateAsync(init);
      await queries.invalidateQueries();
      notifications.show({ message: typeof done === 'function' ? done(result) : done, color: 'green' });
      return result;
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (!onProblem?.(problem))
        notifications.show({ title: problem.title, message: problem.detail, color: 'red', autoClose: 10_000 });
      return null;
    }
  };
  return { run, busy: mutation.isPending };
}

function productionQuestion(change = 'Change production'): Question {
  return { title: `${change}?`, body: 'This is the production environment. The change holds at once.', action: change };
}
