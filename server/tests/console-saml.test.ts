import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { newServiceKey } from '#saml';
import { openBrowser } from '#tests/browser.ts';
import { openConsole } from '#tests/console-app.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { providerMetadata } from '#tests/saml-provider.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let receiver: Receiver;
before(async () => {
  [latchkey, browser, receiver] = await Promise.all([startTestLatchkey(), openBrowser(), startReceiver()]);
});
after(async () => {
  await Promise.all([browser.close(), receiver.stop()]);
  await latchkey.stop();
});

test('a connection by SAML is added by the address of metadata, and shows what the identity provider needs', async () => {
  const { certificate } = await newServiceKey('provider', new Date());
  const entityId = 'https://idp.example.com';
  const metadata = providerMetadata({ entityId, signOn: `${entityId}/sso`, certificates: [certificate] });
  receiver.on('/metadata', respondWith(200, {}, metadata));
  const { page, operator, open } = await openConsole(latchkey, browser);
  const { body: organization } = await operator.call('/console/v1/organizations', { body: { name: 'Acme' } });

  await open(`/organizations/${organization.id}/connections`);
  await page.getByRole('button', { name: 'Add connection' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Acme IdP');
  await dialog.getByText('SAML', { exact: true }).click();
  await dialog.getByLabel('Metadata address').fill(`${receiver.origin}/metadata`);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Acme IdP' }).waitFor();
  const list = await operator.call(`/console/v1/organizations/${organization.id}/connections`);
  const [{ id, kind }] = list.body.items;
  assert.equal(kind, 'saml');
  await page.getByText(`urn:latchkey:connection:${id}`).waitFor();
  await page.getByText(`${entityId}/sso`).waitFor();
  await page.getByText('No response yet.').waitFor();
  assert.equal(await page.getByLabel('Issuer').count(), 0);
});
