import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { faultsInBothThemes } from '#tests/accessibility.ts';
import { openBrowser } from '#tests/browser.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { statuspageFaults } from '#tests/statuspage.ts';
import { seedComponents } from './components.ts';
import { statuspagePaths } from './statuspage.ts';

const HOSTILE = `<script>alert(1)</script> ]]> & "quotes" \u0007`;
const SECRET_URL = 'http://127.0.0.1:9/internal?key=hunter2';

let latchkey: TestLatchkey;
let browser: Browser;
let incident: TestResponse['body'];
let maintenance: TestResponse['body'];
let heartbeat: string;
const privates: string[] = [];
const admin = async (path: string, call: Parameters<TestLatchkey['api']>[1] = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token: await managementToken(latchkey), ...call });

const v2 = async (path: string) => (await latchkey.api(`/api/v2/${path}`)).body;

before(async () => {
  [latchkey, browser] = await Promise.all([
    startTestLatchkey({ own: 'the status page belongs to the whole installation' }),
    openBrowser(),
  ]);
  await seedComponents(latchkey.system);
  const [alert, subscriber, draft] = [newEmail(), newEmail(), 'A draft about layoffs'];
  await admin('/settings', { method: 'PATCH', body: { alertEmails: [alert] } });
  await admin('/subscribers/import', { body: { consent: 'They asked for it.', subscribers: [{ email: subscriber }] } });
  const check = { kind: 'http', url: SECRET_URL, intervalSeconds: 60, timeoutSeconds: 1, expectedStatus: 200 };
  await admin('/components', { body: { groupId: 'platform', name: 'Shop', check } });
  const backstage = await admin('/components', {
    body: { groupId: 'platform', name: 'Backstage', check: { kind: 'manual' }, shown: 'never' },
  });
  const beating = await admin('/components', {
    body: { groupId: 'platform', name: 'Beat', check: { kind: 'heartbeat', intervalSeconds: 60 } },
  });
  heartbeat = beating.body.heartbeatUrl;
  await admin('/incidents', { body: { title: draft, body: 'Not yet.', severity: 'minor', draft: true } });
  incident = (
    await admin('/incidents', {
      body: {
        title: HOSTILE,
        body: HOSTILE,
        severity: 'major',
        componentIds: [backstage.body.id],
        componentStatuses: { auth: 'partial_outage', email: 'degraded_performance' },
      },
    })
  ).body;
  maintenance = (
    await admin('/maintenances', {
      body: {
        title: 'Upgrade',
        body: 'Short.',
        componentIds: ['database'],
        beginsAt: new Date(Date.now() + 3_600_000).toISOString(),
        endsAt: new Date(Date.now() + 7_200_000).toISOString(),
      },
    })
  ).body;
  const { workspaceId, projects, environments } = latchkey.demo;
  privates.push(alert, subscriber, draft, 'hunter2', 'Backstage', workspaceId, projects[0]?.id ?? '');
  privates.push(heartbeat.split('/').at(-1) ?? '', environments.test.managementClientId, 'intervalSeconds');
  privates.push(latchkey.system.config.dataDir, new URL(latchkey.databaseUrl).password || 'postgres://');
  await eventually(async () => {
    const { incidents, maintenances } = (await latchkey.api('/api/status/summary')).body;
    assert.deepEqual([incidents.length, maintenances.length], [1, 1]);
  });
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const feeds = ['history.rss', 'history.atom', 'history.json'].map((name) => `/api/status/${name}`);
const paths = () => [
  '/api/status/summary',
  '/api/status/incidents',
  '/api/status/badge.svg',
  ...feeds,
  ...statuspagePaths.map((path) => `/api/v2/${path}`),
];
const pages = () => [
  '/status',
  '/status/incidents',
  `/status/incidents/${incident.id}`,
  `/status/incidents/${maintenance.id}`,
  '/status/manage',
];

describe('every public response', () => {
  test('contains nothing private, can be cached, and is 304 when unchanged', async () => {
    const urls = [
      ...paths().map((path) => latchkey.system.config.addresses.test.api + path),
      ...[...paths(), ...pages()].map((path) => `${latchkey.system.config.addresses.console + path}?environment=test`),
    ];
    for (const url of urls) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other names the one that fails
      const response = await fetch(url);
      const text = await response.text();
      assert.equal(response.status, 200, `${url}: ${text}`);
      for (const secret of privates) assert.ok(!text.includes(secret), `${url} tells ${secret}`);
      // The page's own script, which the policy names by its hash, is the only one.
      if (response.headers.get('content-type')?.startsWith('text/html'))
        assert.equal(text.split('<script>').length - 1, 1, url);
      const etag = response.headers.get('etag');
      if (etag === null) continue;
      assert.equal(response.headers.get('cache-control'), 'public, max-age=60', url);
      const again = await fetch(url, { headers: { 'if-none-match': etag } });
      assert.equal(again.status, 304, url);
    }
  });
});

describe('readers of Statuspage', () => {
  test('find every document with the fields they know', async () => {
    const faults = await Promise.all(statuspagePaths.map(async (path) => statuspageFaults(path, await v2(path))));
    assert.deepEqual(faults.flat(), []);
    assert.equal(statuspagePaths.length, 8);
    assert.notDeepEqual(statuspageFaults('status.json', { page: {}, status: { indicator: 'fine' } }), []);
  });

  test('find the current components and incidents in them', async () => {
    const summary = await v2('summary.json');
    assert.deepEqual([summary.page.id, summary.page.time_zone, summary.status.indicator], ['test', 'Etc/UTC', 'major']);
    const component = (wanted: string) => summary.components.find(({ id }: { id: string }) => id === wanted);
    const auth = component('auth');
    assert.deepEqual([auth.status, auth.group, auth.group_id], ['partial_outage', false, 'sign-in']);
    assert.equal(component('sign-in').group, true);
    const [open] = summary.incidents;
    assert.deepEqual([open.id, open.status, open.impact], [incident.id, 'investigating', 'major']);
    assert.equal(open.incident_updates[0].incident_id, incident.id);
    const [planned] = summary.scheduled_maintenances;
    assert.deepEqual([planned.id, planned.scheduled_for], [maintenance.id, maintenance.beginsAt]);
    assert.equal((await v2('status.json')).status.description, 'Some systems are down.');
    assert.ok((await v2('components.json')).components.length > 9);
    const counts = await Promise.all(
      ['incidents.json', 'incidents/unresolved.json'].map(async (path) => (await v2(path)).incidents.length),
    );
    assert.deepEqual(counts, [1, 1]);
    const planning = await Promise.all(
      ['', '/upcoming', '/active'].map(
        async (which) => (await v2(`scheduled-maintenances${which}.json`)).scheduled_maintenances.length,
      ),
    );
    assert.deepEqual(planning, [1, 1, 0]);
  });
});

describe('feeds and the badge', () => {
  test('are well-formed XML whatever a title holds, and JSON Feed 1.1', async () => {
    const page = await browser.newPage();
    await page.goto(latchkey.system.config.addresses.console);
    for (const path of ['/api/status/history.rss', '/api/status/history.atom', '/api/status/badge.svg']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { text } = await latchkey.api(path);
      const root = await page.evaluate((xml) => {
        const { DOMParser } = Object(globalThis);
        const document = new DOMParser().parseFromString(xml, 'text/xml');
        return document.querySelector('parsererror')?.textContent ?? document.documentElement.localName;
      }, text);
      assert.ok(['rss', 'feed', 'svg'].includes(root), `${path}: ${root}`);
      assert.ok(!text.includes('<description></description>'), path);
    }
    const { body, headers } = await latchkey.api('/api/status/history.json');
    assert.match(headers.get('content-type') ?? '', /^application\/feed\+json/);
    assert.deepEqual([body.version, body.language], ['https://jsonfeed.org/version/1.1', 'en']);
    assert.equal(body.items.length, 2);
  });

  test('the pages are accessible in both themes, fit a phone and need no script', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    for (const path of [...pages(), '/status/embed', '/status/calendar', '/status/subscribe?channel=teams']) {
      const address = new URL(path, latchkey.system.config.addresses.console);
      address.searchParams.set('environment', 'test');
      address.searchParams.set('lang', 'de');
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      await page.goto(address.href);
      assert.deepEqual(await faultsInBothThemes(page), [], path);
    }
    await page.close();
  });

  test('one line can stand in a frame of any site, without a script', async () => {
    const { text, headers } = await latchkey.console('/status/embed?environment=test&lang=ar');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; .*frame-ancestors \*$/);
    assert.equal(headers.get('x-frame-options'), null);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    assert.ok(policy.includes(hash('sha256', style, 'base64')));
    assert.match(
      text,
      /dir="rtl".*<a class="partial_outage" href="\/status\?environment=test&amp;lang=ar" target="_blank"/s,
    );
    assert.doesNotMatch(text, /<script|<form/);
  });

  test('scripts add the time of the visitor to each time', async () => {
    const page = await browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    await page.goto(`${latchkey.system.config.addresses.console}/status?environment=test&lang=en`);
    const local = new Date(maintenance.beginsAt).toLocaleString('en', {
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
      timeZone: 'Asia/Tokyo',
    });
    assert.match((await page.getByText(`(${local})`).first().textContent()) ?? '', /UTC/);
    await page.close();
  });

  test('a visitor subscribes on the page, without script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const email = newEmail();
    await page.goto(`${latchkey.system.config.addresses.console}/status?environment=test`);
    await page.fill('input[name=email]', email);
    await page.click('summary');
    await page.check('input[value=auth]');
    await page.click('form button');
    await page.getByRole('heading', { level: 1, name: /Almost done/ }).waitFor();
    const { items } = (await admin('/subscribers?state=pending')).body;
    assert.deepEqual([items[0].address, items[0].componentIds], [email, ['auth']]);
    await context.close();
  });
});

