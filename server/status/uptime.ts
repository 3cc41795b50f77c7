import { sql } from 'kysely';
import { type Environment, environments } from '#platform/ctx.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import type { ComponentStatus } from './health.ts';
import { inPage, type OfPage, type PageDb } from './pages.ts';

type StatusMinutesTable = { environment: Environment; component_id: string; minute: Date; status: ComponentStatus };
type StatusDaysTable = OfPage & {
  component_id: string;
  day: Date;
  operational: number;
  degraded: number;
  partial: number;
  major: number;
  maintenance: number;
};

declare module '#platform/db.ts' {
  interface Tables {
    status_minutes: StatusMinutesTable;
    status_days: StatusDaysTable;
  }
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES_KEPT = '3 days';
const DAYS_KEPT = '2 years';
const ORDER: readonly ComponentStatus[] = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  // Planned: other statuses during a maintenance do not count.
  'under_maintenance',
];

/** The status that counts for a minute in which there were several. */
export function worstFirst(statuses: readonly ComponentStatus[]): ComponentStatus {
  return ORDER.findLast((status) => statuses.includes(status)) ?? 'operational';
}

/** A run of minutes with one status; both ends inclusive, in minutes since 1970. */
export type Span = { from: number; to: number; status: ComponentStatus };

/** Measurements that are not yet in the database, by environment and component, in order. */
export type Spans = Record<Environment, Record<string, Span[]>>;

/**
 * Collects the worst status of every minute. Keeps finished minutes until the database has stored them, so an outage
 * loses nothing. A run of one status is one entry.
 */
export class MinuteBook {
  #spans: Spans;

  constructor(spans: Spans = { test: {}, production: {} }) {
    this.#spans = spans;
  }

  get spans(): Spans {
    return this.#spans;
  }

  /** Records the current status of a component. */
  note(environment: Environment, componentId: string, status: ComponentStatus, now: Date): void {
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    const spans = this.#spans[environment][componentId] ?? [];
    this.#spans[environment][componentId] = spans;
    const last = spans.at(-1);
    if (last && minute <= last.to) {
      if (ORDER.indexOf(status) <= ORDER.indexOf(last.status)) return;
      // The minute in progress gets a worse status.
      if (last.from === last.to) spans.pop();
      else last.to -= 1;
    }
    extend(spans, minute, status);
  }

  /** The finished minutes. */
  finished(now: Date): (Span & { environment: Environment; component_id: string })[] {
    const current = Math.floor(now.getTime() / MINUTE_MS);
    return environments.flatMap((environment) =>
      Object.entries(this.#spans[environment]).flatMap(([componentId, spans]) =>
        spans
          .filter(({ from }) => from < current)
          .map((span) => ({ ...span, to: Math.min(span.to, current - 1), environment, component_id: componentId })),
      ),
    );
  }

