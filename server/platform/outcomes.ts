import type { Environment } from './ctx.ts';
import { perSystem, type System } from './system.ts';

/** Attempts at one kind of work in one minute: so many were good, so many were not. */
export type Outcomes = { environment: Environment; signal: string; minute: string; good: number; bad: number };

/** What this process did since it last told the others. */
const counts = perSystem(() => new Map<string, Outcomes>());

/**
 * Counts one attempt at work whose success tells how well the system is; the status adds up what all processes counted.
 * @param outcome.good false where it failed and the fault is ours
 */
export function recordOutcome(
  system: System,
  { environment, signal, good }: { environment: Environment; signal: string; good: boolean },
): void {
  const minute = `${system.clock.now().toISOString().slice(0, 16)}:00Z`;
  add(system, { environment, signal, minute, good: good ? 1 : 0, bad: good ? 0 : 1 });
}

/** Takes what was counted, to be written down. */
export function takeOutcomes(system: System): Outcomes[] {
  const taken = [...counts(system).values()];
  counts(system).clear();
  return taken;
}

/** Gives back what could not be written down. */
export function putBackOutcomes(system: System, taken: readonly Outcomes[]): void {
  for (const one of taken) add(system, one);
}

function add(system: System, one: Outcomes): void {
  const key = `${one.environment} ${one.signal} ${one.minute}`;
  const known = counts(system).get(key);
  counts(system).set(key, known ? { ...one, good: known.good + one.good, bad: known.bad + one.bad } : one);
}
