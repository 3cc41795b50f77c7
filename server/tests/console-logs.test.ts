import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole } from '#tests/console-app.ts';
import { eventually, managementToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
let userId: string;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  userId = (await register(latchkey, { profile: { displayName: 'Ada Lovelace' } })).session.userId;
  app = await openConsole(latchkey, browser);
  page = app.page;
  const { items } = (await app.operator.call('/console/v1/members?q=ada')).body;
  await app.operator.call(`/console/v1/members/${items[0].id}/block`, { method: 'POST' });
  const token = await managementToken(latchkey);
  await latchkey.api('/v1/admin/roles', { token, body: { key: 'clerk', name: 'Clerk' } });
  await eventually(async () => {
    const { rows } = await latchkey.system.pool.query('select 1 from events where sequence is null');
    assert.equal(rows.length, 0);
  });
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

for (const [path, title] of [
  ['/audit', 'Audit log'],
  ['/events', 'Event log'],
] as const) {
  test(`the ${title.toLowerCase()} shows the actor and the affected record, with their ids`, async () => {
    await app.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await app.open(path);
    const table = page.getByRole('table', { name: title });
    const blocked = table.getByRole('row').filter({ hasText: 'membership.blocked' });
    await blocked.getByText('Ada Lovelace').filter({ visible: true }).waitFor();
    await blocked.getByText('Demo Operator').filter({ visible: true }).waitFor();
    await table
      .getByRole('row')
      .filter({ hasText: 'role.created' })
      .getByText('clerk')
      .filter({ visible: true })
      .waitFor();
    await blocked.hover();
    await blocked.getByRole('button', { name: `Copy ${userId}` }).click();
    const clipboard = () => page.evaluate(() => Object(globalThis).navigator.clipboard.readText());
    await eventually(async () => assert.equal(await clipboard(), userId));
    const person = blocked.getByRole('link', { name: 'Ada Lovelace' }).filter({ visible: true });
    assert.match((await person.getAttribute('href')) ?? '', /\/members\/mem_/);
    await blocked.locator('[data-row-link]').click();
    const drawer = page.getByRole('dialog', { name: 'membership.blocked' });
    await drawer.getByText('Ada Lovelace').waitFor();
    await drawer.getByRole('button', { name: `Copy ${userId}` }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.reload();
    await drawer.getByText('Demo Operator').waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await page.waitForURL((url) => !url.searchParams.has('event'));
  });
}

test('who registers is shown as the actor of it, and a failed sign-in has none', async () => {
  await latchkey.auth('/v1/auth/login/password', { body: { identifier: 'nobody@people.example', password: 'wrong' } });
  await eventually(async () => {
    const { items } = (await app.operator.call('/console/v1/event-log?type=user.login_failed')).body;
    assert.equal(items.length, 1);
  });
  await app.open('/events');
  const row = (type: string) => page.getByRole('row').filter({ hasText: type });
  await row('user.login_failed').getByText('Anonymous').waitFor();
  const named = (type: string) =>
    row(type).getByRole('link', { name: 'Ada Lovelace' }).filter({ visible: true }).count();
  await eventually(async () =>
    assert.deepEqual(await Promise.all(['user.created', 'membership.created'].map(named)), [2, 2], 'subject and actor'),
  );
  assert.equal(await row('user.created').getByText('Anonymous').count(), 0);
});

test('the overview shows sign-ins by way and application', async () => {
  await app.open('');
  await page
    .getByRole('table', { name: 'Sign-ins by way' })
    .getByRole('row', { name: /Password.* 1 100%/ })
    .waitFor();
  await page
    .getByRole('table', { name: 'Sign-ins by application' })
    .getByRole('row', { name: /not named 1 100%/ })
    .waitFor();
  assert.deepEqual(await faultsOf(page), []);
});

test('the filters of a log are in its address', async () => {
  await app.open(`/audit?resource=${userId}`);
  await page.getByRole('searchbox', { name: 'Action' }).fill('membership.blocked');
  await page.waitForURL(/resource=.*action=membership\.blocked/);
  const table = page.getByRole('table', { name: 'Audit log' });
  const entries = table.getByRole('row').filter({ has: page.getByRole('link') });
  await eventually(async () => assert.equal(await entries.count(), 1));
  await table.getByRole('rowheader').first().waitFor();
});

test('on a phone an entry shows everything, and passes axe-core', async () => {
  const phone = await openConsole(latchkey, browser, { operator: app.operator, width: 390, colorScheme: 'dark' });
  await phone.open('/audit?action=membership.blocked');
  await phone.page.getByRole('link', { name: 'membership.blocked' }).click();
  await phone.page.getByRole('dialog').getByText('Ada Lovelace').waitFor();
  assert.deepEqual(await faultsOf(phone.page), []);
  await phone.context.close();
});

test('the list of members and the event log show what happens without a reload, and a session that ended asks nothing', async () => {
  const asked: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/console/v1/events?')) asked.push(response.status());
  });
  await app.open('/members');
  await eventually(async () => assert.ok(asked.length > 0, 'the list follows the events'));
  await register(latchkey, { profile: { displayName: 'Grace Hopper' } });
  await page.getByRole('table', { name: 'Members' }).getByText('Grace Hopper').waitFor();
  await app.goTo('/events', 'Event log');
  const events = page.getByRole('table', { name: 'Event log' });
  const before = await events.getByText('user.created').count();
  await register(latchkey);
  await eventually(async () => assert.ok((await events.getByText('user.created').count()) > before));

  await app.context.clearCookies();
  await register(latchkey);
  await eventually(async () => assert.equal(asked.at(-1), 401));
  assert.equal(await page.getByRole('dialog').count(), 0, 'nobody is asked to sign in for it');
});
