import { useQueryClient } from '@tanstack/react-query';
import { problemOf } from '#api/problem.ts';
import { useScope } from '#api/scope.tsx';
import { type Question, useAsk } from './ask.tsx';
import { notifyDone, notifyProblem, notifyUndoable, type Undo } from './notice.tsx';

export type Mutation<I, T> = { mutateAsync: (init: I) => Promise<T>; isPending: boolean };

const CHANGED_SINCE = {
  title: 'Not undone',
  detail: 'Someone else has changed this since, so nothing was overwritten.',
};

export type Action<T> = {
  /** The message of the notification. Null: none, because the result is not a success. */
  done: string | ((result: T) => string | null);
  /** A confirmation. Without one, only production asks. */
  question?: Question;
  /** The action in production's default confirmation. */
  change?: string;
  /** Reverts the change in its scope, if that is possible. Null: not for this change. */
  undo?: Undo | ((result: T) => Undo | null);
  /** Navigates away, because the record of the screen no longer exists. */
  leave?: () => Promise<unknown>;
  /** Handles a failure instead of the notification. @returns true if it was handled */
  onProblem?: (problem: ReturnType<typeof problemOf>) => boolean;
};

/** Runs a change: asks for confirmation if needed, sends it, reloads the screen's data and notifies the person. */
export function useAction<I, T>(mutation: Mutation<I, T>) {
  const ask = useAsk();
  const queries = useQueryClient();
  const { environment } = useScope();
  const takeBack = async ({ act, done }: Undo) => {
    const problem = await act().then(() => null, problemOf);
    // A form takes the record's new version before the person continues.
    await queries.invalidateQueries();
    if (problem) notifyProblem(problem.status === 412 ? { ...problem, ...CHANGED_SINCE } : problem);
    else notifyDone(done);
  };
  const tell = (message: string, undo: Undo | null | undefined) =>
    undo ? notifyUndoable(message, () => takeBack(undo)) : notifyDone(message);
  const finish = async (result: T, { done, leave, undo }: Action<T>) => {
    await queries.invalidateQueries(leave && { refetchType: 'none' });
    await leave?.();
    const message = typeof done === 'function' ? done(result) : done;
    if (message !== null) tell(message, typeof undo === 'function' ? undo(result) : undo);
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
      if (!onProblem?.(problem)) notifyProblem(problem);
      return null;
    }
  };
  return { run, busy: mutation.isPending };
}

function productionQuestion(change = 'Change production'): Question {
  return {
    title: `${change}?`,
    body: 'This is the production environment. The change applies immediately.',
    action: change,
  };
}
