import type { Address } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { perSystem, type System } from '#platform/system.ts';
import { CLOSING_TOPIC } from '#tenancy';
import { STATUS_TOPIC } from './boards.ts';
import { findPublished, findPublishedAt, type StatusPage } from './pages.ts';
import { readStored, type Stored } from './stored.ts';
import { makeView } from './view.ts';
import { Moment, viewsOf } from './views.ts';

const FRESH_MS = 30_000;
/** The number of pages in memory; those read longest ago make room. */
const MAX_PAGES = 500;

type Known = { readAt: number; stored: Stored; moment: Moment };

/**
 * The pages of projects as this process shows them: read when they are asked for, and kept for half a minute or until a
 * process changes them. While the database is down, what is known is shown as such.
 */
class ProjectViews {
  readonly #system: System;
  readonly #pages = new Map<string, { readAt: number; page: StatusPage }>();
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<Moment>>();
  /** Rises with every change, so that what was read before one is not kept. */
  #changes = 0;

  constructor(system: System) {
    this.#system = system;
  }

  /** The published page of an address. */
  find(slug: string): Promise<StatusPage | undefined> {
    return this.#find(slug, () => findPublished(this.#system, slug));
  }

  /** The published page of the project of a domain. */
  findAt(address: Address): Promise<StatusPage | undefined> {
    return this.#find(address.url, () => findPublishedAt(this.#system, address));
  }

  async #find(place: string, read: () => Promise<StatusPage | undefined>): Promise<StatusPage | undefined> {
    const known = this.#pages.get(place);
    if (known && (this.#away || this.#isFresh(known))) return known.page;
    this.#pages.delete(place);
    if (this.#away) throw problem('SERVICE_UNAVAILABLE', 'The database does not respond.');
    const changes = this.#changes;
    const page = await read();
    if (page && changes === this.#changes) keep(this.#pages, place, { readAt: this.#now(), page });
    return page;
  }

  /** What a page shows now. */
  async of(page: StatusPage): Promise<Moment> {
    const place = placeOf(page);
    const known = this.#known.get(place);
    if (known && !this.#away && this.#isFresh(known) && known.moment.view.page.slug === page.slug) return known.moment;
    if (this.#away) return this.#lastKnown(page, known);
    const reading = this.#reading.get(place) ?? this.#read(page);
    this.#reading.set(place, reading);
    return reading.finally(() => this.#reading.delete(place));
  }

  /** Drops what is known of a page. */
  changed(key: string): void {
    this.#changes += 1;
    for (const [place, { page }] of this.#pages) if (page.key === key) this.#pages.delete(place);
    for (const map of [this.#known, this.#reading])
      for (const place of map.keys()) if (place.startsWith(`${key} `)) map.delete(place);
  }

  /** Drops everything, because changes may have been missed. */
  replay(): void {
    this.#changes += 1;
    this.#pages.clear();
    this.#known.clear();
    this.#reading.clear();
  }

  async #read(page: StatusPage): Promise<Moment> {
    const changes = this.#changes;
    const stored = await readStored(this.#system, page);
    const moment = this.#momentOf(page, stored, null);
    if (changes === this.#changes) keep(this.#known, placeOf(page), { readAt: this.#now(), stored, moment });
    return moment;
  }

  #lastKnown(page: StatusPage, known: Known | undefined): Moment {
    if (!known) throw problem('SERVICE_UNAVAILABLE', 'The database does not respond.');
    return this.#momentOf(page, known.stored, new Date(known.readAt));
  }

  #momentOf(page: StatusPage, stored: Stored, lastKnownAt: Date | null): Moment {
    return new Moment(makeView(stored, { page, own: new Map(), now: this.#system.clock.now(), lastKnownAt }));
  }

  get #away(): boolean {
    return viewsOf(this.#system).away;
  }

  #isFresh({ readAt }: { readAt: number }): boolean {
    return Math.abs(this.#now() - readAt) < FRESH_MS;
  }

  #now(): number {
    return this.#system.clock.now().getTime();
  }
}

/** A page is made for each address at which it is shown, because its links differ. */
function placeOf({ key, domain }: StatusPage): string {
  return `${key} ${domain ?? ''}`;
}

function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_PAGES) return;
    map.delete(oldest);
  }
}

export const projectViewsOf = perSystem((system) => new ProjectViews(system));

/** Follows the changes of all processes. */
export async function startProjectViews(system: System): Promise<void> {
  const views = projectViewsOf(system);
  await system.feed.subscribe({
    replay: async () => views.replay(),
    onChange: ({ topic, key }) => {
      if (topic === STATUS_TOPIC) views.changed(key);
      if (topic === CLOSING_TOPIC || topic === 'domain') views.replay();
    },
  });
}
