import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';
import type { Component, ComponentStatus } from './components.ts';

const Instant = Type.String({ format: 'date-time' });
const Status = Type.Enum([
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
]);

const ComponentRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  status: Status,
  uptime90d: Type.Union([Type.Number(), Type.Null()], {
    description: 'Share of the last 90 days in percent; null until it is measured.',
  }),
  updatedAt: Instant,
});

export const Summary = Type.Object({
  overallStatus: Type.Enum(['operational', 'degraded'], {
    description:
      '`degraded` as soon as any component is neither operational nor under planned maintenance. Take an unknown value as not operational.',
  }),
  severity: Type.Enum(['none', 'minor', 'major', 'critical']),
  summary: Type.String(),
  generatedAt: Instant,
  environment: Type.Enum(['test', 'production']),
  groups: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), status: Status, components: Type.Array(ComponentRecord) }),
  ),
  incidents: Type.Array(Type.Object({ id: Type.String() })),
  maintenances: Type.Array(Type.Object({ id: Type.String() })),
  subscriptionChannels: Type.Array(Type.String()),
});
type Summary = Static<typeof Summary>;

const ORDER: readonly ComponentStatus[] = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
];
const REFRESH_MS = 60_000;

/** A summary ready to send. */
export type Rendered = { summary: Summary; body: string; etag: string };

/** The status of one environment, kept as the bytes to answer with: no work per request, and no need of the database. */
export class Board {
  readonly #environment: Environment;
  readonly #components: readonly Component[];
  #renderedAt: Date;
  rendered: Rendered;

  constructor(environment: Environment, components: readonly Component[], now: Date) {
    this.#environment = environment;
    this.#components = components;
    this.#renderedAt = now;
    this.rendered = render(summarise(environment, components, now));
  }

  /** Takes one round of probes. @param health whether each component answered, by id */
  update(health: Readonly<Record<string, boolean>>, now: Date): void {
    const changed = this.#components
      .map((component) => component.observe(health[component.id] ?? false, now))
      .includes(true);
    if (!changed && now.getTime() - this.#renderedAt.getTime() < REFRESH_MS) return;
    this.#renderedAt = now;
    this.rendered = render(summarise(this.#environment, this.#components, now));
  }

  /** The sentence a person reads. */
  get sentence(): string {
    return sentenceOf(this.#components);
  }

  get operational(): boolean {
    return worst(this.#components) === 'operational';
  }
}

function worst(components: readonly Component[]): ComponentStatus {
  return components.reduce<ComponentStatus>(
    (found, { status }) => (ORDER.indexOf(status) > ORDER.indexOf(found) ? status : found),
    'operational',
  );
}

function summarise(environment: Environment, components: readonly Component[], now: Date): Summary {
  const status = worst(components);
  return {
    overallStatus: status === 'operational' || status === 'under_maintenance' ? 'operational' : 'degraded',
    severity: severityOf(components),
    summary: sentenceOf(components),
    generatedAt: now.toISOString(),
    environment,
    groups: [
      {
        id: 'platform',
        name: 'Platform',
        status,
        components: components.map(({ id, name, description, status: own, updatedAt }) => ({
          id,
          name,
          description,
          status: own,
          uptime90d: null,
          updatedAt: updatedAt.toISOString(),
        })),
      },
    ],
    incidents: [],
    maintenances: [],
    subscriptionChannels: [],
  };
}

function severityOf(components: readonly Component[]): Summary['severity'] {
  const down = components.filter(({ status }) => status === 'major_outage').length;
  if (down === components.length) return 'critical';
  if (down > 0) return 'major';
  return components.every(({ status }) => status === 'operational' || status === 'under_maintenance')
    ? 'none'
    : 'minor';
}

function sentenceOf(components: readonly Component[]): string {
  const affected = components.filter(({ status }) => status !== 'operational' && status !== 'under_maintenance');
  if (affected.length === 0) return 'All systems are operational.';
  return `Affected: ${affected.map(({ name }) => name).join(', ')}.`;
}

function render(summary: Summary): Rendered {
  const body = JSON.stringify(summary);
  return { summary, body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}
