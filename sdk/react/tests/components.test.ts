import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { build } from 'rolldown';
import { faultsInBothThemes } from '../../../server/tests/accessibility.ts';
import { admin } from '../../../server/tests/apis.ts';
import { openBrowser } from '../../../server/tests/browser.ts';
import { register, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { prove, startApp } from '../../browser/tests/app.ts';

const SDK = join(import.meta.dirname, '../..');

let latchkey: TestLatchkey;
let browser: Browser;
let sdk: string;
let styles: string;
before(async () => {
  latchkey = await startTestLatchkey();
  browser = await openBrowser();
  const { output } = await build({
    input: join(import.meta.dirname, 'application.tsx'),
    resolve: { alias: { '@latchkey/browser': join(SDK, 'browser/src/index.ts') } },
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    output: { format: 'esm' },
    logLevel: 'silent',
    write: false,
  });
  sdk = output[0].code;
  styles = await readFile(join(SDK, 'react/styles.css'), 'utf8');
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const html = (options: object) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>The application</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark; font-family: sans-serif }${styles}</style>
<script type="module">import { start } from '/sdk.js'; start(${JSON.stringify(options)});</script></html>`;

/** A person in two organizations. */
async function personInTwo() {
  const person = await register(latchkey, { profile: { displayName: 'Ada' } });
  const { items } = await admin(latchkey, `members?q=${encodeURIComponent(person.email)}`);
  const join = async (name: string) => {
    const { id } = await admin(latchkey, 'organizations', { body: { name } });
    await admin(latchkey, `organizations/${id}/members`, { body: { memberId: items[0].id, roles: [] } });
    return { id: String(id), name };
  };
  return { person, organizations: await Promise.all([join('Alpha'), join('Beta')]) };
}

const errorsOf = (page: Page): string[] => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  return errors;
};

describe('the components', () => {
  test('sign in by a button, show who is signed in, switch the organization by keyboard and sign out', async (t) => {
    const { person, organizations } = await personInTwo();
    const app = await startApp(latchkey, { sdk, html, organizations });
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
    assert.equal(await menu.evaluate((element) => element.ownerDocument.activeElement === element), true);
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
