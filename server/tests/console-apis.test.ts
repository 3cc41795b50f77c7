import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { openConsole } from '#tests/console-app.ts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

test('an API is added with scopes, granted to an application, shown there, and removed', async () => {
  const { page, operator, open } = await openConsole(latchkey, browser);
  const read = async (path: string) => (await operator.call(`/console/v1${path}`)).body;
  await open('/apis');
  await page.getByRole('button', { name: 'Add API' }).click();
  await page.getByLabel('Name').fill('Invoices');
  await page.getByLabel('Identifier').fill('not a URI');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(/must match pattern|must be an absolute URI/).waitFor();
  await page.getByLabel('Identifier').fill('https://invoices.example');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  await page.getByText('No scopes yet').waitFor();
  await page.getByText('No application uses it yet').waitFor();

  await page.getByRole('button', { name: 'Add scope' }).click();
  await page.getByRole('textbox', { name: 'Scope', exact: true }).fill('invoices:read');
  await page.getByLabel('Description').fill('See your invoices');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('API saved').waitFor();
  const [api] = (await read('/apis?limit=1')).items;
  assert.deepEqual(api.scopes, [{ name: 'invoices:read', description: 'See your invoices' }]);

  const { items } = await read('/applications');
  const demo = items.find(({ name }: { name: string }) => name === 'Demo app');
  await open(`/applications/${demo.id}`);
  await page.getByLabel('Invoices', { exact: true }).check();
  await page.getByRole('combobox', { name: 'Scopes of Invoices' }).click();
  await page.getByRole('option', { name: 'invoices:read' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Application saved').waitFor();
  const granted = (await read(`/applications/${demo.id}`)).apis;
  assert.deepEqual(
    granted.find(({ identifier }: { identifier: string }) => identifier === 'https://invoices.example'),
    { identifier: 'https://invoices.example', scopes: ['invoices:read'], machineScopes: [] },
  );

  await open(`/apis/${api.id}`);
  await page.getByRole('link', { name: 'Demo app' }).waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Invoices');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await eventually(async () => assert.equal((await operator.call(`/console/v1/apis/${api.id}`)).status, 404));
});
