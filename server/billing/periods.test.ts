import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { periodOf, prorated } from './periods.ts';

const starts = (anchor: string, count: number) =>
  Array.from({ length: count }, (_, number) => periodOf(new Date(anchor), number).start.toISOString());

describe('periods by anchored months in UTC', () => {
  test('BL-1 a period anchored on the 31st starts on the last day of shorter months, and on the 31st again after them', () => {
    assert.deepEqual(starts('2027-01-31T09:30:00.123Z', 5), [
      '2027-01-31T09:30:00.123Z',
      '2027-02-28T09:30:00.123Z',
      '2027-03-31T09:30:00.123Z',
      '2027-04-30T09:30:00.123Z',
      '2027-05-31T09:30:00.123Z',
    ]);
  });

  test('BL-1 leap years have a 29th of February; 2100 has none', () => {
    assert.equal(starts('2027-12-31T00:00:00Z', 3)[2], '2028-02-29T00:00:00.000Z');
    const leap = '2028-02-29T23:59:59.999Z';
    assert.equal(periodOf(new Date(leap), 12).start.toISOString(), '2029-02-28T23:59:59.999Z');
    assert.equal(periodOf(new Date(leap), 48).start.toISOString(), '2032-02-29T23:59:59.999Z');
    assert.equal(periodOf(new Date('2099-12-30T12:00:00Z'), 2).start.toISOString(), '2100-02-28T12:00:00.000Z');
  });

  test('BL-1 for every anchor in four years, periods follow each other without gaps and last 28 to 31 days', () => {
    for (let day = 0; day < 1461; day += 1) {
      const anchor = new Date(Date.UTC(2026, 0, 1 + day, 22, 15));
      for (let number = 0; number < 14; number += 1) {
        const { start, end } = periodOf(anchor, number);
        assert.equal(end.getTime(), periodOf(anchor, number + 1).start.getTime());
        const days = (end.getTime() - start.getTime()) / 86_400_000;
        assert.ok(days >= 28 && days <= 31 && Number.isInteger(days), `${start.toISOString()}: ${days}`);
        assert.ok(start.getUTCDate() <= anchor.getUTCDate());
      }
    }
  });

  test('BL-2 prorating is exact in minor units: halves round up, the start costs everything, the end nothing', () => {
    const period = periodOf(new Date('2027-04-01T00:00:00Z'), 0);
    const at = (now: string) => prorated(1_001, period, new Date(now));
    assert.equal(at('2027-04-01T00:00:00Z'), 1_001);
    assert.equal(at('2027-04-16T00:00:00Z'), 501);
    assert.equal(at('2027-05-01T00:00:00Z'), 0);
    assert.equal(at('2027-06-01T00:00:00Z'), 0);
    assert.equal(prorated(9_007_199_254_740_991, period, period.start), 9_007_199_254_740_991);
  });
});
