import type { Environment } from './ctx.ts';
import { perSystem, type System } from './system.ts';

/** Attempts at one kind of work in one minute: the number of successes and of failures. */
export type Outcomes = { environment: Environment; signal: string; minute: string; good: number; bad: number };

/** What this process has counted since the last flush. */
const counts = perSystem(() => new Map<string, Outcomes>());

/**
 * Counts one attempt at work whose success rate the status measures; the status sums over all processes.
 * @param outcome `good`: false if it failed through a fault of this installation
 */
export function recordOutcome(
  system: System,
  { environment, signal, good }: { environment: Environment; signal: string; good: boolean },
): void {
  const minute = `${system.clock.now().toISOString().slice(0, 16)}:00Z`;
  add(system, { environment, signal, minute, good: good ? 1 : 0, bad: good ? 0 : 1 });
}

/** Takes the counts, to store them. */
export function takeOutcomes(system: System): Outcomes[] {
  const taken = [...counts(system).values()];
  counts(system).clear();
  return taken;
}

/** Returns counts that could not be stored. */
export function putBackOutcomes(system: System, taken: readonly Outcomes[]): void {
  for (const one of taken) add(system, one);
}

function add(system: System, one: Outcomes): void {
  const key = `${one.environment} ${one.signal} ${one.minute}`;
  const known = counts(system).get(key);
  counts(system).set(key, known ? { ...one, good: known.good + one.good, bad: known.bad + one.bad } : one);
}
