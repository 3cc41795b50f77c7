import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { observeStatements } from '#platform/db.ts';
import type { System } from '#platform/system.ts';
import { withoutDatabase } from '#tests/away.ts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';
import { METRICS, registerMetrics } from './metrics.ts';

const PAGE = new URL('../../docs/monitoring.md', import.meta.url);
const FILES = new URL('../../packaging/monitoring/', import.meta.url);
const TABLE = /(?<=<!-- metrics: [^\n]*-->\n)[\s\S]*(?=<!-- end of metrics -->)/;

let latchkey: TestLatchkey;
before(async () => {
  // Its own Latchkey, because other files start and stop the work of leaders.
  latchkey = await startTestLatchkey({});
});
after(() => latchkey.stop());

async function scrape(): Promise<string> {
  const { internal } = latchkey.system.config.ports;
  return (await fetch(`http://127.0.0.1:${internal}/metrics`)).text();
}

/** The value of a series; undefined if there is none. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** A system with other settings and a registry of its own, whose metrics are registered. */
function registered(changes: Partial<System>): System {
  const system = { ...latchkey.system, ...changes, metrics: new Registry() };
  registerMetrics(system);
  return system;
}

test('docs/monitoring.md has every metric', async () => {
  const labelsOf = (labels: Readonly<Record<string, readonly string[] | string>>) =>
    Object.entries(labels)
      .map(([name, values]) => {
        const known = typeof values === 'string' ? values : values.map((value) => `\`${value || '""'}\``).join(', ');
        return `\`${name}\` (${known})`;
      })
      .join('; ');
  const rows = METRICS.map(
    ({ name, type, help, labels = {}, roles = [] }) =>
      `| \`${name}\` | ${type} | ${help} | ${labelsOf(labels)} | ${roles.join(', ') || 'all'} |`,
  );
  const table = ['| metric | type | meaning | labels | roles |', '| --- | --- | --- | --- | --- |', ...rows, ''].join(
    '\n',
  );
  const page = await readFile(PAGE, 'utf8');
  const written = page.replace(TABLE, () => table);
  if (process.env['UPDATE_DOCS']) await writeFile(PAGE, written);
  assert.equal(written, await readFile(PAGE, 'utf8'), 'run again with UPDATE_DOCS=1 and look at the difference');
});

