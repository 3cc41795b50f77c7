import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { overflowOf } from '#tests/accessibility.ts';
import { openBrowser } from '#tests/browser.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { redirectQuery } from '#tests/saml-messages.ts';
import { authnRequestXml, newServiceProvider } from '#tests/saml-service-provider.ts';

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

test('a browser sends the response to the service provider by itself, and without JavaScript by a button', async () => {
  const consumer = `${receiver.origin}/acs`;
  receiver.on('/acs', respondWith(200, { 'content-type': 'text/html' }, '<h1>Arrived</h1>'));
  const consumers = [{ url: consumer, index: 0 }];
  const name = 'Donaudampfschifffahrtsgesellschaftsverwaltung';
  const provider = await newServiceProvider(latchkey, { consumers }, { name });
  const { email } = await register(latchkey);
  const asked = () =>
    `${provider.own.signOnUrl}?${redirectQuery(authnRequestXml(provider, { with: { AssertionConsumerServiceURL: consumer } }))}`;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(asked());
  await page.fill('input[name=identifier]', email);
  await page.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(consumer);

  const bare = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 390, height: 800 },
    storageState: await context.storageState(),
  });
  const plain = await bare.newPage();
  await plain.goto(asked());
  await plain.getByRole('heading', { name: `Back to ${name}` }).waitFor();
  assert.equal(await overflowOf(plain), 0);
  await plain.getByRole('button', { name: 'Continue' }).click();
  await plain.waitForURL(consumer);
  const sent = receiver.at('/acs').map(({ body }) => new URLSearchParams(String(body)).has('SAMLResponse'));
  assert.deepEqual(sent, [true, true]);
  await Promise.all([context.close(), bare.close()]);
});
