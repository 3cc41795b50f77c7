import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { faultsInBothThemes } from '#tests/accessibility.ts';
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
  const preview = page.frameLocator('iframe[title="Preview: Sign-in"]');
  await preview.locator('input[name=identifier]').waitFor();

  await page.getByRole('textbox', { name: 'Accent colour' }).fill('#a02060');
  await page.getByRole('textbox', { name: 'Logo address' }).fill(LOGO);
  await page.getByRole('textbox', { name: 'Footer text' }).fill('Ask the shop for help.');
  await preview.getByText('Ask the shop for help.').waitFor();
  await preview.locator(`img[src="${LOGO}"]`).waitFor({ state: 'attached' });
  await preview.locator('xpath=//style[contains(., "--accent:#a02060")]').waitFor({ state: 'attached' });
  const asBefore = await signIn();
  assert.match(asBefore, /name="identifier"/);
  assert.doesNotMatch(asBefore, /#a02060|Ask the shop|logo\.svg/, 'nobody else sees it yet');

  await page.getByRole('combobox', { name: 'Font' }).selectOption('Serif');
  await preview.locator('xpath=//style[contains(., "--font:Charter")]').waitFor({ state: 'attached' });
  await page.getByRole('combobox', { name: 'Language of the preview' }).selectOption('Arabic');
  await preview.locator('html[lang=ar][dir=rtl]').waitFor();

  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await said(page, 'Settings saved');
  const changed = await signIn();
  assert.match(changed, /--accent:#a02060/);
  assert.match(changed, /Ask the shop for help\./);
  assert.ok(changed.includes(`src="${LOGO}"`));
  const { branding } = (await app.operator.call('/console/v1/settings')).body;
  assert.deepEqual(
    [branding.accentColor, branding.logoUrl, branding.text, branding.font],
    ['#a02060', LOGO, 'Ask the shop for help.', 'serif'],
  );
});

test('an uploaded logo is shown in the preview in both themes, and a file that is none is refused', async () => {
  const app = await openConsole(latchkey, browser);
  const { page } = app;
  await app.open('/branding');
  const preview = page.frameLocator('iframe[title="Preview: Sign-in"]');
  const choose = (use: string, buffer: Buffer) =>
    page.getByLabel(`${use}: file`, { exact: true }).setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
  const png = (background: string) =>
    sharp({ create: { width: 120, height: 40, channels: 3, background } })
      .png()
      .toBuffer();
  await choose('Logo', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  await page.getByText('SVG is not accepted').waitFor();
  await choose('Logo', await png('#a02060'));
  await said(page, 'Logo uploaded');
  await choose('Logo in the dark theme', await png('#f0a0c0'));
  await said(page, 'Logo in the dark theme uploaded');
  const { body } = await app.operator.call('/console/v1/branding/images');
  assert.deepEqual([body.logo.width, body.logo.height], [120, 40]);
  await preview.locator(`img[src="${body.logo.url}"]`).waitFor();
  await page.getByText('Dark', { exact: true }).click();
  await preview.locator(`img[src="${body.darkLogo.url}"]`).waitFor();
  for (const use of ['Logo in the dark theme', 'Logo']) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    await page.getByRole('button', { name: `Remove ${use}`, exact: true }).click();
    await said(page, `${use} removed`);
  }
  await preview.locator('input[name=identifier]').waitFor();
  await preview.locator(`img[src="${body.darkLogo.url}"]`).waitFor({ state: 'detached' });
  await page.close();
});

test('a style sheet is checked while it is typed, previewed on every page, and saved', async () => {
  const app = await openConsole(latchkey, browser);
  const { page } = app;
  await app.open('/branding');
  const editor = page.getByRole('textbox', { name: 'Style sheet (CSS)' });
  const shown = page.getByRole('combobox', { name: 'What the preview shows' });
  await editor.fill('.title { text-transform: uppercase }\n.card { position: fixed }');
  const faults = page.getByRole('status', { name: 'Faults of the style sheet' });
  await faults.getByText('position is refused for .card').waitFor();
  await faults.getByRole('button', { name: 'Line 2, column 9' }).click();
  assert.equal(await editor.evaluate((field) => Object(field).selectionStart), 45);
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('line 2, column 9: position is refused').waitFor();

  await editor.fill('.title { text-transform: uppercase }');
  await faults.getByText('position is refused').waitFor({ state: 'detached' });
  assert.deepEqual(await faultsInBothThemes(page), []);
  const labels = await shown.locator('option').allTextContents();
  assert.ok(labels.length > 50, labels.join());
  for (const label of ['Consent', 'Recovery codes', 'Link of an invitation', 'Devices and applications', 'Error']) {
    // biome-ignore lint/performance/noAwaitInLoops: one page after the other
    await shown.selectOption(label);
    const title = page.frameLocator(`iframe[title="Preview: ${label}"]`).locator('h1');
    await title.waitFor();
    assert.equal(
      await title.evaluate((heading) => Object(globalThis).getComputedStyle(heading).textTransform),
      'uppercase',
      label,
    );
  }
  await shown.selectOption('Magic link');
  await page.frameLocator('iframe[title="Preview: Magic link"]').locator('a[style*="background"]').waitFor();
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await said(page, 'Settings saved');
  assert.match(
    (await browserOf(latchkey).open((await codeFlow(latchkey)).url)).text,
    /@layer custom\{[^<]*h1\{text-transform:uppercase\}/,
  );
  await page.close();
});

test('the branding of an organization is edited with a preview of the sign-in page and of the invitation', async () => {
  const app = await openConsole(latchkey, browser);
  const { page } = app;
  const { body: organization } = await app.operator.call('/console/v1/organizations', { body: { name: 'Acme' } });
  await app.open(`/organizations/${organization.id}/branding`);
  const signIn = page.frameLocator('iframe[title="Preview: Sign-in"]');
  await page.getByRole('textbox', { name: 'Name shown' }).fill('Acme Works');
  await page.getByRole('textbox', { name: 'Accent colour' }).fill('#a02060');
  await signIn.getByText('Acme Works', { exact: true }).waitFor();
  await signIn.locator('xpath=//style[contains(., "--accent:#a02060")]').waitFor({ state: 'attached' });
  await page.getByRole('combobox', { name: 'What the preview shows' }).selectOption('Invitation');
  const mail = page.frameLocator('iframe[title="Preview: Invitation"]');
  await mail.getByText('Acme Works', { exact: true }).waitFor();
  await mail.locator('a[style*="background:#a02060"]').waitFor();

  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await said(page, 'Branding saved');
  const { body } = await app.operator.call(`/console/v1/organizations/${organization.id}/branding`);
  assert.deepEqual(body, { name: 'Acme Works', logoUrl: null, accentColor: '#a02060', backgroundColor: null });
});
