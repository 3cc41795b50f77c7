import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { managementToken, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { seedComponents } from './components.ts';
import { installationPage } from './pages.ts';
import { MinuteBook, readDays, removeOldUptime, uptimeOf, writeMinutes } from './uptime.ts';
import { viewsOf } from './views.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let latchkey: TestLatchkey;
const clock = new TestClock(Date.parse('2026-03-01T12:00:00Z'));
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const calendar = async (query: string) => {
  const { status, text } = await latchkey.console(`/status/calendar?environment=test${query}`);
  const day = (name: string) => new RegExp(`<td class="(\\w+)" data-day="${name}"(.*?)</td>`).exec(text);
  return {
    status,
    text,
    stateOf: (name: string) => day(name)?.[1],
    marksOf: (name: string) => day(name)?.[2]?.match(/<i /g)?.length ?? 0,
  };
};

describe('the calendar', () => {
  before(async () => {
    await seedComponents(latchkey.system);
    await latchkey.system.pool.query(
      `insert into status_days values ('test', 'auth', '2025-06-10', 1410, 0, 0, 30, 0), ('test', 'auth', '2025-06-11', 1440, 0, 0, 0, 0),
         ('test', 'email', '2025-06-11', 1400, 40, 0, 0, 0), ('test', 'auth', '2025-05-31', 0, 0, 0, 1440, 0)`,
    );
    const past = { phase: 'resolved', body: 'It was a cable.', severity: 'major' };
    for (const incident of [
      { ...past, title: 'A cut <b>cable</b>', componentIds: ['auth'], startedAt: '2025-06-10T09:00:00Z' },
      { ...past, title: 'Slow mails', componentIds: ['email'], startedAt: '2026-02-28T22:00:00Z' },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const made = await latchkey.api('/v1/admin/status/incidents', {
        token: await managementToken(latchkey),
        body: incident,
      });
      assert.equal(made.status, 201, made.text);
    }
    // It ended on the next day.
    await latchkey.system.pool.query(
      `update status_incidents set resolved_at = '2025-06-11T02:00:00Z' where title like 'A cut%'`,
    );
    await viewsOf(latchkey.system).reload();
  });

  test('shows the worst of each day and what happened on it, beyond the days of the page', async () => {
    const { text, stateOf, marksOf } = await calendar('&month=2025-06');
    assert.deepEqual(
      ['2025-06-10', '2025-06-11', '2025-06-12'].map((day) => [stateOf(day), marksOf(day)]),
      [
        ['major_outage', 1],
        ['degraded_performance', 1],
        ['none', 0],
      ],
    );
    assert.equal(text.match(/<td class=/g)?.length, 30);
    // A Sunday in June 2025, where weeks begin on Sunday.
    assert.match(text, /<tbody><tr><td class="none" data-day="2025-06-01"/);
    assert.match(text, /id="d-2025-06-11"[\s\S]*A cut &lt;b&gt;cable&lt;\/b&gt;/);
    assert.match(text, /Uptime in this month: 99.3 %/);
    assert.ok(!text.includes('Slow mails'));
  });

  test('of one system shows that alone, and keeps it from month to month', async () => {
    const { text, stateOf, marksOf } = await calendar('&month=2025-06&component=email');
    assert.deepEqual([stateOf('2025-06-10'), stateOf('2025-06-11')], ['none', 'degraded_performance']);
    assert.deepEqual([marksOf('2025-06-10'), marksOf('2025-06-11')], [0, 0]);
    assert.match(text, /rel="prev" href="[^"]*month=2025-05&amp;component=email"/);
  });

  test('begins the week as the reader does, and ends with the current month', async () => {
    const german = await calendar('&lang=de&month=2026-02');
    assert.match(german.text, /<th scope="col" abbr="Montag">/);
    assert.match((await calendar('&lang=de')).text, /data-day="2026-03-01" aria-current="date"/);
    assert.match(german.text, /datetime="2026-02-28T22:00:00.000Z"/, 'scripts add the local time');
    assert.ok(german.text.includes('rel="next"') && !(await calendar('')).text.includes('rel="next"'));
    const arabic = await calendar('&lang=ar');
    assert.match(arabic.text, /<html lang="ar" dir="rtl">/);
    for (const query of ['&month=2026-04', '&month=2024-02', '&component=nothing', '&month=2026-13']) {
      // biome-ignore lint/performance/noAwaitInLoops: few
      assert.ok((await calendar(query)).status >= 400, query);
    }
  });
});

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
    const days = await readDays({ db: latchkey.system.db, page: installationPage('test') }, { now: at(11), days: 90 });
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