describe('the look of the page', () => {
  const open = (path: string) => latchkey.console(`${path}?environment=test`);
  const look = { name: 'Ada & Co', logoUrl: 'https://cdn.example.com/a.png', accentColor: '#ffee55' };

  test('has its own name, logo, colour and link to help, which the policy allows and no other', async () => {
    assert.match((await open('/status')).text, /Shop status<\/a>/);
    const changes = { ...look, supportUrl: 'https://help.example.com/' };
    assert.equal((await admin('/settings', { method: 'PATCH', body: changes })).status, 200);
    await eventually(async () => assert.match((await open('/status')).text, /Ada &amp; Co status<\/a>/));
    for (const path of pages()) {
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      const { text, headers } = await open(path);
      assert.match(text, /<img src="https:\/\/cdn.example.com\/a.png" alt="">/, path);
      assert.match(text, /<a href="https:\/\/help.example.com\/">Get help<\/a>/, path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /img-src 'self' data: https:\/\/cdn.example.com;/, path);
      for (const [, style = ''] of text.matchAll(/<style>(.*?)<\/style>/gs))
        assert.ok(policy.includes(hash('sha256', style, 'base64')), path);
    }
    assert.equal((await v2('summary.json')).page.name, 'Ada & Co');
    const nothing = { name: null, logoUrl: null, accentColor: null, supportUrl: null };
    const reset = await admin('/settings', { method: 'PATCH', body: nothing });
    assert.deepEqual({ ...reset.body, ...nothing }, reset.body);
    await eventually(async () => assert.match((await open('/status')).text, /Shop status<\/a>/));
    assert.doesNotMatch((await open('/status')).text, /<img|Get help/);
  });

  test('has links and buttons that are readable on both themes, whatever the colour', async () => {
    await admin('/settings', { method: 'PATCH', body: { accentColor: look.accentColor } });
    await eventually(async () => assert.ok((await open('/status')).text.includes(look.accentColor)));
    const page = await browser.newPage();
    await page.goto(`${latchkey.system.config.addresses.console}/status?environment=test`);
    assert.deepEqual(await faultsInBothThemes(page), []);
    await page.close();
    await admin('/settings', { method: 'PATCH', body: { accentColor: null } });
  });

  test('refuses what is no name, colour or address', async () => {
    const wrong = [
      { name: ' ' },
      { accentColor: 'red' },
      { accentColor: '#fff;}body{display:none' },
      { logoUrl: 'javascript:alert(1)' },
      { supportUrl: '' },
      { supportUrl: 'javascript:alert(1)' },
      {},
    ];
    const responses = await Promise.all(wrong.map((body) => admin('/settings', { method: 'PATCH', body })));
    for (const response of responses) expectProblem(response, 400, 'VALIDATION_FAILED');
  });
});

