import { type Environment, environments } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { applyTransitions, inRuns, resolveWatched, type Transition } from './automatic.ts';
import { noteMeasured } from './boards.ts';
import { runCheck } from './checks.ts';
import { shownStatus } from './combined-status.ts';
import { readComponents, seedComponents } from './components.ts';
import { type Health, healthOf, observe, type Reading, statusOf } from './health.ts';
import { Leader, type Leadership } from './leader.ts';
import { advanceMaintenance, dueMaintenances } from './maintenances.ts';
import { installationPage, pageCtx } from './pages.ts';
import { ProjectMonitor } from './project-monitor.ts';
import { readBuiltIn, readShared } from './readings.ts';
import { removeOldSignals } from './signals.ts';
import { type CheckedComponent, readSnapshot, type Snapshot, saveSnapshot } from './snapshot.ts';
import { removeUnconfirmed } from './subscriptions.ts';
import { MinuteBook, removeOldUptime, writeMinutes } from './uptime.ts';
import { bearingOf, type Own } from './view.ts';
import { type Views, viewsOf } from './views.ts';

const ROUND_MS = 2_000;
const NOTE_MS = 10_000;
const CHECKS_MS = 10_000;
const MINUTES_MS = 15_000;
const SAVE_MS = 30_000;
const FORGET_MS = 600_000;
/** After a restart, saved measurements count if they are no older than this. */
const TRUSTED_MS = 10 * 60_000;

type PerEnvironment<T> = Record<Environment, T>;

/**
 * Measures every component and stores the changes. One process leads (see Leader). While the database is down every
 * process measures for itself and stores the results when the database is back.
 */
class Monitor {
  readonly #system: System;
  readonly #views: Views;
  readonly #leader: Leader;
  #projects: ProjectMonitor;
  #ofProjects: Promise<void> | null = null;
  #health: PerEnvironment<Map<string, Health>> = { test: new Map(), production: new Map() };
  #checks: PerEnvironment<CheckedComponent[]> = { test: [], production: [] };
  #pending: PerEnvironment<Transition[]> = { test: [], production: [] };
  #book = new MinuteBook();
  #leadership: Leadership = 'unknown';
  /** Whether the components that every installation has were added since this process leads. */
  #seeded = false;
  readonly #checkedAt = new Map<string, number>();
  readonly #done = new Map<string, number>();

  constructor(system: System) {
    this.#system = system;
    this.#views = viewsOf(system);
    this.#leader = new Leader(system);
    this.#projects = new ProjectMonitor(system);
  }

