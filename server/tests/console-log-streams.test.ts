import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole, said } from '#tests/console-app.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { selfSigned, startSyslog } from '#tests/syslog-server.ts';

const own = selfSigned('localhost');
let latchkey: TestLatchkey;
let browser: Browser;
let receiver: Receiver;
let app: ConsoleApp;
before(async () => {
  [latchkey, browser, receiver] = await Promise.all([startTestLatchkey(), openBrowser(), startReceiver()]);
  app = await openConsole(latchkey, browser);
});
after(async () => {
  await browser.close();
  await Promise.all([latchkey.stop(), receiver.stop()]);
});

test('a log stream is added in the console, which shows that it fails, and gets another address and secret', async () => {
  const { page } = app;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await app.open('/log-streams');
  await button('Add log stream').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Our SIEM');
  await dialog.getByLabel('Address').fill('https://10.0.0.1/collector');
  await dialog.getByLabel('HEC token').fill('splunk-token');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('is not a public address').waitFor();
  receiver.on('/hec', respondWith(503, {}, 'busy'));
  await dialog.getByLabel('Address').fill(`${receiver.origin}/hec`);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'Our SIEM' }).waitFor();
  await page.getByText('Failing', { exact: true }).waitFor();
  assert.deepEqual(await faultsOf(page), []);
  assert.equal(receiver.at('/hec').at(-1)?.headers['authorization'], 'Splunk splunk-token');
  assert.ok(!(await page.content()).includes('splunk-token'));

  const { id } = (await app.operator.call('/console/v1/log-streams')).body.items[0];
  const changes: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(new URL(request.url()).pathname);
  });
  receiver.on('/moved', respondWith(200));
  await button('Change the destination').click();
  await dialog.getByLabel('Address').fill(`${receiver.origin}/moved`);
  await dialog.getByLabel('HEC token').fill('another-token');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await said(page, 'Log stream saved');
  assert.deepEqual(changes, [`/console/v1/log-streams/${id}`], 'the form behind the dialog sends nothing');
  assert.equal((await app.operator.call(`/console/v1/log-streams/${id}`)).body.url, `${receiver.origin}/moved`);
});

test('the team’s log stream is added, tested and paused beside the team', async () => {
  const { page } = app;
  const syslog = await startSyslog(await own);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  // Those of the test before: an address that was refused.
  app.complaints();
  await app.openWorkspace('/team');
  await page.getByRole('navigation', { name: 'Team' }).getByRole('link', { name: 'Log streams' }).click();
  await button('Add log stream').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Syslog over TLS' }).click();
  await dialog.getByLabel('Name').fill('Our SIEM');
  await dialog.getByLabel('Address').fill(syslog.address);
  await dialog.getByLabel('CA certificates').fill((await own).certificate);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'Our SIEM' }).waitFor();
  assert.match(page.url(), /\/team\/log-streams\/lgs_/);
  await page.getByText('CN=localhost, expires').waitFor();
  await button('Send test').click();
  await said(page, 'The destination accepted an example entry');
  assert.deepEqual(await faultsOf(page), []);
  await button('Pause').click();
  await said(page, 'Log stream paused');
  await page.getByText('Paused', { exact: true }).waitFor();
  await button('Change the destination').click();
  await dialog.getByLabel('CA certificates').fill('');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Public authorities', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Log streams', exact: true }).click();
  await page.getByRole('link', { name: 'Our SIEM' }).waitFor();
  assert.deepEqual(app.complaints(), []);
  const actions = syslog.messages.map(({ json }) => json['action']);
  assert.ok(actions.includes('log_stream.created') && actions.includes('log_stream.tested'), actions.join());
  syslog.stop();
});
