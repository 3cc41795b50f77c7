import { type Static, Type } from 'typebox';
import { outbound, reach } from '#platform/fetch.ts';
import type { System } from '#platform/system.ts';
import type { Reading } from './health.ts';

const Interval = Type.Integer({ minimum: 10, maximum: 3_600, description: 'Seconds between checks.' });
const Timeout = Type.Integer({ minimum: 1, maximum: 10, description: 'Seconds to wait.' });

/** How a component added by the operator is checked. */
export const Check = Type.Union(
  [
    Type.Object(
      {
        kind: Type.Literal('http'),
        url: Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2_048 }),
        intervalSeconds: Interval,
        timeoutSeconds: Timeout,
        expectedStatus: Type.Integer({ minimum: 100, maximum: 599 }),
        bodyContains: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        kind: Type.Literal('tcp'),
        host: Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:-]+$' }),
        port: Type.Integer({ minimum: 1, maximum: 65_535 }),
        intervalSeconds: Interval,
        timeoutSeconds: Timeout,
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        kind: Type.Literal('heartbeat', { description: 'The component reports by itself, with a POST.' }),
        intervalSeconds: Interval,
      },
      { additionalProperties: false },
    ),
    Type.Object({ kind: Type.Literal('manual') }, { additionalProperties: false }),
  ],
  { title: 'ComponentCheck' },
);
export type Check = Static<typeof Check>;

/** A check that succeeds but takes this long, in milliseconds, counts as degraded. */
const SLOW_MS = 2_500;
/** Without a heartbeat for this many intervals a component counts as out. */
const LATE = 2;

/**
 * Runs the check once.
 * @returns null for a component that is not measured
 */
export async function runCheck(system: System, check: Check, heartbeatAt: Date | null): Promise<Reading> {
  switch (check.kind) {
    case 'http':
      return timed(() => checkHttp(system, check));
    case 'tcp':
      return timed(() => reach(system, check, check.timeoutSeconds * 1000).then(() => true));
    case 'heartbeat':
      return heartbeatReading(check.intervalSeconds, heartbeatAt, system.clock.now());
    default:
      return null;
  }
}

/** A component that has never reported has no reading. */
function heartbeatReading(intervalSeconds: number, heartbeatAt: Date | null, now: Date): Reading {
  if (heartbeatAt === null) return null;
  return now.getTime() - heartbeatAt.getTime() > intervalSeconds * 1000 * LATE ? 3 : 0;
}

async function checkHttp(
  system: System,
  { url, timeoutSeconds, expectedStatus, bodyContains }: Extract<Check, { kind: 'http' }>,
): Promise<boolean> {
  const response = await outbound(system, url, {
    headers: { 'user-agent': 'latchkey-probe' },
    signal: AbortSignal.timeout(timeoutSeconds * 1000),
  });
  const body = await response.text();
  return response.status === expectedStatus && (bodyContains === undefined || body.includes(bodyContains));
}

/** Times a check. The reading is an outage, degraded for a slow check, or operational. */
export async function timed(works: () => Promise<boolean>): Promise<Reading> {
  const began = performance.now();
  const worked = await works().catch(() => false);
  if (!worked) return 3;
  return performance.now() - began > SLOW_MS ? 1 : 0;
}
