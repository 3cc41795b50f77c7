import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, expectShown, faultsOf, openConsole, said } from '#tests/console-app.ts';
import { startDns, type TestDns } from '#tests/domains.ts';
import { newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { teammate } from '#tests/operators.ts';
import { newDirectory, type TestDirectory } from '#tests/scim.ts';

let latchkey: TestLatchkey;
let dns: TestDns;
let browser: Browser;
let app: ConsoleApp;
let directory: TestDirectory;
let upstream: Issuer;
before(async () => {
  [dns, browser, upstream] = await Promise.all([startDns(), openBrowser(), startIssuer()]);
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_DNS_SERVERS: dns.address } });
  directory = await newDirectory(latchkey);
  await directory.admin('organization-roles', { body: { key: 'staff', name: 'Staff' } });
  app = await openConsole(latchkey, browser, { colorScheme: 'dark' });
});
after(async () => {
  await browser.close();
  await latchkey.stop();
  await upstream.stop();
  dns.stop();
});

/** Notices may cover what a pointer would reach, so the tests use the keyboard. */
const button = (name: string) => app.page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => app.page.getByRole('dialog').getByRole('button', { name, exact: true });
/** Waits until the dialog is gone and has returned the focus, which would otherwise move during a key press. */
const dialogClosed = () => app.page.getByRole('dialog').waitFor({ state: 'detached' });
const tab = (name: string) =>
  app.page.getByRole('navigation', { name: 'Acme' }).getByRole('link', { name, exact: true });
async function faultsOnPhone(): Promise<string[]> {
  await app.page.setViewportSize({ width: 390, height: 900 });
  const faults = await faultsOf(app.page);
  await app.page.setViewportSize({ width: 1440, height: 900 });
  return faults;
}
const read = async (path: string) => (await directory.admin(`organizations/${directory.organizationId}${path}`)).body;

test('a mail domain is added, verified, joined by and removed, and limits invitations', async () => {
  const { page } = app;
  await app.open(`/organizations/${directory.organizationId}`);
  await tab('Domains').press('Enter');
  await page.getByText('No mail domains yet').waitFor();
  await button('Add domain').press('Enter');
  await page.getByRole('dialog').getByLabel('Domain').fill('gmail.com');
  await inDialog('Add').press('Enter');
  await page.getByText(/is a mail service/).waitFor();
  await page.getByRole('dialog').getByLabel('Domain').fill(' ACME.example ');
  await inDialog('Add').press('Enter');
  await page.getByRole('heading', { level: 1, name: 'acme.example' }).waitFor();
  const [{ verification }] = (await read('/domains')).items;
  await page.getByText(verification.value, { exact: true }).waitFor();

  await button('Check now').press('Enter');
  await said(page, /Expected a TXT record/);
  await page.getByRole('definition').filter({ hasText: 'no TXT record' }).waitFor();
  dns.zone.set(verification.name, [[verification.value]]);
  await button('Check now').press('Enter');
  await page.getByText('Keep this record').waitFor();

  await button('Change').press('Enter');
  await page.getByLabel('Add people at sign-in').press('Space');
  await page.getByLabel('Staff').press('Space');
  assert.equal(await page.getByLabel('Owner').count(), 0, 'nobody becomes an owner by a domain');
  await inDialog('Save').press('Enter');
  await page.getByText('At sign-in, with a verified address').waitFor();
  await dialogClosed();
  const [{ autoJoin, roles }] = (await read('/domains')).items;
  assert.deepEqual([autoJoin, roles], [true, ['staff']]);
  await page.getByRole('button', { name: /^Undo/ }).press('Enter');
  await page.getByText('By invitation only').waitFor();
  assert.deepEqual(await faultsOnPhone(), []);

  await page.getByRole('link', { name: 'Mail domains' }).press('Enter');
  await page.getByRole('link', { name: 'acme.example' }).waitFor();
  await page.getByLabel('Invite only addresses at verified mail domains').press('Space');
  await button('Save').press('Enter');
  await said(page, 'Organization saved');
  assert.equal((await read('')).invitesVerifiedDomainsOnly, true);
  assert.deepEqual(await faultsOnPhone(), []);

  await page.getByRole('link', { name: 'acme.example' }).press('Enter');
  await button('Remove').press('Enter');
  await page.getByRole('dialog').getByRole('textbox').fill('acme.example');
  await inDialog('Remove').press('Enter');
  await page.getByText('No mail domains yet').waitFor();
  assert.deepEqual((await read('/domains')).items, []);
});

