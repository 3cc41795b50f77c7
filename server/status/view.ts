import type { Environment } from '#platform/ctx.ts';
import { ALL_LANGUAGES, type PageLanguages } from './boards.ts';
import {
  type Bearing,
  claimsOf,
  isWell,
  type Overall,
  overallOf,
  type Severity,
  shownStatus,
  worst,
} from './combined-status.ts';
import type { ComponentStatus, MeasuredStatus } from './health.ts';
import { isOpen, type StoredIncident } from './incident-records.ts';
import { isUnderWay, type StoredMaintenance } from './maintenance-records.ts';
import type { StatusPage } from './pages.ts';
import type { PageBrand, Stored } from './stored.ts';
import { type Channel, channelsOf } from './subscribers.ts';
import { type Day, uptimeOf } from './uptime.ts';
import { type Voice, voiceIn } from './words.ts';

/** A component as it is shown. A null name or description is worded in the reader's language. */
export type ShownComponent = {
  id: string;
  groupId: string;
  name: string | null;
  description: string | null;
  status: ComponentStatus;
  since: string;
  createdAt: string;
  uptime: number | null;
  days: readonly Day[];
};

export type ShownGroup = { id: string; name: string | null; status: ComponentStatus; components: ShownComponent[] };

/** All public facts of one page at one moment, the only source of every response. */
export type View = {
  page: StatusPage;
  environment: Environment;
  name: string;
  brand: PageBrand;
  languages: PageLanguages;
  generatedAt: string;
  groups: ShownGroup[];
  components: ShownComponent[];
  /** The names of all components that may be shown, also while they are hidden. */
  names: readonly { id: string; name: string | null }[];
  overallStatus: Overall['overallStatus'];
  severity: Severity;
  affected: ShownComponent[];
  incidents: readonly StoredIncident[];
  maintenances: readonly StoredMaintenance[];
  channels: readonly Channel[];
  /** When the stored facts were read, while the database is down; null while it responds. */
  lastKnownAt: string | null;
  /** Since when nothing was measured (`never`: not once); null while measurements are current. */
  unmeasuredSince: string | null;
};

/** Measurements of this process by component. They override the stored ones. */
export type Own = ReadonlyMap<string, { status: MeasuredStatus; since: string }>;

/** Measurements older than this are reported as stale. Pages of projects are measured once a minute. */
const STALE_MS = { installation: 90_000, project: 300_000 };

const NO_BRAND: PageBrand = { logoUrl: null, accentColor: null, supportUrl: null };

/** What affects components besides measurements. */
export function bearingOf({ incidents, maintenances }: Pick<Stored, 'incidents' | 'maintenances'>): Bearing {
  return {
    statuses: incidents.filter(isOpen).map(claimsOf),
    underMaintenance: new Set(maintenances.filter(isUnderWay).flatMap(({ componentIds }) => componentIds)),
  };
}

/** @param lastKnownAt when the stored facts were read, while the database is down; null while it responds */
export function makeView(
  stored: Stored,
  { page, own, now, lastKnownAt }: { page: StatusPage; own: Own; now: Date; lastKnownAt: Date | null },
): View {
  const bearing = bearingOf(stored);
  const components = stored.components
    .map((component): ShownComponent & { shown: string } => {
      const measured = own.get(component.id) ?? component;
      const days = stored.days[component.id] ?? [];
      const { shown, groupId, id, name, description, createdAt } = component;
      const status = shownStatus(id, measured.status, bearing);
      return {
        id,
        groupId,
        name,
        description,
        createdAt,
        shown,
        status,
        since: measured.since,
        uptime: uptimeOf(days),
        days,
      };
    })
    .filter(({ shown, status }) => shown === 'always' || (shown === 'when_degraded' && status !== 'operational'))
    .map(({ shown: _, ...component }) => component);
  const groups = stored.groups
    .map(({ id, name }) => ({ id, name, components: components.filter(({ groupId }) => groupId === id) }))
    .filter((group) => group.components.length > 0)
    .map((group) => ({ ...group, status: worst(group.components.map(({ status }) => status)) }));
  return {
    page,
    environment: stored.environment,
    name: stored.name,
    brand: stored.brand ?? NO_BRAND,
    languages: stored.languages ?? ALL_LANGUAGES,
    generatedAt: now.toISOString(),
    groups,
    components,
    names: stored.components.filter(({ shown }) => shown !== 'never').map(({ id, name }) => ({ id, name })),
    ...overallOf(
      components.map(({ status }) => status),
      stored.incidents.filter(isOpen),
    ),
    affected: components.filter(({ status }) => !isWell(status)),
    incidents: stored.incidents,
    maintenances: stored.maintenances,
    channels: channelsOf(stored.texts === true),
    lastKnownAt: lastKnownAt?.toISOString() ?? null,
    unmeasuredSince: own.size > 0 ? null : staleSince(stored, now, page),
  };
}

function staleSince({ measuredAt, components }: Stored, now: Date, { slug }: StatusPage): string | null {
  // A page whose components are all set by people measures nothing.
  if (slug !== null && !components.some(({ measured }) => measured)) return null;
  if (measuredAt === null) return 'never';
  return now.getTime() - Date.parse(measuredAt) > STALE_MS[slug === null ? 'installation' : 'project']
    ? measuredAt
    : null;
}

/** The names of a page's components in one language. */
export function namesOf({ names }: Pick<View, 'names'>, voice: Voice): (id: string) => string {
  const own = new Map(names.map(({ id, name }) => [id, name]));
  return (id) => own.get(id) ?? voice.nameOf(id);
}

/** The words of a page for programs and feeds, which ask for no language. */
export function standardVoice({ languages }: Pick<View, 'languages'>): Voice {
  return voiceIn(languages.standard);
}

/** A time in words: 2026-01-31 12:00 UTC. */
export function timeOf(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}

/** The overall status, in one line. */
export function headline(view: View, { say }: Voice): string {
  if (view.severity !== 'none') return say(`overall.${view.severity}`);
  return say(
    view.components.some(({ status }) => status === 'under_maintenance') ? 'overall.maintenance' : 'overall.none',
  );
}

/** Warnings that the data may be stale; empty when it is current. */
export function caveats({ lastKnownAt, unmeasuredSince }: View, { say }: Voice): string[] {
  return [
    ...(lastKnownAt === null ? [] : [say('overall.lastKnown', { time: timeOf(lastKnownAt) })]),
    ...(unmeasuredSince === null
      ? []
      : [
          unmeasuredSince === 'never'
            ? say('overall.never')
            : say('overall.unmeasured', { time: timeOf(unmeasuredSince) }),
        ]),
  ];
}
