import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Json } from '#platform/db.ts';
import { type Id, IdSchema } from '#platform/ids.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import type { Affected } from './affected.ts';
import type { ComponentStatuses, IncidentSeverity as Severity } from './combined-status.ts';
import { ComponentIds } from './components.ts';
import { MeasuredStatus } from './health.ts';
import { inPage, type OfPage, type PageDb } from './pages.ts';
import { type IncidentPhase, type Update, updatesOf } from './updates.ts';
import type { Voice } from './words.ts';

export type IncidentId = Id<'inc'>;
type StatusIncidentsTable = OfPage & {
  id: IncidentId;
  title: string;
  phase: IncidentPhase;
  severity: Severity;
  component_ids: string[];
  component_statuses: Json<ComponentStatuses>;
  automatic: boolean;
  published_at: Date | null;
  started_at: Date;
  phase_since: Date;
  resolved_at: Date | null;
  postmortem: string | null;
  created_at: Date;
  updated_at: Date;
};
export type IncidentRow = Selectable<StatusIncidentsTable>;

declare module '#platform/db.ts' {
  interface Tables {
    status_incidents: StatusIncidentsTable;
  }
}

/** One line, because it is the subject of mails. */
export const Title = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\n\\u000b\\f\\r\\u0085\\u2028\\u2029]*$',
});
export const Body = Type.String({ minLength: 1, maxLength: 10_000 });
const Phase = Type.Enum(['investigating', 'identified', 'monitoring', 'resolved']);
const IncidentSeverity = Type.Enum(['minor', 'major', 'critical']);
const Statuses = Type.Record(Type.String({ maxLength: 40 }), MeasuredStatus, {
  maxProperties: 200,
  description:
    'The status of components by id, instead of the status that the severity gives to those in `componentIds`: `degraded_performance` for minor, `partial_outage` for major, `major_outage` for critical. The worse of this and the measured status is shown. An update replaces the earlier values.',
});

/** An incident as the public sees it. */
export const Incident = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    phase: Phase,
    severity: IncidentSeverity,
    startedAt: Instant,
    updatedAt: Instant,
    resolvedAt: nullable(Instant),
    componentIds: Type.Array(Type.String()),
    updates: Type.Array(Type.Object({ phase: Phase, body: Type.String(), at: Instant }), {
      description: 'Newest first.',
    }),
    postmortem: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'PublicIncident' },
);
export type Incident = Static<typeof Incident>;

/** An incident as operators see it. */
export const AdminIncident = Type.Interface(
  [Incident],
  {
    draft: Type.Boolean(),
    automatic: Type.Boolean({ description: 'It is updated automatically until a person adds an update.' }),
    componentStatuses: Statuses,
    createdAt: Instant,
  },
  { title: 'Incident' },
);
export type AdminIncident = Static<typeof AdminIncident>;

export const NewIncident = Type.Object(
  {
    title: Title,
    body: Body,
    phase: Type.Optional(Phase),
    severity: IncidentSeverity,
    componentIds: Type.Optional(ComponentIds),
    componentStatuses: Type.Optional(Statuses),
    draft: Type.Optional(Type.Boolean({ description: 'Not public and not announced until it is published.' })),
    startedAt: Type.Optional(Instant),
  },
  { additionalProperties: false },
);
export const IncidentChanges = Type.Object(
  {
    title: Type.Optional(Title),
    severity: Type.Optional(IncidentSeverity),
    componentIds: Type.Optional(ComponentIds),
    postmortem: Type.Optional(Type.Union([Type.String({ maxLength: 50_000 }), Type.Null()])),
  },
  { additionalProperties: false, minProperties: 1 },
);
export const NewIncidentUpdate = Type.Object(
  { phase: Phase, body: Body, componentStatuses: Type.Optional(Statuses) },
  { additionalProperties: false },
);
export const IncidentRef = Type.Object({ id: IdSchema('inc') });

/**
 * An incident as it is stored, in JSON. An empty title or body means that the update is automatic and worded in the
 * reader's language.
 */
export type StoredIncident = {
  id: string;
  title: string;
  phase: IncidentPhase;
  severity: IncidentRow['severity'];
  componentIds: string[];
  componentStatuses: ComponentStatuses;
  startedAt: string;
  createdAt: string;
  updatedAt: string;
  resolvedAt: string | null;
  postmortem: string | null;
  /** `affected` is missing in snapshots of earlier versions, and null for updates written by them. */
  updates: { phase: IncidentPhase; body: string; at: string; affected?: readonly Affected[] | null }[];
};

export function storedIncident(row: IncidentRow, updates: readonly Update[]): StoredIncident {
  return {
    id: row.id,
    title: row.title,
    phase: row.phase,
    severity: row.severity,
    componentIds: row.component_ids,
    componentStatuses: row.component_statuses,
    startedAt: row.started_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    postmortem: row.postmortem,
    updates: updates.flatMap(({ phase, body, at, affected }) =>
      isIncidentPhase(phase) ? [{ phase, body, at: at.toISOString(), affected }] : [],
    ),
  };
}

export function isOpen({ phase }: Pick<StoredIncident, 'phase'>): boolean {
  return phase !== 'resolved';
}

/** The number of past incidents that are shown. */
const MAX_INCIDENTS = 100;

/** The newest public incidents, with their updates. */
export async function readPublicIncidents(ctx: PageDb): Promise<StoredIncident[]> {
  const rows = await ctx.db
    .selectFrom('status_incidents')
    .selectAll()
    .where(inPage(ctx.page))
    .where('published_at', 'is not', null)
    // Open incidents are shown whatever their age.
    .orderBy(sql`phase = 'resolved'`)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_INCIDENTS)
    .execute();
  const updates = await updatesOf(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows
    .map((row) => storedIncident(row, updates.get(row.id) ?? []))
    .sort((one, other) => (positionOf(one) < positionOf(other) ? 1 : -1));
}

/** Where an incident stands among the others: the larger, the newer. */
export function positionOf({ startedAt, id }: Pick<StoredIncident, 'startedAt' | 'id'>): string {
  return `${startedAt} ${id}`;
}

/**
 * The title of an incident, or the names of its components if it has none.
 * @param nameOf the name of a component
 */
export function incidentTitle(
  { title, componentIds }: { title: string; componentIds: readonly string[] },
  { say }: Voice,
  nameOf: (id: string) => string,
): string {
  return title || say('own.title', { components: componentIds.map(nameOf).join(', ') });
}

/**
 * The public record of an incident, in one language.
 * @param nameOf the name of a component
 */
export function incidentRecord(stored: StoredIncident, voice: Voice, nameOf: (id: string) => string): Incident {
  return {
    id: stored.id,
    title: incidentTitle(stored, voice, nameOf),
    phase: stored.phase,
    severity: stored.severity,
    startedAt: stored.startedAt,
    updatedAt: stored.updatedAt,
    resolvedAt: stored.resolvedAt,
    componentIds: stored.componentIds,
    updates: stored.updates.map(({ phase, body, at }) => ({ phase, body: body || voice.say(`own.${phase}`), at })),
    postmortem: stored.postmortem,
  };
}

const PHASES: readonly string[] = ['investigating', 'identified', 'monitoring', 'resolved'];

function isIncidentPhase(phase: string): phase is IncidentPhase {
  return PHASES.includes(phase);
}