test('a connection is added, tested, enabled and removed', async () => {
  const { page } = app;
  const path = `/organizations/${directory.organizationId}`;
  await app.open(path);
  await tab('Connections').press('Enter');
  await page.getByText('No connections yet').waitFor();
  await button('Add connection').press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Acme login');
  await dialog.getByLabel('Issuer').fill(upstream.issuer);
  await dialog.getByLabel('Client id').fill('latchkey');
  await inDialog('Add').press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Acme login' }).waitFor();
  const [{ id, callbackUrl }] = (await read('/connections')).items;
  await page.getByText(callbackUrl, { exact: true }).waitFor();
  await button('Test now').press('Enter');
  await page.getByText('Test succeeded').waitFor();
  await page.getByLabel('Enabled').press('Space');
  await page.getByLabel('Add people at sign-in').press('Space');
  await page.getByLabel('Staff').press('Space');
  await page.getByLabel('Required').press('Space');
  await button('Save').press('Enter');
  await said(page, 'Connection saved');
  const { status, required, justInTime, roles } = await read(`/connections/${id}`);
  assert.deepEqual([status, required, justInTime, roles], ['enabled', true, true, ['staff']]);
  assert.deepEqual(await faultsOnPhone(), []);
  await button('Remove').press('Enter');
  await page.getByRole('dialog').getByRole('textbox').fill('Acme login');
  await inDialog('Remove').press('Enter');
  await page.getByText('No connections yet').waitFor();
  assert.deepEqual((await read('/connections')).items, []);
});

test('a directory gets its address and a token, its groups get roles, and its log is filtered', async () => {
  const { page } = app;
  const email = newEmail();
  const ada = await directory.addUser(email);
  await directory.addGroup('Clerks', [ada]);
  assert.equal((await directory.scim('POST', '/Users', { userName: email })).status, 409);
  await app.open(`/organizations/${directory.organizationId}`);
  await tab('Directory').press('Enter');
  await page.getByText(`${latchkey.system.config.addresses.test.api}/scim/v2`, { exact: true }).waitFor();

  await button('Issue token').press('Enter');
  await page.getByRole('dialog').getByLabel('Name').fill('Okta');
  await inDialog('Issue').press('Enter');
  const secret = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
  await button('I have saved it').press('Enter');
  await dialogClosed();
  await button('Issue token').and(page.locator(':focus')).waitFor();
  await page.getByRole('cell', { name: 'Okta', exact: true }).waitFor();
  assert.ok(!(await page.content()).includes(secret), 'the token is shown once');
  const withIt = () => latchkey.api('/scim/v2/Users', { token: secret });
  assert.equal((await withIt()).status, 200);

  await button('Roles of Clerks').press('Enter');
  await page.getByLabel('Staff').press('Space');
  await inDialog('Save').press('Enter');
  await page.getByRole('table', { name: 'Groups' }).getByText('Staff').waitFor();
  await dialogClosed();
  assert.deepEqual((await read('/scim/groups')).items[0].roles, ['staff']);
  assert.deepEqual((await read('/members')).items[0].roles, ['staff']);
  assert.deepEqual(await faultsOnPhone(), []);

  await button('Remove the token Okta').press('Enter');
  await inDialog('Remove').press('Enter');
  await page.getByRole('cell', { name: 'Okta', exact: true }).waitFor({ state: 'detached' });
  assert.equal((await withIt()).status, 401);

  await tab('Provisioning log').press('Enter');
  const added = page.getByRole('cell', { name: 'The account was created.', exact: true });
  await added.waitFor();
  await page.getByText('Add group Clerks').waitFor();
  await page.getByRole('combobox', { name: 'Outcome' }).click();
  await page.getByRole('option', { name: 'Refused' }).click();
  await added.waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'Another user has this userName.', exact: true }).waitFor();
  assert.equal(await page.getByRole('row', { name: `Add user ${email}` }).count(), 1);
  assert.deepEqual(await faultsOnPhone(), []);
});

test('a viewer sees the domains and the directory of an organization, without buttons that change them', async () => {
  const { body: domain } = await directory.admin(`organizations/${directory.organizationId}/domains`, {
    body: { host: 'viewed.example' },
  });
  const { page, open } = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'viewer') });
  const path = `/organizations/${directory.organizationId}`;
  const changes = page.getByRole('main').getByRole('button', { name: /^(Add|Issue|Remove|Roles|Change|Check)/ });
  for (const [screen, text] of [
    [`${path}/domains`, 'viewed.example'],
    [`${path}/domains/${domain.id}`, 'Verify ownership'],
    [`${path}/directory`, 'Clerks'],
  ] as const) {
    // biome-ignore lint/performance/noAwaitInLoops: one page, one screen after the other
    await open(screen);
    await expectShown(page.getByText(text, { exact: true }).first());
    assert.equal(await changes.count(), 0, screen);
  }
});
