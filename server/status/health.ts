import { Type } from 'typebox';

/** States of a component, from best to worst. */
export const measuredStatuses = ['operational', 'degraded_performance', 'partial_outage', 'major_outage'] as const;
export type MeasuredStatus = (typeof measuredStatuses)[number];
export type ComponentStatus = MeasuredStatus | 'under_maintenance';

export const MeasuredStatus = Type.Enum([...measuredStatuses]);
export const ComponentStatus = Type.Enum([...measuredStatuses, 'under_maintenance']);

/** The severity of one reading: an index into {@link measuredStatuses}, or null when there was too little data. */
export type Reading = number | null;

/** The state of a component between readings. Times are milliseconds since 1970. */
export type Health = {
  level: number;
  since: number;
  /** Consecutive readings that differ from the level, all in one direction. */
  streak: { direction: 'worse' | 'better'; readings: number; level: number; began: number } | null;
  /** When the level got worse recently. A component that flaps must stay well for longer. */
  falls: readonly number[];
  readAt: number;
};

/** Consecutive readings needed to report a failure, and a recovery. */
const TO_WORSEN = 2;
const TO_RECOVER = 3;
const FALLS_WITHIN_MS = 30 * 60_000;
const MAX_DOUBLINGS = 5;
/** A bad level expires after this long without data. */
const QUIET_MS = 15 * 60_000;

export function healthOf(status: MeasuredStatus, since: Date): Health {
  const at = since.getTime();
  return { level: measuredStatuses.indexOf(status), since: at, streak: null, falls: [], readAt: at };
}

export function statusOf({ level }: Pick<Health, 'level'>): MeasuredStatus {
  return measuredStatuses[level] ?? 'major_outage';
}

/**
 * Takes one reading. A level changes only after several consecutive readings in one direction, and then to the mildest
 * of them. Each fall within the last half hour doubles the number of readings that recovery takes, to prevent flapping.
 */
export function observe(health: Health, reading: Reading, now: Date): Health {
  const at = now.getTime();
  if (reading === null) return quiet(health, at);
  const seen = { ...health, readAt: at };
  if (reading === health.level) return { ...seen, streak: null };
  const direction = reading > health.level ? 'worse' : 'better';
  const before = health.streak?.direction === direction ? health.streak : null;
  const mildest = direction === 'worse' ? Math.min : Math.max;
  const streak = {
    direction,
    readings: (before?.readings ?? 0) + 1,
    level: before ? mildest(before.level, reading) : reading,
    began: before?.began ?? at,
  } as const;
  const falls = health.falls.filter((fall) => at - fall < FALLS_WITHIN_MS);
  if (streak.readings < needed(direction, falls.length)) return { ...seen, streak, falls };
  return {
    level: streak.level,
    // A failure began with the first reading of the streak.
    since: direction === 'worse' ? streak.began : at,
    streak: null,
    falls: direction === 'worse' ? [...falls, at] : falls,
    readAt: at,
  };
}

function needed(direction: 'worse' | 'better', falls: number): number {
  return direction === 'worse' ? TO_WORSEN : TO_RECOVER * 2 ** Math.min(Math.max(falls - 1, 0), MAX_DOUBLINGS);
}

function quiet(health: Health, at: number): Health {
  if (health.level === 0 || at - health.readAt < QUIET_MS) return health;
  return { ...health, level: 0, since: at, streak: null, readAt: at };
}

/** Counts of good and bad attempts. */
export type Rate = { good: number; bad: number };

/** Below these shares of good attempts a component is degraded, partly out, or out. */
const RATES = [0.95, 0.75, 0.25];
/** Hysteresis: a rate must exceed the threshold by this margin before the level recovers. */
const MARGIN = 0.03;

/**
 * The level of a rate, given the level before (a Schmitt trigger).
 * @param least attempts needed for a reading
 * @returns null with fewer attempts
 */
export function rateReading({ good, bad }: Rate, level: number, least: number): Reading {
  const attempts = good + bad;
  if (attempts < least) return null;
  const share = good / attempts;
  return RATES.filter((bound, index) => share < bound + (level > index ? MARGIN : 0)).length;
}

/** Ages of the oldest waiting job in milliseconds above which a component is degraded, or partly out. */
const AGES = [5 * 60_000, 20 * 60_000];

/** The level for the age of the oldest waiting job. */
export function ageReading(oldestMs: number, level: number): number {
  return AGES.filter((bound, index) => oldestMs > (level > index ? bound / 2 : bound)).length;
}

/** The worst of several readings; null when all are null. */
export function worstOf(readings: readonly Reading[]): Reading {
  const told = readings.filter((reading) => reading !== null);
  return told.length > 0 ? Math.max(...told) : null;
}
