import { gauge, type Metric } from './metrics.ts';
import { connectionsOf, type System } from './system.ts';

function poolsOf(system: System) {
  const { pool, lookupPool, jobs } = connectionsOf(system);
  const pools = { requests: pool, lookups: lookupPool, ...(jobs !== pool && { jobs }) };
  return Object.entries(pools);
}

const POOLS = ['requests', 'lookups', 'jobs'] as const;

/** The metrics of every process, besides those of requests and statements. */
export const processMetrics: readonly Metric[] = [
  gauge({
    name: 'latchkey_database_connections',
    help: 'Open connections of each pool. `jobs` exists only behind a pooler.',
    labels: { pool: POOLS, state: ['used', 'idle'] },
    read: (system) =>
      poolsOf(system).flatMap(([pool, { totalCount, idleCount }]) => [
        { labels: { pool, state: 'used' }, value: totalCount - idleCount },
        { labels: { pool, state: 'idle' }, value: idleCount },
      ]),
  }),
  gauge({
    name: 'latchkey_database_connections_max',
    help: 'How many connections each pool may open.',
    labels: { pool: POOLS },
    read: (system) => poolsOf(system).map(([pool, { options }]) => ({ labels: { pool }, value: options.max })),
  }),
  gauge({
    name: 'latchkey_database_connections_waiting',
    help: 'Requests and jobs that wait for a connection.',
    labels: { pool: POOLS },
    read: (system) => poolsOf(system).map(([pool, { waitingCount }]) => ({ labels: { pool }, value: waitingCount })),
  }),
  gauge({
    name: 'latchkey_change_feed_live',
    help: 'Whether changes of other processes arrive. While it is 0, every request asks the database.',
    read: ({ feed }) => (feed.live ? 1 : 0),
  }),
  gauge({
    name: 'latchkey_change_feed_round_trip_seconds',
    help: 'How long the last notification of the change feed to itself took. It sends one every two seconds.',
    read: ({ feed }) => (feed.roundTripMs === null ? null : feed.roundTripMs / 1000),
  }),
];
