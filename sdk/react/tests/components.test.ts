import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { faultsInBothThemes } from '../../../server/tests/accessibility.ts';
import { openBrowser } from '../../../server/tests/browser.ts';
import { newEmail, register, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { prove, startApp } from '../../browser/tests/app.ts';
import { alert, bundleApplication, button, errorsOf, part, personInTwo } from './pages.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let sdk: string;
let html: (options: object) => string;
before(async () => {
  latchkey = await startTestLatchkey();
  browser = await openBrowser();
  const application = await bundleApplication();
  ({ sdk } = application);
  html = application.html('start');
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

describe('the components', () => {
  test('sign in by a button, show who is signed in, switch the organization by keyboard and sign out', async (t) => {
    const { person, organizations } = await personInTwo(latchkey);
    const app = await startApp(latchkey, { sdk, html });
    t.after(app.stop);
    const page = await (await browser.newContext()).newPage();
    const errors = errorsOf(page);
    await page.goto(app.origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await prove(page, person);
    const menu = page.getByRole('button', { name: 'Account menu: Ada' });
    await menu.waitFor();
    await menu.press('Enter');
    assert.equal(await menu.getAttribute('aria-expanded'), 'true');
    const link = page.getByRole('link', { name: 'Your account' });
    assert.match((await link.getAttribute('href')) ?? '', /\/account\?clientId=/);
    assert.deepEqual(await faultsInBothThemes(page), []);
    const list = page.getByRole('combobox', { name: 'Organization' });
    await list.selectOption({ label: 'Beta' });
    await page.waitForFunction(`!document.querySelector('select')?.disabled`);
    assert.equal(await list.inputValue(), organizations[1]?.id);
    await link.focus();
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    await menu.and(page.locator(':focus')).waitFor();
    await menu.click();
    await page.getByRole('heading').click();
    await link.waitFor({ state: 'hidden' });
    await menu.click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(page.url(), `${app.origin}/`);
    assert.deepEqual(await faultsInBothThemes(page), []);
    assert.deepEqual(errors, []);
  });

  test('protect a route: people come back to it after the sign-in', async (t) => {
    const app = await startApp(latchkey, { sdk, html });
    t.after(app.stop);
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${app.origin}/orders?page=2`);
    await prove(page, person);
    await page.getByText('Orders of Ada, organization none').waitFor();
    assert.equal(page.url(), `${app.origin}/orders?page=2`);
  });

  test('speak the language of the browser, and so do the pages that they lead to', async (t) => {
    const app = await startApp(latchkey, { sdk, html });
    t.after(app.stop);
    const page = await (await browser.newContext({ locale: 'de-AT' })).newPage();
    await page.goto(app.origin);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByRole('button', { name: 'Anmelden', exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  });
});

describe('linking an account at a provider', () => {
  const NOT_LINKED = /^The sign-in with the provider failed/;

  test('leaves the page, goes on with the session that Latchkey has, and says when the provider refused', async (t) => {
    const app = await startApp(latchkey, { sdk, html });
    t.after(app.stop);
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${app.origin}/account`);
    await button(page, 'Sign in').click();
    await prove(page, await register(latchkey));
    await button(page, 'Link Dev provider').click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await alert(page).waitFor();
    assert.match((await alert(page).textContent()) ?? '', NOT_LINKED);
    const email = newEmail();
    await button(page, 'Link Dev provider').click();
    await page.fill('input[name=email]', email);
    await page.keyboard.press('Enter');
    await part(page, 'Linked accounts').getByText(email).waitFor();
    assert.equal(page.url(), `${app.origin}/account`);
    assert.equal(await alert(page).count(), 0);
  });

  test('takes no account that another person has begun to link', async (t) => {
    const app = await startApp(latchkey, { sdk, html });
    t.after(app.stop);
    const attacker = await register(latchkey);
    const begun = await latchkey.api('/v1/me/linked-identities', {
      token: attacker.access_token,
      body: { provider: 'dev', clientId: app.clientId, redirectUri: `${app.origin}/` },
    });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${app.origin}/account`);
    await button(page, 'Sign in').click();
    await prove(page, await register(latchkey));
    await button(page, 'Link Dev provider').click();
    await page.locator('input[name=email]').waitFor();
    const state = new URL(begun.body.url);
    // The address of the attacker, with the state of the visitor: no application lets them know it.
    await page.goto(`${app.origin}/robots.txt`);
    const keys = await page.evaluate(`Object.keys(localStorage).find((key) => key.includes(' state '))`);
    state.searchParams.set('state', String(keys).split(' ').at(-1) ?? '');
    await page.evaluate(`location.assign(${JSON.stringify(state.href)})`);
    await page.fill('input[name=email]', newEmail());
    await page.keyboard.press('Enter');
    await alert(page).waitFor();
    assert.match((await alert(page).textContent()) ?? '', NOT_LINKED);
    assert.equal(await page.getByRole('button', { name: /^Unlink/ }).count(), 0);
  });
});
