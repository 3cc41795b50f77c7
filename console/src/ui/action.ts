import { useQueryClient } from '@tanstack/react-query';
import { problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';
import { type Question, useAsk } from './ask.tsx';
import { tellDone, tellProblem, tellUndoable, type Undo } from './notice.tsx';

export type Mutation<I, T> = { mutateAsync: (init: I) => Promise<T>; isPending: boolean };

const CHANGED_SINCE = {
  title: 'Not undone',
  detail: 'Somebody else has changed it since, and nothing of theirs was overwritten.',
};

export type Action<T> = {
  /** The toast that says it is done. */
  done: string | ((result: T) => string);
  /** Asked first everywhere; without one, production asks once and test doesn't. */
  question?: Question;
  /** What production asks with when there is no question. */
  change?: string;
  /** Where there is an opposite: what takes the change back, in the scope it was made in. Null: not this one. */
  undo?: Undo | ((result: T) => Undo | null);
  /** What the screen shows is gone with it: goes elsewhere instead of reading it again. */
  leave?: () => Promise<unknown>;
  /** Hears a failure instead of a toast. @returns true when it dealt with it */
  onProblem?: (problem: ReturnType<typeof problemOf>) => boolean;
};

/** Runs a change: asks where it must, does it, reads everything on the screen again, and says what came of it. */
export function useAction<I, T>(mutation: Mutation<I, T>) {
  const ask = useAsk();
  const queries = useQueryClient();
  const { environment } = useScope();
  const takeBack = async ({ act, done }: Undo) => {
    try {
      await act();
      tellDone(done);
    } catch (thrown) {
      const problem = problemOf(thrown);
      tellProblem(problem.status === 412 ? { ...problem, ...CHANGED_SINCE } : problem);
    }
    await queries.invalidateQueries();
  };
  const tell = (message: string, undo: Undo | null | undefined) =>
    undo ? tellUndoable(message, () => takeBack(undo)) : tellDone(message);
  const finish = async (result: T, { done, leave, undo }: Action<T>) => {
    await queries.invalidateQueries(leave && { refetchType: 'none' });
    await leave?.();
    tell(typeof done === 'function' ? done(result) : done, typeof undo === 'function' ? undo(result) : undo);
  };
  const run = async (init: I, action: Action<T>): Promise<T | null> => {
    const { question, change, onProblem } = action;
    const asked = question ?? (environment === 'production' ? productionQuestion(change) : null);
    if (asked && !(await ask(asked))) return null;
    try {
      const result = await mutation.mutateAsync(init);
      await finish(result, action);
      return result;
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (!onProblem?.(problem)) tellProblem(problem);
      return null;
    }
  };
  return { run, busy: mutation.isPending };
}

function productionQuestion(change = 'Change production'): Question {
  return { title: `${change}?`, body: 'This is the production environment. The change holds at once.', action: change };
}
