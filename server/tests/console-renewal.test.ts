import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, openConsole, said } from '#tests/console-app.ts';
import { eventually, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { signInOperator } from '#tests/operators.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey({ clock }), openBrowser()]);
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

/** After this long, a dangerous change requires a step-up. */
const STEP_UP_MS = 601_000;

const button = (name: string) => page.getByRole('button', { name, exact: true });
/** What the demo's operator can read, with a new session. */
const read = async (path: string) => (await (await signInOperator(latchkey)).call(`/console/v1${path}`)).body;

async function signInFrom(dialog: string): Promise<void> {
  const popup = page.waitForEvent('popup');
  await page.getByRole('dialog', { name: dialog }).getByRole('button', { name: 'Sign in' }).click();
  const window = await popup;
  const { email, password } = latchkey.demo.operator;
  await window.locator('input[type=password]').waitFor();
  assert.equal(await window.locator('input[name=identifier]').first().inputValue(), email, 'it knows who is there');
  await window.locator('input[type=password]').fill(password);
  await window.locator('input[type=password]').press('Enter');
}

const STEP_UP = 'Confirm that it’s you';

describe('a dangerous change, long after the sign-in', () => {
  test('waits for another sign-in and continues by itself, with everything that was typed', async () => {
    await app.open('/applications/new');
    await page.getByRole('radio', { name: /Web server/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Storefront');
    await page.getByRole('textbox', { name: 'Redirect addresses' }).fill('https://shop.example/callback');
    clock.advance(STEP_UP_MS);
    await button('Add application').click();
    const dialog = page.getByRole('dialog', { name: STEP_UP });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Storefront', 'nothing is lost'),
    );
    await button('Add application').click();
    await signInFrom(STEP_UP);
    await page.getByRole('dialog', { name: 'Client secret' }).getByText(/^lks_/).waitFor();
    const { items } = await read('/applications');
    const made = items.filter(({ name }: { name: string }) => name === 'Storefront');
    assert.deepEqual(
      made.map(({ redirectUris }: { redirectUris: string[] }) => redirectUris),
      [['https://shop.example/callback']],
      'once, and whole',
    );
  });

  test('does so from a form in a dialog, too', async () => {
    await app.openWorkspace('/team');
    await button('Invite to the team').click();
    await page.getByRole('textbox', { name: 'Email' }).fill('linus@example.com');
    clock.advance(STEP_UP_MS);
    await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
    await signInFrom(STEP_UP);
    await page.getByRole('table', { name: 'Invitations to the team' }).getByText('linus@example.com').waitFor();
    const { items } = await read('/team/invitations');
    assert.equal(items.filter(({ email }: { email: string }) => email === 'linus@example.com').length, 1);
  });
});

test('a session that ends while a form is open in a dialog is renewed, and the form continues with everything that was typed', async () => {
  await app.open('/members');
  await button('Add member').click();
  await page.getByRole('textbox', { name: 'Email' }).fill('added@example.com');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Wilma Added');
  // The session ends after two hours without a request.
  clock.advance(7_300_000);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  // The auth host still has a session, so the window closes by itself; adding a member requires a step-up.
  const popup = page.waitForEvent('popup');
  await page.getByRole('dialog', { name: 'Your session has expired' }).getByRole('button', { name: 'Sign in' }).click();
  await popup;
  await signInFrom(STEP_UP);
  await said(page, 'Member added');
  await page.getByRole('heading', { level: 1, name: 'Wilma Added' }).waitFor();
  const { items } = await read('/members?q=added@example.com');
  assert.deepEqual(
    items.map(({ displayName }: { displayName: string }) => displayName),
    ['Wilma Added'],
  );
});
