import { sql } from 'kysely';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { applyTransitions, inRuns, resolveWatched, type Transition } from './automatic.ts';
import { type Check, runCheck } from './checks.ts';
import { type Bearing, claimsOf, type OpenIncident, shownStatus } from './combined-status.ts';
import {
  type ComponentStatus,
  type Health,
  healthOf,
  type MeasuredStatus,
  observe,
  type Reading,
  statusOf,
} from './health.ts';
import type { MaintenanceId } from './maintenance-records.ts';
import { advanceMaintenance } from './maintenances.ts';
import {
  isShown,
  type OfPage,
  PAGE_COLUMNS,
  type PageCtx,
  type PageKey,
  pageCtx,
  pageOfRow,
  type StatusPage,
} from './pages.ts';
import { worstFirst } from './uptime.ts';

/**
 * The number of checks at a time of one workspace, and of workspaces at a time. Checks that hang hold up only those of their
 * workspace.
 */
const OF_WORKSPACE = 5;
const WORKSPACES = 40;
/** The number of checks of one workspace before others have their turn. */
const IN_A_ROW = 50;
const MINUTE_MS = 60_000;

type Component = OfPage & {
  id: string;
  probe: Check | null;
  heartbeat_at: Date | null;
  status: MeasuredStatus;
  status_since: Date;
};

/**
 * What the leader does for the pages of projects: checks their components, advances maintenances and automatic incidents
 * that are due, and counts the minutes of their uptime.
 */
export class ProjectMonitor {
  readonly #system: System;
  readonly #health = new Map<string, Health>();
  readonly #checkedAt = new Map<string, number>();
  /** The checks of each workspace that run now, and what checks have found since the last round. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #found = new Map<string, Reading>();
  #stopping = false;
  /** The worst status of each component since it was counted. */
  readonly #worst = new Map<string, ComponentStatus>();

  constructor(system: System) {
    this.#system = system;
  }