describe('the languages of the page', () => {
  test('seven, chosen by the browser or the reader', async () => {
    const title = async (query: string, language: string) => {
      const headers = { 'accept-language': language };
      const { text, headers: given } = await latchkey.console(`/status?environment=test${query}`, { headers });
      assert.equal(given.get('vary'), 'accept-language');
      return [/<html lang="(\w+)"/.exec(text)?.[1], /<h1>([^<]*)/.exec(text)?.[1]];
    };
    assert.deepEqual(await title('', 'de-AT,de;q=0.9'), ['de', 'Einige Systeme sind ausgefallen.']);
    assert.deepEqual(await title('&lang=ja', 'de'), ['ja', '一部のシステムが停止しています。']);
    assert.deepEqual(await title('', 'xx'), ['en', 'Some systems are down.']);
    assert.deepEqual(
      (await Promise.all(['fr', 'es', 'zh'].map((language) => title('', language)))).map(([found]) => found),
      ['fr', 'es', 'zh'],
    );
    const { text } = await latchkey.console('/status?environment=test&lang=ar');
    assert.match(text, /<html lang="ar" dir="rtl">/);
    assert.match(text, /<time dir="ltr" datetime=/, 'times keep their order');
  });
});

describe('as an incident advances, readers of Statuspage', () => {
  test('get the effect of each update on components, except those never shown', async () => {
    const affected = async () => {
      const [{ incident_updates: updates }] = (await v2('incidents.json')).incidents;
      return updates.map(({ affected_components: changes }: TestResponse['body']) => changes);
    };
    const auth = { code: 'auth', name: 'Auth host' };
    const down = { ...auth, old_status: 'operational', new_status: 'partial_outage' };
    const mails = { code: 'email', name: 'Email', old_status: 'operational', new_status: 'degraded_performance' };
    assert.deepEqual(await affected(), [[down, mails]]);
    await admin(`/incidents/${incident.id}/updates`, {
      body: { phase: 'identified', body: 'A cable.', componentStatuses: { auth: 'degraded_performance' } },
    });
    const better = { ...auth, old_status: 'partial_outage', new_status: 'degraded_performance' };
    const well = { ...mails, old_status: 'degraded_performance', new_status: 'operational' };
    await eventually(async () =>
      assert.deepEqual(await affected(), [
        [better, well],
        [down, mails],
      ]),
    );
    await latchkey.system.pool.query('update status_updates set affected = null where subject_id = $1', [incident.id]);
    await admin(`/incidents/${incident.id}`, { method: 'PATCH', body: { componentIds: ['auth'] } });
    await eventually(async () => assert.deepEqual(await affected(), [null, null]));
    assert.deepEqual(statuspageFaults('incidents.json', await v2('incidents.json')), []);
  });
});
