import { sql } from 'kysely';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { applyTransitions, inRuns, resolveWatched, type Transition } from './automatic.ts';
import { type Check, runCheck } from './checks.ts';
import { type Bearing, claimsOf, type OpenIncident, shownStatus } from './combined-status.ts';
import { type ComponentStatus, type Health, healthOf, type MeasuredStatus, observe, statusOf } from './health.ts';
import type { MaintenanceId } from './maintenance-records.ts';
import { advanceMaintenance } from './maintenances.ts';
import { type OfPage, type PageKey, pageCtx, pageOfRow, type StatusPage } from './pages.ts';
import { worstFirst } from './uptime.ts';

/** The number of checks at a time. */
const AT_ONCE = 20;
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
  /** The worst status of each component since it was counted. */
  readonly #worst = new Map<string, ComponentStatus>();

  constructor(system: System) {
    this.#system = system;
  }

  async round(): Promise<void> {
    const pages = await readPages(this.#system);
    if (pages.size === 0) return this.#forget([]);
    await this.#advance(pages);
    const components = await readComponentsOf(this.#system, pages);
    this.#forget(components);
    await this.#check(components, pages);
    await this.#resolve(pages);
    await this.#count(components, pages);
  }

  #forget(components: readonly Component[]): void {
    const known = new Set(components.map(({ id }) => id));
    for (const map of [this.#health, this.#checkedAt, this.#worst])
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
      const ctx = await this.#ctxOf(pages.get(environment));
      if (ctx) await advanceMaintenance(ctx, id);
    }
  }

  async #resolve(pages: Pages): Promise<void> {
    const { rows } = await sql<OfPage>`
      select environment from status_incidents
      where workspace_id <> '' and automatic and phase <> 'resolved'`.execute(this.#system.db);
    for (const { environment } of rows) {
      // biome-ignore lint/performance/noAwaitInLoops: each locks its board
      const ctx = await this.#ctxOf(pages.get(environment));
      if (ctx) await resolveWatched(ctx);
    }
  }

  async #ctxOf(page: StatusPage | undefined) {
    return page ? pageCtx(this.#system, page, 'status') : null;
  }

  /** Runs the checks of published pages whose interval is over, and stores what changed. */
  async #check(components: readonly Component[], pages: Pages): Promise<void> {
    const at = performance.now();
    const due = components.filter(({ id, environment, probe }) => {
      if (!pages.get(environment)?.published || probe === null || probe.kind === 'manual') return false;
      const last = this.#checkedAt.get(id);
      return last === undefined || at - last >= probe.intervalSeconds * 1000;
    });
    for (let from = 0; from < due.length; from += AT_ONCE) {
      const some = due.slice(from, from + AT_ONCE);
      // biome-ignore lint/performance/noAwaitInLoops: a few at a time
      await Promise.all(some.map((component) => this.#measure(component, at)));
    }
    for (const [key, changed] of Map.groupBy(due.flatMap(this.#changeOf), ({ page }) => page)) {
      // biome-ignore lint/performance/noAwaitInLoops: each locks its board
      const ctx = await this.#ctxOf(pages.get(key));
      // biome-ignore lint/performance/noAwaitInLoops: what failed first, then what recovered
      for (const run of ctx ? inRuns(changed) : []) if (ctx) await applyTransitions(ctx, run);
    }
  }

  async #measure({ id, probe, heartbeat_at, status, status_since }: Component, at: number): Promise<void> {
    if (probe === null) return;
    this.#checkedAt.set(id, at);
    const reading = await runCheck(this.#system, probe, heartbeat_at);
    const before = this.#health.get(id) ?? healthOf(status, status_since);
    this.#health.set(id, observe(before, reading, this.#system.clock.now()));
  }

  readonly #changeOf = ({ id, environment, status }: Component): (Transition & { page: PageKey })[] => {
    const health = this.#health.get(id);
    const to = health ? statusOf(health) : status;
    return health && to !== status ? [{ page: environment, componentId: id, to, since: new Date(health.since) }] : [];
  };

  /** Counts the worst status of each component, once a minute, whichever processes led in it. */
  async #count(components: readonly Component[], pages: Pages): Promise<void> {
    const bearings = await readBearings(this.#system);
    const shown = components.filter(({ environment }) => pages.get(environment)?.published);
    for (const { id, environment, status } of shown) {
      const now = shownStatus(id, status, bearings.get(environment) ?? NOTHING);
      this.#worst.set(id, worstFirst([now, this.#worst.get(id) ?? now]));
    }
    const told = shown.map(({ id, environment }) => ({ environment, id, status: this.#worst.get(id) }));
    const counted = new Set(await addMinutes(this.#system, told));
    for (const { id, environment } of shown) if (counted.has(environment)) this.#worst.delete(id);
  }
}

type Pages = ReadonlyMap<string, StatusPage>;

async function readPages({ db }: System): Promise<Pages> {
  const rows = await db
    .selectFrom('status_boards')
    .select(['workspace_id', 'environment', 'slug', 'published'])
    .where('workspace_id', '<>', '')
    .execute();
  return new Map(rows.map((row) => [row.environment, pageOfRow(row)]));
}

async function readComponentsOf({ db }: System, pages: Pages): Promise<Component[]> {
  const rows = await db
    .selectFrom('status_components')
    .select(['workspace_id', 'environment', 'id', 'probe', 'heartbeat_at', 'status', 'status_since'])
    .where('workspace_id', '<>', '')
    .where('shown', '<>', 'never')
    .execute();
  return rows.filter(({ environment }) => pages.has(environment));
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