  /** Restores the state that an earlier run saved. */
  restore(saved: Snapshot): void {
    this.#book = new MinuteBook(saved.spans);
    for (const environment of environments)
      this.#pending[environment] = saved.pending[environment].map((one) => ({ ...one, since: new Date(one.since) }));
    if (this.#system.clock.now().getTime() - Date.parse(saved.savedAt) < TRUSTED_MS)
      for (const environment of environments)
        this.#health[environment] = new Map(Object.entries(saved.health[environment]));
    this.#checks = saved.checks;
    if (this.#views.databaseReading === 3) this.#views.restore(saved.stored, new Date(saved.knownAt));
  }

  /** Measures once if this process leads, or if the database is down. */
  async round(): Promise<void> {
    await this.#views.look();
    const before = this.#leadership;
    this.#leadership = this.#views.away ? 'unknown' : await this.#leader.ask();
    if (this.#leadership === 'leads' && before !== 'leads') this.#takeOver();
    if (this.#leadership === 'leads' && !this.#seeded) await this.#seed();
    if (this.#leadership === 'other') this.#rest();
    else await this.#measure();
    if (!this.#views.away) await this.#write();
    if (this.#leadership === 'leads' && this.#due('projects', CHECKS_MS)) this.#lookAfterProjects();
    if (this.#due('save', SAVE_MS)) await this.save();
  }

  async stop(): Promise<void> {
    if (!this.#views.away) await this.#write().catch(() => undefined);
    await this.#ofProjects;
    await this.#projects.stop();
    await this.save();
    await this.#leader.stop();
  }

  /** Beside the rounds, because what many projects have due may take longer than one. */
  #lookAfterProjects(): void {
    this.#ofProjects ??= this.#projects
      .round()
      .catch((error: unknown) => this.#system.log.warn({ err: error }, 'status pages of projects'))
      .finally(() => {
        this.#ofProjects = null;
      });
  }

  /** Forgets what this process found out about projects before another one led. */
  #takeOver(): void {
    this.#projects = new ProjectMonitor(this.#system);
    this.#seeded = false;
  }

  /** If it fails, this process measures the components that there are, and the next round tries again. */
  async #seed(): Promise<void> {
    try {
      await seedComponents(this.#system);
    } catch (error) {
      return this.#system.log.warn({ err: error }, 'the components of the status could not be added');
    }
    await this.#views.reload();
    this.#seeded = true;
  }

  #rest(): void {
    for (const environment of environments) this.#health[environment].clear();
    this.#views.measured(null);
  }

  async #measure(): Promise<void> {
    if (!this.#views.away && this.#due('checks', CHECKS_MS)) await this.#readChecks();
    const shared = await readShared(this.#system, this.#views.databaseReading);
    await Promise.all(
      environments.map(async (environment) => {
        const levelOf = (id: string) => this.#health[environment].get(id)?.level ?? 0;
        const [builtIn, checked] = await Promise.all([
          readBuiltIn(this.#system, environment, { shared, levelOf }),
          this.#runChecks(environment),
        ]);
        this.#take(environment, { ...builtIn, ...checked });
      }),
    );
    this.#views.measured({ test: this.#ownOf('test'), production: this.#ownOf('production') });
  }

  #take(environment: Environment, readings: Readonly<Record<string, Reading>>): void {
    const now = this.#system.clock.now();
    const stored = this.#views.stored[environment];
    const bearing = bearingOf(stored);
    for (const { id, status, since } of stored.components) {
      const before = this.#health[environment].get(id) ?? healthOf(status, new Date(since));
      const health = id in readings ? observe(before, readings[id] ?? null, now) : before;
      this.#health[environment].set(id, health);
      if (this.#views.away && health.level !== before.level)
        this.#pending[environment].push({ componentId: id, to: statusOf(health), since: new Date(health.since) });
      this.#book.note(environment, id, shownStatus(id, statusOf(health), bearing), now);
    }
  }

  #ownOf(environment: Environment): Own {
    return new Map(
      [...this.#health[environment]].map(([id, health]) => [
        id,
        { status: statusOf(health), since: new Date(health.since).toISOString() },
      ]),
    );
  }

  async #readChecks(): Promise<void> {
    const { db } = this.#system;
    await Promise.all(
      environments.map(async (environment) => {
        const rows = await readComponents({ db, page: installationPage(environment) });
        this.#checks[environment] = rows.flatMap(({ id, probe, heartbeat_at }) =>
          probe === null ? [] : [{ id, check: probe, heartbeatAt: heartbeat_at?.toISOString() ?? null }],
        );
      }),
    );
  }

  /** Runs the checks whose interval is over. */
  async #runChecks(environment: Environment): Promise<Record<string, Reading>> {
    const now = performance.now();
    const due = this.#checks[environment].filter(({ id, check }) => {
      if (check.kind === 'manual') return false;
      const last = this.#checkedAt.get(id);
      return last === undefined || now - last >= Math.min(check.intervalSeconds * 1000, FORGET_MS);
    });
    const readings = await Promise.all(
      due.map(async ({ id, check, heartbeatAt }): Promise<[string, Reading]> => {
        this.#checkedAt.set(id, now);
        return [id, await runCheck(this.#system, check, heartbeatAt === null ? null : new Date(heartbeatAt))];
      }),
    );
    return Object.fromEntries(readings);
  }

  /** Stores pending changes; the next round retries what fails. */
  async #write(): Promise<void> {
    try {
      for (const environment of environments) {
        // biome-ignore lint/performance/noAwaitInLoops: changes are written in their order
        await this.#writePending(environment);
        if (this.#leadership === 'leads') await this.#lead(environment);
      }
      const now = this.#system.clock.now();
      if (this.#due('minutes', MINUTES_MS)) await writeMinutes(this.#system, this.#book, now);
      if (this.#leadership === 'leads' && this.#due('forget', FORGET_MS))
        await Promise.all([
          removeOldSignals(this.#system),
          removeOldUptime(this.#system),
          removeUnconfirmed(this.#system),
        ]);
    } catch (error) {
      this.#system.log.warn({ err: error }, 'the status could not be written; it is tried again');
    }
  }

  async #writePending(environment: Environment): Promise<void> {
    if (this.#pending[environment].length === 0) return;
    const ctx = await pageCtx(this.#system, installationPage(environment), 'status');
    for (const run of ctx ? inRuns(this.#pending[environment]) : []) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other, as they happened
      if (ctx) await applyTransitions(ctx, run);
    }
    this.#pending[environment] = [];
  }

  /**
   * The leader's other work: brings the database in line with the measurements and advances incidents and maintenances
   * that are due.
   */
  async #lead(environment: Environment): Promise<void> {
    const ctx = await pageCtx(this.#system, installationPage(environment), 'status');
    if (!ctx) return;
    const changed = this.#views.stored[environment].components.flatMap(({ id, status }): Transition[] => {
      const health = this.#health[environment].get(id);
      const to = health ? statusOf(health) : status;
      return health && to !== status ? [{ componentId: id, to, since: new Date(health.since) }] : [];
    });
    for (const run of inRuns(changed)) {
      // biome-ignore lint/performance/noAwaitInLoops: what failed first, then what recovered
      await applyTransitions(ctx, run);
    }
    for (const id of await dueMaintenances(ctx)) {
      // biome-ignore lint/performance/noAwaitInLoops: each locks the board
      await advanceMaintenance(ctx, id);
    }
    await resolveWatched(ctx);
    if (this.#due(`note ${environment}`, NOTE_MS)) await noteMeasured(ctx);
  }

  /** True once per period. */
  #due(what: string, milliseconds: number): boolean {
    const now = performance.now();
    const last = this.#done.get(what);
    if (last !== undefined && now - last < milliseconds) return false;
    this.#done.set(what, now);
    return true;
  }

  async save(): Promise<void> {
    const pending = (environment: Environment) =>
      this.#pending[environment].map((one) => ({ ...one, since: one.since.toISOString() }));
    await saveSnapshot(this.#system, {
      version: 1,
      savedAt: this.#system.clock.now().toISOString(),
      knownAt: this.#views.knownAt.toISOString(),
      stored: this.#views.stored,
      checks: this.#checks,
      health: {
        test: Object.fromEntries(this.#health.test),
        production: Object.fromEntries(this.#health.production),
      },
      pending: { test: pending('test'), production: pending('production') },
      spans: this.#book.spans,
    });
  }
}

/**
 * Starts the monitor. With the role `status` it measures; without, it only checks whether the database is reachable.
 */
export async function startMonitor(system: System): Promise<{ stop: () => Promise<void> }> {
  const views = viewsOf(system);
  const monitor = system.config.roles.includes('status') ? new Monitor(system) : null;
  const saved = monitor && (await readSnapshot(system));
  if (saved) monitor.restore(saved);
  let running: Promise<void> | null = null;
  const round = () => {
    running ??= (monitor ? monitor.round() : views.look())
      .catch((error: unknown) => system.log.warn({ err: error }, 'status'))
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(round, ROUND_MS);
  round();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
      await monitor?.stop();
    },
  };
}
