import { brandOf } from '#branding';
import { projectOf } from '#environments';
import { type Environment, environments, systemCtx } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { ALL_LANGUAGES, languagesIn, type PageLanguages, sendsTexts } from './boards.ts';
import { builtInComponents, builtInGroups } from './built-in.ts';
import { readComponents } from './components.ts';
import type { MeasuredStatus } from './health.ts';
import { readPublicIncidents, type StoredIncident } from './incident-records.ts';
import { readMaintenances, type StoredMaintenance } from './maintenance-records.ts';
import { inPage, installationPage, type StatusPage, scopeOf } from './pages.ts';
import { type Day, readDays } from './uptime.ts';

/** The number of days that are shown. */
export const DAYS = 90;

type StoredComponent = {
  id: string;
  groupId: string;
  /** Null for built-in components, which are named in the reader's language. */
  name: string | null;
  description: string | null;
  shown: 'always' | 'when_degraded' | 'never';
  status: MeasuredStatus;
  since: string;
  createdAt: string;
  /** Absent in snapshots of earlier versions and for built-in components, which are always measured. */
  measured?: boolean;
};

/** What the page shows beside its name: its own, or that of its project. */
export type PageBrand = {
  logoUrl: string | null;
  /** Absent in snapshots of earlier versions, as the icon. */
  darkLogoUrl?: string | null;
  faviconUrl?: string | null;
  accentColor: string | null;
  supportUrl: string | null;
};

/** All public facts of one page in the database, as plain JSON. The snapshot file has the same form. */
export type Stored = {
  environment: Environment;
  name: string;
  /** Absent in snapshots of earlier versions. */
  brand?: PageBrand;
  /** Absent in snapshots of earlier versions. */
  languages?: PageLanguages;
  /** The time of the latest measurement; null for none. */
  measuredAt: string | null;
  groups: { id: string; name: string | null }[];
  components: StoredComponent[];
  incidents: StoredIncident[];
  maintenances: StoredMaintenance[];
  days: Record<string, Day[]>;
  /** Whether visitors can subscribe by text message. Absent in snapshots of earlier versions. */
  texts?: boolean;
};

export type AllStored = Record<Environment, Stored>;

/** The facts before the first read: the built-in components. */
export function emptyStored(now: Date): AllStored {
  const since = now.toISOString();
  const of = (environment: Environment): Stored => ({
    environment,
    name: 'Latchkey',
    measuredAt: null,
    groups: builtInGroups.map(({ id }) => ({ id, name: null })),
    components: builtInComponents.map(({ id, group, shown }) => ({
      id,
      groupId: group,
      name: null,
      description: null,
      shown,
      status: 'operational',
      since,
      createdAt: since,
    })),
    incidents: [],
    maintenances: [],
    days: {},
  });
  return { test: of('test'), production: of('production') };
}

/** Reads one page. */
export async function readStored(system: System, page: StatusPage): Promise<Stored> {
  const { db } = system;
  const now = system.clock.now();
  const scope = await scopeOf(system, page);
  const [project, texts, board, groups, components, incidents, maintenances, days] = await Promise.all([
    scope && projectOf(system, scope),
    scope !== null && sendsTexts({ ...systemCtx(system, scope, 'status', 'status'), now, page }),
    db.selectFrom('status_boards').selectAll().where(inPage(page)).executeTakeFirst(),
    db
      .selectFrom('status_groups')
      .select(['id', 'name'])
      .where(inPage(page))
      .orderBy('position')
      .orderBy('id')
      .execute(),
    readComponents({ db, page }),
    readPublicIncidents({ db, page }),
    readMaintenances({ db, page }, now),
    readDays({ db, page }, { now, days: DAYS }),
  ]);
  const brand = project && (await brandOf(system, project, null));
  const ownLogo = board?.logo_url ?? null;
  return {
    environment: page.environment,
    name: board?.name ?? project?.projectName ?? 'Latchkey',
    brand: {
      logoUrl: ownLogo ?? brand?.logoUrl ?? null,
      darkLogoUrl: ownLogo === null ? (brand?.darkLogoUrl ?? null) : null,
      faviconUrl: ownLogo ?? brand?.faviconUrl ?? null,
      accentColor: board?.accent_color ?? brand?.accentColor ?? null,
      supportUrl: board?.support_url ?? null,
    },
    languages: board ? languagesIn(board) : ALL_LANGUAGES,
    measuredAt: board?.measured_at?.toISOString() ?? null,
    groups,
    components: components.map((row) => ({
      id: row.id,
      groupId: row.group_id,
      name: row.name,
      description: row.description,
      shown: row.shown,
      status: row.status,
      since: row.status_since.toISOString(),
      createdAt: row.created_at.toISOString(),
      measured: row.probe !== null && row.probe.kind !== 'manual',
    })),
    incidents,
    maintenances,
    days: Object.fromEntries(days),
    texts,
  };
}

/** Reads the pages of the installation. An installation without measurements shows the built-in components. */
export async function readAllStored(system: System): Promise<AllStored> {
  const [test, production] = await Promise.all(
    environments.map((environment) => readStored(system, installationPage(environment))),
  );
  const empty = emptyStored(system.clock.now());
  const filled = (stored: Stored | undefined, fallback: Stored): Stored =>
    stored && stored.components.length > 0
      ? stored
      : {
          ...fallback,
          ...(stored && { name: stored.name, brand: stored.brand, languages: stored.languages, texts: stored.texts }),
        };
  return { test: filled(test, empty.test), production: filled(production, empty.production) };
}
