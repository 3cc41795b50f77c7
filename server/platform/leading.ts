import { gauge } from './metrics.ts';
import { perSystem, type System } from './system.ts';

/** Work that one process at a time does: it holds a lock. */
const LED = ['events', 'status'] as const;
type Led = (typeof LED)[number];

const held = perSystem(() => new Set<Led>());

/** Records whether this process has the lock. */
export function noteLeading(system: System, what: Led, leads: boolean): void {
  if (leads) held(system).add(what);
  else held(system).delete(what);
}

/** Whether this process has the lock. */
export const isLeading = (system: System, what: Led): boolean => held(system).has(what);

export const leaders = gauge({
  name: 'latchkey_leader',
  help: 'Whether this process does the work that one process at a time does: numbering events, measuring the status.',
  labels: { work: LED },
  read: (system) => LED.map((work) => ({ labels: { work }, value: held(system).has(work) ? 1 : 0 })),
});
