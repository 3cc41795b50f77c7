import { type Static, Type } from 'typebox';
import { certificateEnd, outbound, reach } from '#platform/fetch.ts';
import type { System } from '#platform/system.ts';
import type { Reading } from './health.ts';

const Interval = Type.Integer({ minimum: 10, maximum: 3_600, description: 'Seconds between checks.' });
const Timeout = Type.Integer({ minimum: 1, maximum: 10, description: 'Seconds to wait.' });

const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:-]+$' });
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
const Days = (description: string) => Type.Integer({ minimum: 0, maximum: 365, description });

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
      { kind: Type.Literal('tcp'), host: Host, port: Port, intervalSeconds: Interval, timeoutSeconds: Timeout },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        kind: Type.Literal('tls', {
          description: 'The certificate of a server: valid for its host, and for how long.',
        }),
        host: Host,
        port: Port,
        degradedDays: Days('Degraded performance when the certificate expires in fewer days.'),
        outageDays: Days('Partial outage when it expires in fewer days. An invalid certificate is a major outage.'),
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
type TlsCheck = Extract<Check, { kind: 'tls' }>;

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
    case 'tls':
      return checkCertificate(system, check);
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

async function checkCertificate(system: System, check: TlsCheck): Promise<Reading> {
  const { host, port, timeoutSeconds } = check;
  const end = await certificateEnd(system, { host, port }, timeoutSeconds * 1000).catch(() => null);
  return end === null ? 3 : certificateReading(end, check, system.clock.now());
}

const DAY_MS = 86_400_000;

/** The reading for a certificate that expires at `end`. */
export function certificateReading(
  end: Date,
  { degradedDays, outageDays }: Pick<TlsCheck, 'degradedDays' | 'outageDays'>,
  now: Date,
): Reading {
  const days = (end.getTime() - now.getTime()) / DAY_MS;
  if (days <= 0) return 3;
  return days < outageDays ? 2 : days < degradedDays ? 1 : 0;
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
