import { type Event, eventsById } from '#events';
import type { EventId, WorkspaceId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

/** Enough for the events in progress. Events are immutable, so entries never go stale. */
const MAX_EVENTS = 2_000;

/** A cache of events, read once for all endpoints. */
class LoggedEvents {
  readonly #system: System;
  readonly #known = new Map<EventId, Promise<Event | null>>();

  constructor(system: System) {
    this.#system = system;
  }

  /** @returns null for an event that is not in the log */
  async get(workspaceId: WorkspaceId, ids: readonly EventId[]): Promise<Map<string, Event | null>> {
    const missing = ids.filter((id) => !this.#known.has(id));
    if (missing.length > 0) this.#read(workspaceId, missing);
    const wanted = ids.map(async (id) => [id, (await this.#known.get(id)) ?? null] as const);
    this.#makeRoom();
    return new Map(await Promise.all(wanted));
  }

  #read(workspaceId: WorkspaceId, ids: readonly EventId[]): void {
    const reading = eventsById(this.#system, workspaceId, ids);
    for (const id of ids) {
      const one = reading.then((found) => found.get(id) ?? null);
      this.#known.set(id, one);
      one.catch(() => this.#known.delete(id));
    }
  }

  /** Evicts the oldest first: a Map iterates in insertion order. */
  #makeRoom(): void {
    const tooMany = this.#known.size - MAX_EVENTS;
    if (tooMany > 0) for (const id of [...this.#known.keys()].slice(0, tooMany)) this.#known.delete(id);
  }
}

export const loggedEvents = perSystem((system) => new LoggedEvents(system));
