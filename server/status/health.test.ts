import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ageReading, type Health, healthOf, observe, type Reading, rateReading, statusOf } from './health.ts';

const START = new Date('2026-01-01T00:00:00Z');
const STEP_MS = 2_000;
const at = (step: number) => new Date(START.getTime() + step * STEP_MS);

/**
 * Feeds a trace of readings, two seconds apart.
 * @returns the level after each
 */
function replay(
  trace: readonly Reading[],
  from: Health = healthOf('operational', START),
): { levels: string; last: Health } {
  let health = from;
  let levels = '';
  for (const [step, reading] of trace.entries()) {
    health = observe(health, reading, at(step + 1));
    levels += health.level;
  }
  return { levels, last: health };
}

const times = (count: number, ...readings: Reading[]): Reading[] =>
  Array.from({ length: count }, () => readings).flat();

describe('the health of a component, replayed', () => {
  test('one bad reading changes nothing, two do; three good ones bring it back', () => {
    assert.equal(replay([3, 0, 3, 0, 3, 3, 0, 0, 3, 0, 0, 0]).levels, '000003333330');
  });

  test('its level is the mildest reading of the streak that proved it', () => {
    assert.equal(replay([1, 3, 3, 3]).levels, '0113');
    assert.equal(replay([3, 1]).levels, '01');
  });

  test('it starts with the first reading of that streak', () => {
    const { last } = replay([0, 3, 3]);
    assert.deepEqual([statusOf(last), last.since], ['major_outage', at(2).getTime()]);
  });

  test('an alternating trace does not flap: each fall within the last half hour doubles the readings that recovery takes', () => {
    const flapping = times(40, 3, 3, 0, 0, 0);
    const { levels } = replay(flapping);
    const changes = [...levels].filter((level, index) => index > 0 && level !== levels[index - 1]).length;
    assert.ok(changes <= 4, `${changes} changes: ${levels}`);
    assert.equal(levels.at(-1), '3', 'what goes on failing is shown as failing');
  });

  test('with too little data the level stays, for a quarter of an hour', () => {
    const { last, levels } = replay([3, 3, ...times(100, null)]);
    assert.equal(levels.slice(-3), '333');
    const later = observe(last, null, new Date(at(2).getTime() + 15 * 60_000));
    assert.equal(later.level, 0);
  });

  test('a rate recovers with a margin, and gives no reading below its minimum number of attempts', () => {
    assert.equal(rateReading({ good: 3, bad: 6 }, 0, 10), null);
    assert.equal(rateReading({ good: 94, bad: 6 }, 0, 10), 1);
    assert.equal(rateReading({ good: 96, bad: 4 }, 0, 10), 0);
    assert.equal(rateReading({ good: 96, bad: 4 }, 1, 10), 1, 'not better enough');
    assert.equal(rateReading({ good: 99, bad: 1 }, 1, 10), 0);
    assert.equal(rateReading({ good: 10, bad: 90 }, 0, 10), 3);
  });

  test('a queue is degraded above five minutes, and recovers below half of that', () => {
    assert.deepEqual(
      [4, 6, 21].map((minutes) => ageReading(minutes * 60_000, 0)),
      [0, 1, 2],
    );
    assert.equal(ageReading(3 * 60_000, 1), 1);
    assert.equal(ageReading(2 * 60_000, 1), 0);
  });
});