  /** Drops minutes up to and including the last one that is stored. */
  forget(until: number): void {
    for (const environment of environments)
      for (const [componentId, spans] of Object.entries(this.#spans[environment]))
        this.#spans[environment][componentId] = spans
          .filter(({ to }) => to > until)
          .map((span) => ({ ...span, from: Math.max(span.from, until + 1) }));
  }
}

/** Appends a minute. It extends a run of the same status only if it is adjacent, because gaps are unknown. */
function extend(spans: Span[], minute: number, status: ComponentStatus): void {
  const last = spans.at(-1);
  if (last?.status === status && last.to === minute - 1) last.to = minute;
  else spans.push({ from: minute, to: minute, status });
}

/**
 * Stores finished minutes and adds them to their days, in one statement: a minute counts once, even when several
 * processes write it. Then drops them from the book.
 */
export async function writeMinutes(system: System, book: MinuteBook, now: Date): Promise<void> {
  const finished = book.finished(now);
  if (finished.length === 0) return;
  await sql`
    with told as (
      select environment, component_id, status, to_timestamp(number * 60) as minute
      from jsonb_to_recordset(${JSON.stringify(finished)}::jsonb)
        as span (environment text, component_id text, status text, "from" bigint, "to" bigint),
        generate_series(span."from", span."to") as number
    ), fresh as (
      insert into status_minutes (environment, component_id, minute, status)
      select environment, component_id, minute, status from told on conflict do nothing
      returning *
    )
    insert into status_days (workspace_id, environment, component_id, day, operational, degraded, partial, major, maintenance)
    select '', environment, component_id, (minute at time zone 'UTC')::date,
      count(*) filter (where status = 'operational'), count(*) filter (where status = 'degraded_performance'),
      count(*) filter (where status = 'partial_outage'), count(*) filter (where status = 'major_outage'),
      count(*) filter (where status = 'under_maintenance')
    from fresh group by 2, 3, 4
    on conflict (environment, component_id, day) do update set
      operational = status_days.operational + excluded.operational, degraded = status_days.degraded + excluded.degraded,
      partial = status_days.partial + excluded.partial, major = status_days.major + excluded.major,
      maintenance = status_days.maintenance + excluded.maintenance`.execute(singleWrite(system, 'count'));
  book.forget(Math.floor(now.getTime() / MINUTE_MS) - 1);
}

/** The minutes of one day of one component, by status. `day`: 2026-01-31. */
export type Day = {
  day: string;
  operational: number;
  degraded: number;
  partial: number;
  major: number;
  maintenance: number;
};

/** The last days of every component of a page, oldest first. */
export async function readDays(ctx: PageDb, { now, days }: { now: Date; days: number }): Promise<Map<string, Day[]>> {
  const dayOf = (later: number) => new Date(now.getTime() + later * DAY_MS).toISOString().slice(0, 10);
  return readDaysBetween(ctx, { from: dayOf(1 - days), to: dayOf(1) });
}

/**
 * The days of every component of a page, oldest first. Served by the primary key.
 * @param from the first day, 2026-01-31
 * @param to the day after the last
 */
export async function readDaysBetween(
  ctx: PageDb,
  { from, to }: { from: string; to: string },
): Promise<Map<string, Day[]>> {
  const { rows } = await sql<Day & { component_id: string }>`
    select component_id, to_char(day, 'YYYY-MM-DD') as day, operational, degraded, partial, major, maintenance
    from status_days where ${inPage(ctx.page)}
      and day >= ${from}::date and day < ${to}::date
    order by component_id, status_days.day`.execute(ctx.db);
  const byComponent = Map.groupBy(rows, ({ component_id }) => component_id);
  return new Map([...byComponent].map(([id, list]) => [id, list.map(({ component_id: _, ...day }) => day)]));
}

/**
 * Uptime in percent with three decimals: 100 × (1 − (major + partial ÷ 2) ÷ measured). Minutes of maintenance are left
 * out; degraded minutes count as up. Null when nothing was measured.
 */
export function uptimeOf(days: readonly Omit<Day, 'day'>[]): number | null {
  let measured = 0;
  let down = 0;
  for (const { operational, degraded, partial, major } of days) {
    measured += operational + degraded + partial + major;
    down += major + partial / 2;
  }
  if (measured === 0) return null;
  // Rounded down: 100 means that there was no downtime.
  return Math.floor((1 - down / measured) * 100_000) / 1_000;
}

/** Deletes minutes after three days and days after two years. */
export async function removeOldUptime(system: System): Promise<void> {
  const now = system.clock.now();
  await sql`delete from status_minutes where minute < ${now}::timestamptz - ${MINUTES_KEPT}::interval`.execute(
    singleWrite(system, 'clean-up'),
  );
  await sql`delete from status_days where day < (${now}::timestamptz - ${DAYS_KEPT}::interval)::date /* all workspaces */`.execute(
    singleWrite(system, 'clean-up'),
  );
}
