import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole, said } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const read = async (path: string) => (await app.operator.call(`/console/v1${path}`)).body;
const notice = (text: string) => page.getByRole('status').filter({ hasText: text });
const undo = (text: string) => notice(text).getByRole('button', { name: /^Undo/ });
const save = () => page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' });
const toggle = async (name: string) => {
  await page.getByRole('switch', { name }).click({ force: true });
  await save().click();
};

async function memberCalled(displayName: string): Promise<string> {
  const { email } = await register(latchkey, { profile: { displayName } });
  const [member] = (await read(`/members?q=${encodeURIComponent(email)}`)).items;
  await app.open(`/members/${member.id}`);
  return member.id;
}

describe('reversible actions offer undo', () => {
  test('blocking a member is undone by the undo shortcut', async () => {
    const id = await memberCalled('Ada Lovelace');
    await button('Block').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await undo('Ada Lovelace is blocked').waitFor();
    assert.deepEqual(await faultsOf(page), []);
    assert.equal((await read(`/members/${id}`)).status, 'blocked');
    await page.keyboard.press('Control+z');
    await said(page, 'Ada Lovelace is unblocked');
    await button('Block').waitFor();
    assert.equal((await read(`/members/${id}`)).status, 'active');
  });

  test('the notice stays while its button has the keyboard focus', async () => {
    const { context, page: own } = await openConsole(latchkey, browser, { operator: app.operator });
    const id = await memberCalled('Grace Hopper');
    await own.clock.install();
    await own.goto(page.url());
    await own.getByRole('button', { name: 'Block', exact: true }).click();
    await own.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await own.getByRole('status').getByRole('button', { name: /^Undo/ }).waitFor();
    const reached = own.getByRole('status').getByRole('button', { name: /^Undo/ }).and(own.locator(':focus'));
    for (let stops = 0; stops < 60; stops += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one key after the other
      if ((await reached.count()) > 0) break;
      await own.keyboard.press('Tab');
    }
    await reached.waitFor();
    await own.clock.fastForward(60_000);
    await own.keyboard.press('Enter');
    await said(own, 'Grace Hopper is unblocked');
    assert.equal((await read(`/members/${id}`)).status, 'active');
    await context.close();
  });

  test('roles that were assigned to a member are removed, unless someone changed them in between', async () => {
    const id = await memberCalled('Joan Clarke');
    const { roles } = await read(`/members/${id}`);
    await page.getByRole('checkbox', { name: 'Admin' }).check();
    await save().click();
    await undo('Roles changed').click();
    await said(page, 'Change undone');
    assert.deepEqual((await read(`/members/${id}`)).roles, roles);

    await page.getByRole('checkbox', { name: 'Admin' }).check();
    await save().click();
    await undo('Roles changed').waitFor();
    await app.operator.call(`/console/v1/members/${id}/roles`, { method: 'PUT', body: { roles: ['owner'] } });
    await undo('Roles changed').click();
    await said(page, 'Someone else has changed this since');
    assert.deepEqual((await read(`/members/${id}`)).roles, ['owner']);
  });

  test('a disabled application is enabled again', async () => {
    const [{ id }] = (await read('/applications?limit=1')).items;
    await app.open(`/applications/${id}`);
    await toggle('Enabled');
    await undo('Application saved').click();
    await said(page, 'Change undone');
    assert.equal((await read(`/applications/${id}`)).enabled, true);
    await eventually(async () => assert.ok(await page.getByRole('switch', { name: 'Enabled' }).isChecked()));
  });

  test('a change of a provider is undone, but not one of its secret, which is never shown', async () => {
    const [{ id, enabled }] = (await read('/identity-providers?limit=1')).items;
    await app.open(`/providers/${id}`);
    await toggle('Enabled');
    await notice('Provider saved').waitFor();
    // The console's next read of the provider is slow: what is edited after the message is still the present version.
    await page.route(`**/console/v1/identity-providers/${id}`, async (route) => {
      if (route.request().method() === 'GET') await setTimeout(1_000);
      await route.continue();
    });
    await undo('Provider saved').click();
    await said(page, 'Change undone');
    assert.equal((await read(`/identity-providers/${id}`)).enabled, enabled);
    await page.getByLabel('Client secret').fill('another-secret');
    await save().click();
    await page.getByRole('alert').filter({ hasText: 'Provider saved' }).waitFor();
    await eventually(async () => assert.equal(await undo('Provider saved').count(), 0));
  });

  test('a disabled endpoint is enabled, and an enabled one disabled', async () => {
    const made = await app.operator.call('/console/v1/webhooks/endpoints', {
      body: { url: 'http://127.0.0.1:9/undo', events: ['user.*'] },
    });
    const path = `/webhooks/endpoints/${made.body.id}`;
    await app.open(`/webhooks/${made.body.id}`);
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Disable…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await undo('Disabled').click();
    await said(page, 'Enabled');
    assert.equal((await read(path)).enabled, true);
    await app.operator.call(`/console/v1${path}/disable`, { method: 'POST' });
    await app.open(`/webhooks/${made.body.id}`);
    await button('Enable').click();
    await undo('Enabled').click();
    await said(page, 'Disabled');
    assert.equal((await read(path)).enabled, false);
  });
});