  /** Stores what checks have found and does what is due. It starts checks, and waits for none. */
  async round(): Promise<void> {
    const pages = await readPages(this.#system);
    const components = pages.size === 0 ? [] : await readShown(this.#system, pages);
    this.#forget(components);
    await this.#advance(pages);
    await this.#take(components, pages);
    await this.#resolve(pages);
    await this.#count(components);
    this.#start(components);
  }

  /** Starts no more checks, and waits for those that run. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running.values());
  }

  #forget(components: readonly Component[]): void {
    const known = new Set(components.map(({ id }) => id));
    for (const map of [this.#health, this.#checkedAt, this.#found, this.#worst])
      for (const id of map.keys()) if (!known.has(id)) map.delete(id);
  }

  async #advance(pages: Pages): Promise<void> {
    const now = this.#system.clock.now();
    const { rows } = await sql<OfPage & { id: MaintenanceId }>`
      select environment, id from status_maintenances
      where workspace_id <> '' and phase <> 'completed'
        and (ends_at <= ${now} or phase = 'scheduled' and (begins_at <= ${now} or remind_at <= ${now}))`.execute(
      this.#system.db,
    );
    for (const { environment, id } of rows) {
      // biome-ignore lint/performance/noAwaitInLoops: each locks its board
      await this.#on(pages.get(environment), (ctx) => advanceMaintenance(ctx, id));
    }
  }

  async #resolve(pages: Pages): Promise<void> {
    const { rows } = await sql<OfPage>`
      select environment from status_incidents
      where workspace_id <> '' and automatic and phase <> 'resolved'`.execute(this.#system.db);
    for (const { environment } of rows) {
      // biome-ignore lint/performance/noAwaitInLoops: each locks its board
      await this.#on(pages.get(environment), resolveWatched);
    }
  }

  /** Works on one page. A failure is logged, tried again in the next round, and holds up no other page. */
  async #on(page: StatusPage | undefined, work: (ctx: PageCtx) => Promise<void>): Promise<void> {
    try {
      const ctx = page && (await pageCtx(this.#system, page, 'status'));
      if (ctx) await work(ctx);
    } catch (error) {
      this.#system.log.warn({ err: error, page: page?.key }, 'the status page of a project is postponed');
    }
  }

  /** Stores the changes that checks have found. */
  async #take(components: readonly Component[], pages: Pages): Promise<void> {
    for (const [key, changed] of Map.groupBy(components.flatMap(this.#changeOf), ({ page }) => page)) {
      // biome-ignore lint/performance/noAwaitInLoops: each locks its board
      await this.#on(pages.get(key), async (ctx) => {
        // biome-ignore lint/performance/noAwaitInLoops: what failed first, then what recovered
        for (const run of inRuns(changed)) await applyTransitions(ctx, run);
      });
    }
  }

  readonly #changeOf = ({ id, environment, status, status_since }: Component): (Transition & { page: PageKey })[] => {
    const reading = this.#found.get(id);
    if (reading === undefined) return [];
    this.#found.delete(id);
    const before = this.#health.get(id) ?? healthOf(status, status_since);
    const health = observe(before, reading, this.#system.clock.now());
    this.#health.set(id, health);
    const to = statusOf(health);
    return to === status ? [] : [{ page: environment, componentId: id, to, since: new Date(health.since) }];
  };

  /** Starts the checks whose interval is over, those that wait longest first, in workspaces that have none running. */
  #start(components: readonly Component[]): void {
    const due = components.filter((component) => this.#isDue(component)).sort((a, b) => this.#last(a) - this.#last(b));
    for (const [workspaceId, some] of Map.groupBy(due, ({ workspace_id }) => workspace_id)) {
      if (this.#running.size >= WORKSPACES) return;
      if (this.#running.has(workspaceId)) continue;
      const running = this.#check(some.slice(0, IN_A_ROW)).finally(() => this.#running.delete(workspaceId));
      this.#running.set(workspaceId, running);
    }
  }

  #isDue({ id, probe }: Component): boolean {
    if (probe === null || probe.kind === 'manual') return false;
    return this.#now() - this.#last({ id }) >= probe.intervalSeconds * 1000;
  }

  #last({ id }: Pick<Component, 'id'>): number {
    return this.#checkedAt.get(id) ?? 0;
  }

  #now(): number {
    return this.#system.clock.now().getTime();
  }

  async #check(components: readonly Component[]): Promise<void> {
    const queue = components.values();
    const lane = async () => {
      for (const { id, probe, heartbeat_at } of queue) {
        if (probe === null || this.#stopping) return;
        this.#checkedAt.set(id, this.#now());
        // biome-ignore lint/performance/noAwaitInLoops: one after the other in each lane
        this.#found.set(id, await runCheck(this.#system, probe, heartbeat_at));
      }
    };
    await Promise.all(Array.from({ length: OF_WORKSPACE }, lane));
  }

  /** Counts the worst status of each component, once a minute, whichever processes led in it. */
  async #count(components: readonly Component[]): Promise<void> {
    const bearings = await readBearings(this.#system);
    for (const { id, environment, status } of components) {
      const now = shownStatus(id, status, bearings.get(environment) ?? NOTHING);
      this.#worst.set(id, worstFirst([now, this.#worst.get(id) ?? now]));
    }
    const told = components.map(({ id, environment }) => ({ environment, id, status: this.#worst.get(id) }));
    const counted = new Set(await addMinutes(this.#system, told));
    for (const { id, environment } of components) if (counted.has(environment)) this.#worst.delete(id);
  }
}

type Pages = ReadonlyMap<string, StatusPage>;

/** All pages of projects. One that nobody sees counts as unpublished. */
async function readPages(system: System): Promise<Pages> {
  const rows = await system.db
    .selectFrom('status_boards')
    .select(PAGE_COLUMNS)
    .where('workspace_id', '<>', '')
    .execute();
  const pages = await Promise.all(
    rows.map(pageOfRow).map(async (page) => ({ ...page, published: await isShown(system, page) })),
  );
  return new Map(pages.map((page) => [page.key, page]));
}

/** The components that visitors of published pages see. */
async function readShown({ db }: System, pages: Pages): Promise<Component[]> {
  const rows = await db
    .selectFrom('status_components')
    .select(['workspace_id', 'environment', 'id', 'probe', 'heartbeat_at', 'status', 'status_since'])
    .where('workspace_id', '<>', '')
    .where('shown', '<>', 'never')
    .execute();
  return rows.filter(({ environment }) => pages.get(environment)?.published);
}

const NOTHING: Bearing = { statuses: [], underMaintenance: new Set() };

/** What affects the components of each page besides measurements. */
async function readBearings({ db }: System): Promise<ReadonlyMap<string, Bearing>> {
  const { rows: incidents } = await sql<OfPage & OpenIncident>`
    select environment, severity, component_ids as "componentIds", component_statuses as "componentStatuses"
    from status_incidents where workspace_id <> '' and phase <> 'resolved' and published_at is not null`.execute(db);
  const { rows: maintenances } = await sql<OfPage & { component_ids: string[] }>`
    select environment, component_ids from status_maintenances
    where workspace_id <> '' and phase in ('in_progress', 'verifying')`.execute(db);
  const open = Map.groupBy(incidents, ({ environment }) => environment);
  const planned = Map.groupBy(maintenances, ({ environment }) => environment);
  return new Map(
    [...open.keys(), ...planned.keys()].map((key) => [
      key,
      {
        statuses: (open.get(key) ?? []).map(claimsOf),
        underMaintenance: new Set((planned.get(key) ?? []).flatMap(({ component_ids }) => component_ids)),
      },
    ]),
  );
}

type Told = { environment: PageKey; id: string; status: ComponentStatus | undefined };

/**
 * Adds one minute to today, on each page that was not counted in this minute.
 * @returns the keys of the pages that were counted
 */
async function addMinutes(system: System, told: readonly Told[]): Promise<PageKey[]> {
  if (told.length === 0) return [];
  const now = system.clock.now();
  const minute = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  const { rows } = await sql<OfPage>`
    with told as (
      select * from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as told (environment text, id text, status text)
    ), due as (
      update status_boards set measured_at = ${now}
      where workspace_id <> '' and environment in (select environment from told)
        and (measured_at is null or measured_at < ${minute})
      returning workspace_id, environment
    ), added as (
      insert into status_days as d (workspace_id, environment, component_id, day, operational, degraded, partial, major, maintenance)
      select workspace_id, environment, id, (${minute}::timestamptz at time zone 'UTC')::date,
        (status = 'operational')::integer, (status = 'degraded_performance')::integer,
        (status = 'partial_outage')::integer, (status = 'major_outage')::integer, (status = 'under_maintenance')::integer
      from told join due using (environment)
      on conflict (environment, component_id, day) do update set
        operational = d.operational + excluded.operational, degraded = d.degraded + excluded.degraded,
        partial = d.partial + excluded.partial, major = d.major + excluded.major,
        maintenance = d.maintenance + excluded.maintenance
      returning 1
    )
    select environment from due`.execute(singleWrite(system, 'count'));
  return rows.map(({ environment }) => environment);
}
