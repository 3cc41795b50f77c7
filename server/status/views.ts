import { hash } from 'node:crypto';
import { EXPOSED_HEADERS } from '#platform/cross-origin.ts';
import type { Environment } from '#platform/ctx.ts';
import { acceptsWrites } from '#platform/db.ts';
import type { EarlyDocument } from '#platform/http-early.ts';
import { perSystem, type System } from '#platform/system.ts';
import { STATUS_TOPIC } from './boards.ts';
import type { Reading } from './health.ts';
import { installationPage, type StatusPage } from './pages.ts';
import { type AllStored, emptyStored, readAllStored } from './stored.ts';
import { makeView, type Own, type View } from './view.ts';

/** Whether responses of a page may be kept: those of a public one for a minute; those for members by nobody, and no search engine lists them. */
export function cachingOf({ audience }: StatusPage): Record<string, string> {
  return audience === 'public'
    ? { 'cache-control': 'public, max-age=60' }
    : { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' };
}

/** A public page is the same for everybody and needs no credentials, so pages of any origin may read it. */
function sharingOf({ audience }: StatusPage): Record<string, string> {
  return audience === 'public'
    ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS }
    : {};
}

/** Makes one kind of response from a view. */
export type Maker = {
  key: string;
  type: string;
  make: (view: View) => string;
  headers?: (view: View) => Record<string, string>;
};

const EPOCH = new Date(0).toISOString();

/** A view of one page and the responses made from it; each is made once. */
export class Moment {
  readonly view: View;
  readonly #made = new Map<string, EarlyDocument>();

  constructor(view: View) {
    this.view = view;
  }

  responseTo(maker: Maker): EarlyDocument {
    const known = this.#made.get(maker.key);
    if (known) return known;
    const lasting = maker.make({ ...this.view, generatedAt: EPOCH });
    const etag = `W/"${hash('sha256', lasting, 'base64url').slice(0, 22)}"`;
    const made: EarlyDocument = {
      body: Buffer.from(maker.make(this.view)),
      // Weak: it does not change if only the time in the response does.
      etag,
      headers: {
        ...cachingOf(this.view.page),
        ...sharingOf(this.view.page),
        'content-type': maker.type,
        ...maker.headers?.(this.view),
      },
    };
    this.#made.set(maker.key, made);
    return made;
  }
}

const TIMEOUT_MS = 1_500;
const SLOW_MS = 1_000;
/** Consecutive failed checks after which the database counts as down. */
const TO_LOSE = 2;
const RELOAD_MS = 30_000;
const NOBODY: Own = new Map();

/**
 * The status of the installation as this process shows it: read from the database and kept in memory, so that responses need no database.
 * While the database is down, responses continue and say so.
 */
export class Views {
  readonly #system: System;
  #stored: AllStored;
  #knownAt: Date;
  #silences = 0;
  #loadedAt = 0;
  #loading: Promise<void> | null = null;
  #again = false;
  #own: Record<Environment, Own> = { test: NOBODY, production: NOBODY };
  #awaySince: Date | null = null;
  #moments: Record<Environment, Moment>;
  /** The result of the latest database check. */
  databaseReading: Reading = null;

  constructor(system: System) {
    this.#system = system;
    this.#knownAt = system.clock.now();
    this.#stored = emptyStored(this.#knownAt);
    this.#moments = this.#make();
  }

  get stored(): AllStored {
    return this.#stored;
  }

  get knownAt(): Date {
    return this.#knownAt;
  }

  /** True while this process can't reach the database. */
  get away(): boolean {
    return this.#awaySince !== null;
  }

  /** The installation's page of an environment. */
  of(environment: Environment): Moment {
    return this.#moments[environment];
  }

  /** Starts from the snapshot of an earlier run. */
  restore(stored: AllStored, knownAt: Date): void {
    this.#stored = stored;
    this.#knownAt = knownAt;
    this.#moments = this.#make();
  }

  /** Sets the measurements of this process; null when another process measures. */
  measured(own: Record<Environment, Own> | null): void {
    this.#own = own ?? { test: NOBODY, production: NOBODY };
    this.#moments = this.#make();
  }

  /** Checks the database and reads again what may have changed. */
  async look(): Promise<void> {
    const began = performance.now();
    const answered = await acceptsWrites(this.#system.db, TIMEOUT_MS);
    const took = performance.now() - began;
    this.databaseReading = answered ? (took > SLOW_MS ? 1 : 0) : 3;
    if (answered) await this.#heard();
    else this.#silent();
  }

  async #heard(): Promise<void> {
    const back = this.away;
    this.#silences = 0;
    this.#awaySince = null;
    if (back || this.#system.clock.now().getTime() - this.#loadedAt >= RELOAD_MS) await this.reload();
  }

  #silent(): void {
    this.#silences += 1;
    if (this.#silences < TO_LOSE || this.away) return;
    this.#awaySince = this.#system.clock.now();
    this.#moments = this.#make();
  }

  /** Reads everything again. Calls during a read share one more read after it. */
  async reload(): Promise<void> {
    this.#again = true;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    await this.#loading;
  }

  async #load(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        const now = this.#system.clock.now();
        // biome-ignore lint/performance/noAwaitInLoops: reads run one after the other
        this.#stored = await readAllStored(this.#system);
        this.#knownAt = now;
        this.#loadedAt = now.getTime();
        this.#moments = this.#make();
      } catch (error) {
        this.#system.log.debug({ err: error }, 'the status could not be read');
      }
    }
  }

  #make(): Record<Environment, Moment> {
    const now = this.#system.clock.now();
    const moment = (environment: Environment): Moment =>
      new Moment(
        makeView(this.#stored[environment], {
          page: installationPage(environment),
          own: this.#ownOf(environment),
          now,
          lastKnownAt: this.away ? this.#knownAt : null,
        }),
      );
    return { test: moment('test'), production: moment('production') };
  }

  /** A process that does not measure still notices that its database is down. */
  #ownOf(environment: Environment): Own {
    const own = this.#own[environment];
    if (own.size > 0 || this.#awaySince === null) return own;
    return new Map([['database', { status: 'major_outage', since: this.#awaySince.toISOString() }]]);
  }
}

/** The status of the installation as this process shows it. */
export const viewsOf = perSystem((system) => new Views(system));

/** Reads the status, and again whenever a process changes it. */
export async function startViews(system: System): Promise<void> {
  const views = viewsOf(system);
  await system.feed.subscribe({
    replay: () => views.reload(),
    onChange: ({ topic, key }) => {
      if (topic !== STATUS_TOPIC || (key !== 'test' && key !== 'production')) return;
      views.reload().catch((error: unknown) => system.log.warn({ err: error }, 'status'));
    },
  });
  await views.look();
}

/** The view of an environment, for the start page. */
export function currentView(system: System, environment: Environment): View {
  return viewsOf(system).of(environment).view;
}
