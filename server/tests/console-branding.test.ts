import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { openConsole, said } from '#tests/console-app.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const LOGO = 'https://shop.example/logo.svg';

test('the preview of the sign-in page follows the form; the page itself changes when it is saved', async () => {
  const app = await openConsole(latchkey, browser);
  const { page } = app;
  const signIn = async () => (await browserOf(latchkey).open((await codeFlow(latchkey)).url)).text;
  await app.open('/branding');
  const preview = page.frameLocator('iframe[title="Preview of the sign-in page"]');
  await preview.locator('input[name=identifier]').waitFor();

  await page.getByRole('textbox', { name: 'Accent colour' }).fill('#a02060');
  await page.getByRole('textbox', { name: 'Logo address' }).fill(LOGO);
  await page.getByRole('textbox', { name: 'Footer text' }).fill('Ask the shop for help.');
  await preview.getByText('Ask the shop for help.').waitFor();
  await preview.locator(`img[src="${LOGO}"]`).waitFor({ state: 'attached' });
  await preview.locator('xpath=//style[contains(., "--accent:light-dark(#a02060")]').waitFor({ state: 'attached' });
  const asBefore = await signIn();
  assert.match(asBefore, /name="identifier"/);
  assert.doesNotMatch(asBefore, /#a02060|Ask the shop|logo\.svg/, 'nobody else sees it yet');

  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await said(page, 'Settings saved');
  const changed = await signIn();
  assert.match(changed, /--accent:light-dark\(#a02060/);
  assert.match(changed, /Ask the shop for help\./);
  assert.ok(changed.includes(`src="${LOGO}"`));
  const { branding } = (await app.operator.call('/console/v1/settings')).body;
  assert.deepEqual(
    [branding.accentColor, branding.logoUrl, branding.text],
    ['#a02060', LOGO, 'Ask the shop for help.'],
  );
});

test('the branding of an organization is edited with a preview of the sign-in page and of the invitation', async () => {
  const app = await openConsole(latchkey, browser);
  const { page } = app;
  const { body: organization } = await app.operator.call('/console/v1/organizations', { body: { name: 'Acme' } });
  await app.open(`/organizations/${organization.id}/branding`);
  const signIn = page.frameLocator('iframe[title="Preview of the sign-in page"]');
  await page.getByRole('textbox', { name: 'Name shown' }).fill('Acme Works');
  await page.getByRole('textbox', { name: 'Accent colour' }).fill('#a02060');
  await signIn.getByText('Acme Works', { exact: true }).waitFor();
  await signIn.locator('xpath=//style[contains(., "--accent:light-dark(#a02060")]').waitFor({ state: 'attached' });
  await page.getByText('Invitation', { exact: true }).click();
  const mail = page.frameLocator('iframe[title="Preview of the invitation"]');
  await mail.getByText('Acme Works', { exact: true }).waitFor();
  await mail.locator('a[style*="background:#a02060"]').waitFor();

  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await said(page, 'Branding saved');
  const { body } = await app.operator.call(`/console/v1/organizations/${organization.id}/branding`);
  assert.deepEqual(body, { name: 'Acme Works', logoUrl: null, accentColor: '#a02060', backgroundColor: null });
});
