import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Problem, problemOf } from '#api/problem.ts';
import { type Question, useAsk } from './ask.tsx';
import { notifyDone, notifyProblem } from './notice.tsx';
import classes from './table.module.css';

/** What can be done with several rows. Each row is one request, so each has its own checks, event and audit entry. */
export type BulkAction<T> = {
  label: string;
  danger?: boolean;
  /** Those of the selected rows that it changes. */
  appliesTo?: (row: T) => boolean;
  question: (rows: readonly T[]) => Question;
  act: (row: T) => Promise<unknown>;
  /** `3 members are blocked`. */
  done: (count: number) => string;
};

/** A problem that every other row would meet, too: the person must sign in, or there are too many requests. */
const endsAll = ({ status }: Problem) => [0, 401, 429].includes(status);

/** The selected rows of a list. */
export function useSelection() {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) =>
    setKeys((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });
  const toggleAll = (all: readonly string[]) =>
    setKeys((before) => (all.every((key) => before.has(key)) ? new Set() : new Set(all)));
  return { keys, toggle, toggleAll, keep: (wanted: readonly string[]) => setKeys(new Set(wanted)) };
}

type BarProps<T> = {
  actions: readonly BulkAction<T>[];
  rows: readonly T[];
  /** `left`: the rows that were not changed. */
  onDone: (left: readonly T[]) => void;
};

/** The actions on the selected rows. Rows that were not changed stay selected. */
export function BulkBar<T>({ actions, rows, onDone }: BarProps<T>) {
  const [progress, setProgress] = useState<string | null>(null);
  const ask = useAsk();
  const queries = useQueryClient();
  if (rows.length === 0) return null;
  const run = async ({ appliesTo = () => true, question, act, done }: BulkAction<T>) => {
    const wanted = rows.filter(appliesTo);
    if (!(await ask(question(wanted)))) return;
    const { left, problem } = await actOnEach(wanted, act, (number) => setProgress(`${number} of ${wanted.length}…`));
    setProgress(null);
    await queries.invalidateQueries();
    if (left.length < wanted.length) notifyDone(done(wanted.length - left.length));
    if (problem) notifyProblem({ ...problem, title: `${left.length} of ${wanted.length} were not changed` });
    onDone(left);
  };
  return (
    <section className={classes.bulk} aria-label="Selected rows">
      <span role="status">{progress ?? `${rows.length} selected`}</span>
      {actions.map((action) => (
        <Button
          key={action.label}
          variant="default"
          size="compact-sm"
          c={action.danger ? 'var(--lk-bad)' : undefined}
          disabled={progress !== null || !rows.some(action.appliesTo ?? (() => true))}
          onClick={() => run(action)}
        >
          {action.label}
        </Button>
      ))}
      <Button variant="subtle" color="gray" size="compact-sm" disabled={progress !== null} onClick={() => onDone([])}>
        Clear
      </Button>
    </section>
  );
}

/** Acts on one row after the other, so that rate limits and locks are not met. */
async function actOnEach<T>(rows: readonly T[], act: (row: T) => Promise<unknown>, tell: (number: number) => void) {
  const left: T[] = [];
  let first: Problem | null = null;
  for (const [index, row] of rows.entries()) {
    tell(index + 1);
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    const problem = await act(row).then(() => null, problemOf);
    if (problem === null) continue;
    if (endsAll(problem)) return { left: [...left, ...rows.slice(index)], problem };
    first ??= problem;
    left.push(row);
  }
  return { left, problem: first };
}
