import type { Environment } from '#platform/ctx.ts';
import { probe } from '#platform/fetch.ts';
import { longestWaits } from '#platform/jobs.ts';
import { perSystem, type System } from '#platform/system.ts';
import { countWorkingEndpoints } from '#webhooks';
import type { BuiltInId } from './built-in.ts';
import { timed } from './checks.ts';
import { ageReading, type Rate, type Reading, rateReading, worstOf } from './health.ts';
import { heartbeatIsFresh } from './heartbeat.ts';
import { signalRates } from './signals.ts';

const TIMEOUT_MS = 1_500;
/** The number of attempts below which a rate is not evaluated. */
const LEAST = { sign_in: 10, email: 5, sms: 5, webhooks: 5 };
const ENDPOINTS_MS = 30_000;

/** Readings that both environments share. */
export type Shared = { database: Reading; worker: boolean; waits: ReadonlyMap<string, number> };

/**
 * Takes the readings that both environments share.
 * @param database the result of the latest database check
 */
export async function readShared(system: System, database: Reading): Promise<Shared> {
  if (database === 3) return { database, worker: false, waits: new Map() };
  const [worker, waits] = await Promise.all([
    heartbeatIsFresh(system).catch(() => false),
    longestWaits(system).catch(() => new Map<string, number>()),
  ]);
  return { database, worker, waits };
}

/**
 * Expects one status from an address: a status that only the route itself sends, because an unknown path responds too.
 */
function expects(url: string, expected: number): Promise<Reading> {
  return timed(async () => (await probe(url, TIMEOUT_MS)) === expected);
}

type Counted = { rates: ReadonlyMap<string, Rate>; endpoints: Rate };
const NOTHING: Rate = { good: 0, bad: 0 };

async function readCounts(system: System, environment: Environment, database: Reading): Promise<Counted> {
  if (database === 3) return { rates: new Map(), endpoints: NOTHING };
  const [rates, endpoints] = await Promise.all([
    signalRates(system, environment).catch(() => new Map<string, Rate>()),
    endpointsOf(system)(environment).catch(() => NOTHING),
  ]);
  return { rates, endpoints };
}

/** After a database outage, components that were out only because of it recover without waiting for traffic. */
const afterwards = perSystem(() => {
  const out = new Set<Environment>();
  return (environment: Environment, gone: boolean, rate: Reading): Reading => {
    if (gone) out.add(environment);
    else if (rate !== null) out.delete(environment);
    if (gone) return 3;
    return rate ?? (out.has(environment) ? 0 : null);
  };
});

/** Refreshed every 30 seconds. */
const endpointsOf = perSystem((system) => {
  const known = new Map<Environment, { at: number; rate: Rate }>();
  return async (environment: Environment): Promise<Rate> => {
    const last = known.get(environment);
    if (last && performance.now() - last.at < ENDPOINTS_MS) return last.rate;
    const rate = await countWorkingEndpoints(system, environment);
    known.set(environment, { at: performance.now(), rate });
    return rate;
  };
});

/**
 * Measures the built-in components, through the public addresses and from real traffic.
 * @param levelOf the current level of a component: thresholds differ on the way up and down
 */
export async function readBuiltIn(
  system: System,
  environment: Environment,
  { shared, levelOf }: { shared: Shared; levelOf: (id: BuiltInId) => number },
): Promise<Record<string, Reading>> {
  const { auth, api } = system.config.addresses[environment];
  const [authHost, oidc, apiHost, console, { rates, endpoints }] = await Promise.all([
    expects(`${auth}/.well-known/openid-configuration`, 200),
    expects(`${auth}/connect/jwks`, 200),
    expects(`${api}/v1/me/context`, 401),
    expects(`${system.config.addresses.console}/`, 200),
    readCounts(system, environment, shared.database),
  ]);
  const rate = (signal: 'sign_in' | 'email' | 'sms') =>
    rateReading(rates.get(signal) ?? NOTHING, levelOf(signal), LEAST[signal]);
  const wait = (task: string, level: number) => ageReading(shared.waits.get(task) ?? 0, level);
  const gone = shared.database === 3;
  const oldest = Math.max(0, ...shared.waits.values());
  return {
    auth: authHost,
    oidc,
    api: apiHost,
    console,
    database: shared.database,
    // Without the database nobody can sign in, even if the host responds.
    sign_in: afterwards(system)(environment, gone, rate('sign_in')),
    webhooks: gone
      ? null
      : worstOf([
          rateReading(endpoints, levelOf('webhooks'), LEAST.webhooks),
          wait('deliver_webhooks', levelOf('webhooks')),
        ]),
    email: gone ? null : worstOf([rate('email'), wait('send_message', levelOf('email'))]),
    sms: gone ? null : rate('sms'),
    worker: shared.worker ? ageReading(oldest, levelOf('worker')) : 3,
  };
}
