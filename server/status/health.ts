import { Type } from 'typebox';

/** States of a component, from best to worst. */
export const measuredStatuses = ['operational', 'degraded_performance', 'partial_outage', 'major_outage'] as const;
export type MeasuredStatus = (typeof measuredStatuses)[number];
export type ComponentStatus = MeasuredStatus | 'under_maintenance';

export const MeasuredStatus = Type.Enum([...measuredStatuses]);
export const ComponentStatus = Type.Enum([...measuredStatuses, 'under_maintenance']);

/** How bad one reading is: an index into {@link measuredStatuses}. Null: there was too little to tell. */
export type Reading = number | null;

/** What is held of a component between readings. Times are milliseconds since 1970. */
export type Health = {
  level: number;
  since: number;
  /** Readings in a row that disagree with the level, all in one direction. */
  streak: { direction: 'worse' | 'better'; readings: number; level: number; began: number } | null;
  /** When it got worse lately: whoever goes up and down has to stay up for longer. */
  falls: readonly number[];
  readAt: number;
};

/** Readings in a row that it takes to believe that something is wrong, and that it is well again. */
const TO_WORSEN = 2;
const TO_RECOVER = 3;
const FALLS_WITHIN_MS = 30 * 60_000;
const MAX_DOUBLINGS = 5;
/** Nothing to measure for so long: what was bad then says nothing of now. */
const QUIET_MS = 15 * 60_000;

export function healthOf(status: MeasuredStatus, since: Date): Health {
  const at = since.getTime();
  return { level: measuredStatuses.indexOf(status), since: at, streak: null, falls: [], readAt: at };
}

export function statusOf({ level }: Pick<Health, 'level'>): MeasuredStatus {
  return measuredStatuses[level] ?? 'major_outage';
}

/**
 * Takes one reading. A level changes only when several readings in a row agree on the direction, and then to the mildest
 * change they agree on. Recovering takes twice as long after each fall of the last half hour, so that nothing flaps.
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
    // It began with the first of the readings that proved it.
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

/** Of so many attempts so many were good. */
export type Rate = { good: number; bad: number };

/** Below these shares of good attempts it is degraded, partly out, or out. */
const RATES = [0.95, 0.75, 0.25];
/** To get back over one takes that much more than falling below it. */
const MARGIN = 0.03;

/**
 * How bad a rate is, given how bad it was (a Schmitt trigger).
 * @param least attempts it takes to say anything @returns null below that
 */
export function rateReading({ good, bad }: Rate, level: number, least: number): Reading {
  const attempts = good + bad;
  if (attempts < least) return null;
  const share = good / attempts;
  return RATES.filter((bound, index) => share < bound + (level > index ? MARGIN : 0)).length;
}

/** Ages of the oldest thing that waits, in milliseconds: degraded, partly out. */
const AGES = [5 * 60_000, 20 * 60_000];

/** How bad it is that something has waited for so long. */
export function ageReading(oldestMs: number, level: number): number {
  return AGES.filter((bound, index) => oldestMs > (level > index ? bound / 2 : bound)).length;
}

/** The worst of several readings; null when none says anything. */
export function worstOf(readings: readonly Reading[]): Reading {
  const told = readings.filter((reading) => reading !== null);
  return told.length > 0 ? Math.max(...told) : null;
}