describe('/metrics', () => {
  test('has every metric that the dashboard and the alerts use', async () => {
    const text = await scrape();
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
    for (const { name } of METRICS) assert.ok(known.has(name), name);
    const dashboard = await readFile(new URL('grafana-dashboard.json', FILES), 'utf8');
    const rules = await readFile(new URL('prometheus-rules.yaml', FILES), 'utf8');
    const expressions: string[] = [
      ...JSON.parse(dashboard).panels.flatMap(({ targets = [] }) => targets.map(({ expr }: { expr: string }) => expr)),
      ...parse(rules).groups.flatMap(({ rules: all }: { rules: { expr: string }[] }) => all.map(({ expr }) => expr)),
    ];
    const used = expressions.flatMap((expression) => expression.match(/\b(?:latchkey|nodejs|process)_\w+/g) ?? []);
    assert.ok(used.length > 50);
    const unknown = used.filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, '')));
    assert.deepEqual(unknown, []);
    const shown = METRICS.filter(({ name }) => !expressions.some((expression) => expression.includes(name)));
    assert.deepEqual(
      shown.map(({ name }) => name),
      [],
      'metrics that neither the dashboard nor an alert uses',
    );
  });

  test('counts sign-ins by way and result, on the API and on the hosted pages', async () => {
    const { demo } = latchkey;
    const { email, password } = demo.environments.test.owner;
    const series = (result: string) => `latchkey_sign_ins_total{environment="test",way="password",result="${result}"}`;
    const before = await scrape();
    assert.notEqual(seriesValue(before, series('throttled')), undefined);
    const signIn = (secret: string) =>
      latchkey.auth('/v1/auth/login/password', {
        body: { identifier: email, password: secret, clientId: demo.environments.test.clientId },
      });
    assert.equal((await signIn('not the password of anybody')).status, 401);
    assert.equal((await signIn(password)).status, 200);
    const { url } = await codeFlow(latchkey, { scope: 'openid' });
    const browser = browserOf(latchkey);
    const page = await browser.submit(await browser.open(url), {
      identifier: email,
      password: 'still not the password',
    });
    assert.match(page.text, /role="alert"/);
    const counted = await scrape();
    for (const [result, count] of Object.entries({ wrong_credential: 2, signed_in: 1, refused: 0, failed: 0 }))
      assert.equal(
        (seriesValue(counted, series(result)) ?? 0) - (seriesValue(before, series(result)) ?? 0),
        count,
        result,
      );
  });

  test('has nothing in its labels that a request chose', async () => {
    const chosen = `chosen${crypto.randomUUID()}`;
    await latchkey.api(`/v1/${chosen}`, { headers: { 'x-correlation-id': chosen } });
    await latchkey.api(`/v1/admin/members/${chosen}`, { headers: { 'user-agent': chosen } });
    await fetch(latchkey.system.config.addresses.test.api, { headers: { host: `${chosen}.example` } });
    await fetch(latchkey.system.config.addresses.test.api, { method: 'PROPFIND' });
    const text = await scrape();
    assert.ok(!text.includes(chosen));
    assert.ok(!text.includes(latchkey.demo.workspaceId));
    for (const { name, labels = {} } of METRICS)
      for (const [label, values] of Object.entries(labels))
        for (const [, value = ''] of text.matchAll(new RegExp(`^${name}\\w*{[^}]*\\b${label}="([^"]*)"`, 'gm')))
          assert.ok(typeof values === 'string' || values.includes(value), `${name} ${label}=${value}`);
  });

  test('counts jobs, and tells how long the oldest waits', async () => {
    const { pool } = latchkey.system;
    await pool.query(
      `select graphile_worker.add_job('nobody_does_this', run_at := now() - interval '1 hour', max_attempts := 1)`,
    );
    const text = await scrape();
    assert.ok((seriesValue(text, 'latchkey_jobs_oldest_seconds{task="nobody_does_this"}') ?? 0) >= 3_599);
    assert.equal(seriesValue(text, 'latchkey_jobs_waiting{task="nobody_does_this"}'), 1);
    await latchkey.auth('/v1/auth/password/forgot', {
      body: {
        identifier: latchkey.demo.environments.test.owner.email,
        clientId: latchkey.demo.environments.test.clientId,
      },
    });
    await pool.query(`select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs
      where task_identifier = 'nobody_does_this'`);
    await eventually(async () => {
      const done = await scrape();
      assert.equal(seriesValue(done, 'latchkey_jobs_waiting{task="nobody_does_this"}'), undefined);
      assert.ok((seriesValue(done, 'latchkey_jobs_total{task="send_message",result="done"}') ?? 0) > 0);
      assert.ok((seriesValue(done, 'latchkey_messages_total{channel="email",result="sent"}') ?? 0) > 0);
      assert.equal(seriesValue(done, 'latchkey_leader{work="events"}'), 1);
    });
  });

  test('reads each state once, although several metrics come from it', async (t) => {
    const system = registered({});
    const read: string[] = [];
    t.after(observeStatements((text) => read.push(text)));
    await system.metrics.metrics();
    for (const part of ['is_waiting', 'from "backups"', 'position as after,'])
      assert.equal(read.filter((text) => text.includes(part)).length, 1, part);
  });

  test('of a process without the role worker has nothing about the installation', async () => {
    const { config } = latchkey.system;
    const text = await registered({ config: { ...config, roles: ['api'] } }).metrics.metrics();
    assert.equal(seriesValue(text, 'latchkey_info{roles="api"}'), 1);
    assert.ok(!text.includes('latchkey_events_unnumbered_seconds'));
    assert.ok(!text.includes('latchkey_sign_ins_total'));
  });

  test('is served while the database is away, without the metrics that are read from it', async (t) => {
    const away = registered(withoutDatabase(t, latchkey.system));
    for (const _scrape of ['first', 'second']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const text = await away.metrics.metrics();
      assert.equal(seriesValue(text, 'latchkey_ready{check="database"}'), 0);
      assert.equal(seriesValue(text, 'latchkey_events_unnumbered_seconds'), undefined);
      assert.notEqual(seriesValue(text, 'latchkey_change_feed_live'), undefined);
    }
  });
});

describe('the alerts', () => {
  test('each has a severity, a summary, and a paragraph on what to do', async () => {
    const page = await readFile(PAGE, 'utf8');
    const chapters = new Map(page.split('\n### ').map((chapter) => [chapter.split('\n', 1)[0], chapter]));
    const { groups } = parse(await readFile(new URL('prometheus-rules.yaml', FILES), 'utf8'));
    const alerts = groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert));
    for (const { alert, labels, annotations } of groups[0].rules) {
      assert.ok(['critical', 'warning'].includes(labels.severity), alert);
      assert.ok(annotations.summary, alert);
      assert.ok((chapters.get(alert) ?? '').length > alert.length + 80, `docs/monitoring.md does not explain ${alert}`);
    }
    const described = [...chapters.keys()].filter((heading) => heading?.startsWith('Latchkey'));
    assert.deepEqual(described.sort(), [...new Set(alerts)].sort());
  });
});
