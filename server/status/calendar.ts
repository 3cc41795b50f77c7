import { perSystem, type System } from '#platform/system.ts';
import type { Severity } from './combined-status.ts';
import { inPage, type PageDb } from './pages.ts';
import { type Day, readDaysBetween } from './uptime.ts';
import type { View } from './view.ts';
import { viewsOf } from './views.ts';

/** How many months before the current one have a calendar: as long as the totals of days are kept. */
const MONTHS = 24;
const FRESH_MS = 60_000;
const MAX_EVENTS = 300;

/** An incident or maintenance of a month. The severity of a maintenance is `none`. */
export type CalendarEvent = {
  id: string;
  title: string;
  severity: Severity;
  componentIds: readonly string[];
  begins: string;
  /** Null while it lasts. */
  ends: string | null;
};

type Facts = { days: ReadonlyMap<string, readonly Day[]>; events: readonly CalendarEvent[] };

/** `month`: 2026-01. */
export function monthOf(instant: string): string {
  return instant.slice(0, 7);
}

/** The first day of a month, and that of a month before or after it: 2026-01-01. */
export function firstDay(month: string, later = 0): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + later)).toISOString().slice(0, 10);
}

/** True for a month that has a calendar. */
export function hasCalendar(month: string, current: string): boolean {
  return month <= current && month >= monthOf(firstDay(current, -MONTHS));
}

const caches = perSystem(() => new Map<string, { at: number; facts: Promise<Facts> }>());

/**
 * What happened in a month: from the database, at most once a minute; while the database is down, what this process
 * knows of it.
 */
export async function factsOfMonth(system: System, view: View, month: string): Promise<Facts> {
  const now = system.clock.now().getTime();
  if (viewsOf(system).away) return knownFacts(view);
  const cache = caches(system);
  const key = `${view.page.key} ${month}`;
  const known = cache.get(key);
  if (known && Math.abs(now - known.at) < FRESH_MS) return known.facts.catch(() => knownFacts(view));
  // Those of past months and of pages that nobody reads would stay forever.
  for (const [old, { at }] of cache) if (Math.abs(now - at) >= FRESH_MS) cache.delete(old);
  const facts = readFacts({ db: system.db, page: view.page }, { from: firstDay(month), to: firstDay(month, 1) });
  cache.set(key, { at: now, facts });
  return facts.catch(() => {
    cache.delete(key);
    return knownFacts(view);
  });
}

function knownFacts({ components, incidents, maintenances }: View): Facts {
  return {
    days: new Map(components.map(({ id, days }) => [id, days])),
    events: [
      ...incidents.map(({ id, title, severity, componentIds, startedAt, resolvedAt }) => ({
        id,
        title,
        severity,
        componentIds,
        begins: startedAt,
        ends: resolvedAt,
      })),
      ...maintenances.map(({ id, title, componentIds, beginsAt, beganAt, endsAt, completedAt }) => ({
        id,
        title,
        severity: 'none' as const,
        componentIds,
        begins: beganAt ?? beginsAt,
        ends: completedAt ?? endsAt,
      })),
    ],
  };
}

/** Both tables are small, and served by their primary keys. */
async function readFacts(ctx: PageDb, { from, to }: { from: string; to: string }): Promise<Facts> {
  const { db, page } = ctx;
  const [begin, end] = [new Date(from), new Date(to)];
  const [days, incidents, maintenances] = await Promise.all([
    readDaysBetween(ctx, { from, to }),
    db
      .selectFrom('status_incidents')
      .select(['id', 'title', 'severity', 'component_ids', 'started_at', 'resolved_at'])
      .where(inPage(page))
      .where('published_at', 'is not', null)
      .where('started_at', '<', end)
      .where((eb) => eb.or([eb('resolved_at', 'is', null), eb('resolved_at', '>=', begin)]))
      .orderBy('started_at', 'desc')
      .limit(MAX_EVENTS)
      .execute(),
    db
      .selectFrom('status_maintenances')
      .select(['id', 'title', 'component_ids', 'begins_at', 'ends_at', 'began_at', 'completed_at'])
      .where(inPage(page))
      .where((eb) => eb(eb.fn.coalesce('began_at', 'begins_at'), '<', end))
      .where((eb) => eb(eb.fn.coalesce('completed_at', 'ends_at'), '>=', begin))
      .orderBy('begins_at', 'desc')
      .limit(MAX_EVENTS)
      .execute(),
  ]);
  return {
    days,
    events: [
      ...incidents.map(({ id, title, severity, component_ids, started_at, resolved_at }) => ({
        id,
        title,
        severity,
        componentIds: component_ids,
        begins: started_at.toISOString(),
        ends: resolved_at?.toISOString() ?? null,
      })),
      ...maintenances.map(({ id, title, component_ids, begins_at, ends_at, began_at, completed_at }) => ({
        id,
        title,
        severity: 'none' as const,
        componentIds: component_ids,
        begins: (began_at ?? begins_at).toISOString(),
        ends: (completed_at ?? ends_at).toISOString(),
      })),
    ],
  };
}

/** One day of a calendar. `state`: the worst of the day; null when nothing was measured. */
export type CalendarDay = {
  day: string;
  state: 'operational' | (typeof PROBLEMS)[number][1] | null;
  minutes: number;
  events: readonly CalendarEvent[];
};

/** The kinds of problems of a day, worst first, with their states. */
export const PROBLEMS = [
  ['major', 'major_outage'],
  ['partial', 'partial_outage'],
  ['degraded', 'degraded_performance'],
  ['maintenance', 'under_maintenance'],
] as const;

/**
 * The days of a month.
 * @param componentIds what the calendar is about
 * @param now an event without an end lasts until then
 */
export function daysOfMonth(
  { days, events }: Facts,
  month: string,
  { componentIds, everything, now }: { componentIds: readonly string[]; everything: boolean; now: string },
): CalendarDay[] {
  const about = new Set(componentIds);
  const concerned = events.filter(
    (event) => everything || event.componentIds.length === 0 || event.componentIds.some((id) => about.has(id)),
  );
  const measured = Map.groupBy(
    componentIds.flatMap((id) => days.get(id) ?? []),
    ({ day }) => day,
  );
  const count = new Date(Date.parse(firstDay(month, 1)) - 1).getUTCDate();
  return Array.from({ length: count }, (_, index) => {
    const day = `${month}-${String(index + 1).padStart(2, '0')}`;
    return {
      day,
      ...worstOf(measured.get(day)),
      events: concerned.filter(({ begins, ends }) => begins.slice(0, 10) <= day && (ends ?? now).slice(0, 10) >= day),
    };
  });
}

function worstOf(days: readonly Day[] | undefined): Pick<CalendarDay, 'state' | 'minutes'> {
  if (!days) return { state: null, minutes: 0 };
  for (const [kind, state] of PROBLEMS) {
    const minutes = Math.max(...days.map((day) => day[kind]));
    if (minutes > 0) return { state, minutes };
  }
  return { state: 'operational', minutes: 0 };
}
