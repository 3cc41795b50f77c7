import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, expectShown, faultsOf, openConsole, said as saidOn, shown } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { teammate } from '#tests/operators.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const said = (text: string | RegExp) => saidOn(page, text);
const read = async (path: string) => (await app.operator.call(`/console/v1${path}`)).body;

describe('people', () => {
  test('a member is found by name, opened by keyboard, blocked and unblocked', async () => {
    const { email } = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
    await app.open('/members');
    await page.getByRole('searchbox', { name: 'Name, email, phone or id' }).fill('ada');
    await page.waitForURL(/\?q=ada/);
    await page.getByRole('link', { name: 'Ada Lovelace' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    await button('Block').click();
    await inDialog('Block').waitFor();
    assert.deepEqual(await faultsOf(page), [], 'the question passes axe-core');
    await inDialog('Block').click();
    await said('Ada Lovelace is blocked');
    assert.equal((await read(`/members?q=${encodeURIComponent(email)}`)).items[0].status, 'blocked');
    await button('Unblock').click();
    await button('Block').waitFor();
    assert.equal((await read(`/members?q=${encodeURIComponent(email)}`)).items[0].status, 'active');
  });

  test('removing a member requires typing the name', async () => {
    const { email } = await register(latchkey, { profile: { displayName: 'Joan Clarke' } });
    await app.open('/members?q=joan');
    await page.getByRole('link', { name: 'Joan Clarke' }).click();
    await button('Remove').click();
    await eventually(async () => assert.ok(await inDialog('Remove').isDisabled()));
    await page.getByRole('dialog').getByRole('textbox').fill('Joan Clarke');
    await inDialog('Remove').click();
    await said('Joan Clarke is removed');
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    assert.deepEqual((await read(`/members?q=${encodeURIComponent(email)}`)).items, []);
  });

  test('a member is added, with faults shown beside their fields', async () => {
    await app.open('/members');
    await button('Add member').click();
    await page.getByRole('textbox', { name: 'Phone' }).fill('12');
    await inDialog('Add').click();
    await page.getByRole('textbox', { name: 'Phone' }).and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByRole('textbox', { name: 'Phone' }).fill('');
    await page.getByRole('textbox', { name: 'Email' }).fill('added@example.com');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Wilma Added');
    await inDialog('Add').click();
    await page.getByRole('heading', { level: 1, name: 'Wilma Added' }).waitFor();
    assert.equal((await read('/members?q=added@example.com')).items[0].displayName, 'Wilma Added');
  });

  test('a member is invited, and the invitation revoked', async () => {
    await app.open('/invitations');
    await button('Invite a member').first().click();
    await page.getByRole('textbox', { name: 'Email' }).fill('grace@example.com');
    await inDialog('Invite').click();
    await button('Revoke the invitation to grace@example.com').click();
    await inDialog('Revoke').click();
    await said('Invitation revoked');
    assert.equal((await read('/invitations')).items[0].status, 'revoked');
  });

  test('a role is added and given a permission in the matrix', async () => {
    await app.open('/roles');
    await button('Add role').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Clerk');
    await page.getByRole('textbox', { name: 'Key' }).fill('clerk');
    await inDialog('Add').click();
    await page.getByRole('checkbox', { name: 'Clerk: members:read' }).check();
    await button('Save Clerk').click();
    await said('Clerk changed');
    const { items } = await read('/roles');
    assert.deepEqual(items.find(({ key }: { key: string }) => key === 'clerk').permissions, ['members:read']);
  });
});

describe('sign-in', () => {
  test('an application is added: its secret is shown once, and its code contains its client id', async () => {
    await app.open('/applications/new');
    await page.getByRole('radio', { name: /Web server/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Storefront');
    await page.getByRole('textbox', { name: 'Redirect addresses' }).fill('https://shop.example/callback');
    await button('Add application').click();
    await page.getByRole('dialog').getByText(/^lks_/).waitFor();
    await inDialog('I have saved it').click();
    await page.getByRole('heading', { level: 1, name: 'Storefront' }).waitFor();
    await shown(page);
    const { items } = await read('/applications');
    const [{ clientId, redirectUris }] = items.filter(({ name }: { name: string }) => name === 'Storefront');
    assert.deepEqual(redirectUris, ['https://shop.example/callback']);
    await page
      .locator('pre', { hasText: `LATCHKEY_CLIENT_ID=${clientId}` })
      .first()
      .waitFor();
    await eventually(async () => assert.equal(await page.getByText('lks_').count(), 0));
  });

  test('a policy is changed immediately in test, and after one confirmation in production', async () => {
    await app.open('/sign-in');
    await page.getByRole('switch', { name: 'Open registration' }).click({ force: true });
    await button('Save').click();
    await said('Settings saved');
    assert.equal((await read('/settings')).registration, 'closed');
    await app.open('/sign-in', 'production');
    await page.getByRole('switch', { name: 'Open registration' }).click({ force: true });
    await button('Save').click();
    await page.getByRole('dialog', { name: 'Change production?' }).waitFor();
    await inDialog('Cancel').click();
    await page.getByText('1 unsaved change').waitFor();
    await button('Save').click();
    await inDialog('Change production').click();
    await said('Settings saved');
  });

  test('a message is edited beside its preview', async () => {
    await app.open('/messages/verify_email');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Hello from {project}');
    await page.getByText('Hello from Shop').waitFor();
    await button('Save').click();
    await expectShown(page.getByText('Custom').first());
  });
});

describe('webhooks', () => {
  test('an endpoint is added, a test sent, and its delivery is in the log', async () => {
    await app.open('/webhooks');
    await button('Add endpoint').first().click();
    await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/hooks');
    await inDialog('Add').click();
    await page.getByRole('dialog').getByText('whsec_').waitFor();
    await inDialog('I have saved it').click();
    await page.getByRole('heading', { level: 1, name: 'http://127.0.0.1:9/hooks' }).waitFor();
    await button('Send test').click();
    await said('Test event');
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click();
    await expectShown(page.getByRole('heading', { level: 2, name: 'Attempts' }));
  });
});

describe('the workspace', () => {
  test('a new project shows the first steps, and checks one off when it is done', async () => {
    await app.openWorkspace('/projects');
    await button('Add project').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Newsletter');
    await inDialog('Add').click();
    await page.getByRole('heading', { level: 2, name: 'First steps' }).waitFor();
    await expectShown(page.getByRole('button', { name: /Change workspace or project/ }).getByText('Newsletter'));
    await expectShown(page.getByText('0 of 5 done'));
    const application = page.getByRole('listitem').filter({ hasText: 'Add your application' });
    await application.getByRole('link').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reader');
    await button('Add application').click();
    await page.getByRole('heading', { level: 1, name: 'Reader' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await expectShown(page.getByText('1 of 5 done'));
    await expectShown(application.getByText('(done)'));
  });

  test('a team member is invited', async () => {
    await app.openWorkspace('/team');
    await button('Invite to the team').click();
    await page.getByRole('textbox', { name: 'Email' }).fill('linus@example.com');
    await inDialog('Invite').click();
    await expectShown(page.getByRole('table', { name: 'Invitations to the team' }).getByText('linus@example.com'));
  });
});

describe('domains and status', () => {
  test('a domain is added and shows the record that verifies it', async () => {
    await app.open('/domains');
    await button('Add domain').first().click();
    await page.getByRole('textbox', { name: 'Domain' }).fill('login.example.com');
    await inDialog('Add').click();
    await page.getByRole('heading', { level: 1, name: 'login.example.com' }).waitFor();
    await expectShown(page.getByText('_latchkey-verification.login.example.com'));
  });

  test('an incident is published and updated', async () => {
    await app.open('/status');
    await button('Report an incident').click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Mail delivery is delayed');
    await page.getByRole('textbox', { name: 'Message' }).fill('We are looking into it.');
    await inDialog('Publish').click();
    await page
      .getByRole('dialog', { name: /^Publish “/ })
      .getByRole('button', { name: 'Publish' })
      .click();
    await said('Incident published');
    await page.getByRole('link', { name: 'Mail delivery is delayed' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('A queue was stuck; it moves again.');
    await button('Publish').click();
    await inDialog('Publish').click();
    await expectShown(page.getByText('A queue was stuck; it moves again.').last());
  });
});

describe('the SMS add-on', () => {
  test('a tier is subscribed to after its price was shown, and cancelled by typing its name', async () => {
    await app.open('/sms');
    await button('Subscribe to Growth').click();
    await page.getByRole('dialog').getByText('$49.00 a month').waitFor();
    await inDialog('Subscribe').click();
    await said('Subscribed to Growth');
    assert.equal((await read('/billing/addons/sms/status')).status, 'active');
    await button('Cancel').click();
    await page.getByRole('dialog').getByRole('textbox').fill('Growth');
    await inDialog('Cancel the add-on').click();
    await said('The add-on ends with the period');
    assert.equal((await read('/billing/addons/sms/status')).cancelAtPeriodEnd, true);
  });
});

describe('navigation in the console', () => {
  test('the palette opens a screen and finds a member by keyboard only', async () => {
    await app.open('');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('webh');
    assert.deepEqual(await faultsOf(page), [], 'the palette passes axe-core');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('ada');
    await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
  });

  test('the environment changes on the same screen, and its name is always visible', async () => {
    await app.open('/webhooks/deliveries');
    await page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'Production' }).click();
    await page.waitForURL(/\/production\/webhooks$/);
    await expectShown(page.locator('[data-environment=production][data-current=true]'));
  });

  test('leaving a changed form asks for confirmation', async () => {
    await app.open('/settings');
    await page.getByRole('textbox', { name: 'Passkey domain' }).fill('example.com');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Members' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await inDialog('Cancel').click();
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Passkey domain' }).inputValue(), 'example.com'),
    );
    await button('Discard').click();
  });

  test('two operators edit the same settings: the second sees the changes, and nothing is overwritten', async () => {
    await app.open('/settings');
    await page.getByRole('textbox', { name: 'Passkey domain' }).fill('example.com');
    const colleague = await teammate(latchkey, 'admin');
    const theirs = await colleague.call('/console/v1/settings', { method: 'PATCH', body: { webhookLogDays: 60 } });
    assert.equal(theirs.status, 200, theirs.text);
    await button('Save').click();
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this record' });
    await dialog.getByRole('row', { name: 'webhookLogDays 60 not changed' }).waitFor();
    assert.equal((await read('/settings')).passkeyRpId, null);
    await inDialog('Keep mine').click();
    await button('Save').click();
    await said('Settings saved');
    const { passkeyRpId, webhookLogDays } = await read('/settings');
    assert.deepEqual({ passkeyRpId, webhookLogDays }, { passkeyRpId: 'example.com', webhookLogDays: 60 });
  });

  test('an analyst gets no link to members, and sees which permission is missing', async () => {
    const operator = await teammate(latchkey, 'analyst');
    const theirs = await openConsole(latchkey, browser, { operator });
    await theirs.open('/members');
    await theirs.page.getByText('You don’t have access').waitFor();
    await theirs.page.getByText('members:read').waitFor();
    const screens = theirs.page.getByRole('navigation', { name: 'Screens' });
    await eventually(async () => assert.equal(await screens.getByRole('link', { name: 'Members' }).count(), 0));
    await theirs.context.close();
  });

  test('a session that ends during work is renewed in a separate window, and nothing typed is lost', async () => {
    await app.open('/settings');
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop of tomorrow');
    await app.operator.call('/console/v1/session/sign-out', { method: 'POST' });
    const popup = page.waitForEvent('popup');
    await button('Save').first().click();
    await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor();
    await inDialog('Sign in').click();
    await signInIn(await popup);
    await said('Project saved');
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Shop of tomorrow'),
    );
  });
});

async function signInIn(window: Page): Promise<void> {
  const { email, password } = latchkey.demo.operator;
  assert.equal(await window.locator('input[name=identifier]').first().inputValue(), email);
  await window.locator('input[type=password]').fill(password);
  await window.locator('input[type=password]').press('Enter');
}
