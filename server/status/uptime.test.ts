import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { MinuteBook, readDays, removeOldUptime, uptimeOf, writeMinutes } from './uptime.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let latchkey: TestLatchkey;
const clock = new TestClock(Date.parse('2026-03-01T12:00:00Z'));
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

describe('uptime', () => {
  test('is 100 × (1 − (major + partial ÷ 2) ÷ measured), rounded down, without planned maintenance', () => {
    const day = { operational: 0, degraded: 0, partial: 0, major: 0, maintenance: 0 };
    assert.equal(uptimeOf([]), null);
    assert.equal(uptimeOf([{ ...day, maintenance: 1440 }]), null);
    assert.equal(uptimeOf([{ ...day, operational: 900, degraded: 60, partial: 20, major: 20, maintenance: 440 }]), 97);
    assert.equal(uptimeOf([{ ...day, operational: 999_999, major: 1 }]), 99.999);
    assert.equal(uptimeOf([{ ...day, operational: 9_999_999, major: 1 }]), 99.999, 'not whole');
  });

  test('keeps the worst status of each minute, counts it once however many processes report it, and survives a database outage', async () => {
    const [one, other] = [new MinuteBook(), new MinuteBook()];
    const at = (minute: number, second = 0) => new Date(clock.now().getTime() + minute * MINUTE + second * 1000);
    for (const book of [one, other]) {
      book.note('test', 'auth', 'operational', at(0));
      book.note('test', 'auth', 'major_outage', at(0, 30));
      book.note('test', 'auth', 'operational', at(0, 50));
      for (let minute = 1; minute < 9; minute += 1) book.note('test', 'auth', 'operational', at(minute));
      book.note('test', 'auth', 'partial_outage', at(9));
      book.note('test', 'auth', 'under_maintenance', at(10));
    }
    // A book can be stored as JSON in the snapshot file.
    const restored = new MinuteBook(JSON.parse(JSON.stringify(one.spans)));
    await writeMinutes(latchkey.system, restored, at(11));
    await writeMinutes(latchkey.system, restored, at(11));
    await writeMinutes(latchkey.system, other, at(11));
    const days = await readDays(latchkey.system, 'test', { now: at(11), days: 90 });
    assert.deepEqual(days.get('auth'), [
      { day: '2026-03-01', operational: 8, degraded: 0, partial: 1, major: 1, maintenance: 1 },
    ]);
    assert.deepEqual(other.finished(at(11)), []);
  });

  test('is kept by the minute for three days and by the day for two years', async () => {
    const { pool } = latchkey.system;
    await pool.query(
      `insert into status_days values ('test', 'api', '2024-03-02', 1440, 0, 0, 0, 0), ('test', 'api', '2024-02-28', 1440, 0, 0, 0, 0)`,
    );
    clock.advance(3 * DAY - MINUTE);
    await removeOldUptime(latchkey.system);
    const count = async (table: string) => (await pool.query(`select count(*) as n from ${table}`)).rows[0].n;
    assert.equal(await count('status_minutes'), 11);
    clock.advance(DAY);
    await removeOldUptime(latchkey.system);
    assert.equal(await count('status_minutes'), 0);
    const { rows } = await pool.query(
      `select to_char(day, 'YYYY-MM-DD') as day from status_days where component_id = 'api'`,
    );
    assert.deepEqual(rows, []);
  });
});
