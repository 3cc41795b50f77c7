import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { admin } from '../../../server/tests/apis.ts';
import { addAuthenticator } from '../../../server/tests/browser.ts';
import { codesOf } from '../../../server/tests/factors.ts';
import {
  eventually,
  mailedCode,
  newEmail,
  PASSWORD,
  prove as proven,
  register,
} from '../../../server/tests/harness.ts';
import { prove, startApp } from '../../browser/tests/app.ts';
import {
  alert,
  button,
  enter,
  errorsOf,
  expectClean,
  type Forms,
  menu,
  part,
  personInTwo,
  startForms,
} from './pages.ts';

let forms: Forms;
let latchkey: Forms['latchkey'];
let bundled: Forms['bundled'];
let app: Forms['app'];
let opened: Forms['opened'];
before(async () => {
  forms = await startForms();
  ({ latchkey, bundled, app, opened } = forms);
});
after(() => forms.stop());

async function atAccount(person: { email: string }, context?: BrowserContext): Promise<Page> {
  const page = await opened(app, context);
  await enter(page, person.email);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await part(page, 'Profile').waitFor();
  return page;
}

describe('the account panel', () => {
  test('changes the profile and the password, and exports the data', async () => {
    const person = await register(latchkey);
    const page = await atAccount(person);
    const errors = errorsOf(page);
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await part(page, 'Profile').getByRole('button').click();
    await page.getByText('Your change has been saved.').waitFor();
    await part(page, 'Password').getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another fine password');
    await expectClean(page, errors);
    await part(page, 'Password').getByRole('button', { name: 'Save' }).click();
    await part(page, 'Password').getByRole('button', { name: 'Change' }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download my data').click()]);
    const exported = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(exported.profile.displayName, 'Ada Lovelace');
    const login = { identifier: person.email, password: 'another fine password' };
    assert.equal((await latchkey.auth('/v1/auth/login/password', { body: login })).status, 200);
  });

  test('asks for another proof, goes on after it, and gives up without', async () => {
    const person = await register(latchkey);
    const page = await atAccount(person);
    await latchkey.system.pool.query(
      `update sessions set auth_time = auth_time - interval '1 hour' where user_id = $1`,
      [person.session.userId],
    );
    const setUp = part(page, 'Two-step sign-in').getByRole('listitem').filter({ hasText: 'Authenticator app' });
    await setUp.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
    await dialog.waitFor();
    await expectClean(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await setUp.getByRole('button', { name: 'Set up' }).click();
    await dialog.getByLabel('Password').fill('wrong');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    assert.equal(await alert(page).textContent(), 'The current password is wrong.');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    const secret = (await setUp.locator('code').textContent()) ?? '';
    await expectClean(page);
    await setUp.getByLabel('Code').fill(codesOf(secret, { now: () => new Date() })());
    await setUp.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await expectClean(page);
  });

  test('asks people for whom an organization vouched for a proof of their own, and for no second factor again', async () => {
    const person = await register(latchkey);
    const page = await atAccount(person);
    const setUp = part(page, 'Two-step sign-in').getByRole('listitem').filter({ hasText: 'Authenticator app' });
    await setUp.getByRole('button', { name: 'Set up' }).click();
    const secret = (await setUp.locator('code').textContent()) ?? '';
    await setUp.getByLabel('Code').fill(codesOf(secret, { now: () => new Date() })());
    await setUp.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    // The session of an organization's identity provider, which only a second Latchkey could begin.
    const body = JSON.stringify({ errorCode: 'REAUTHENTICATION_REQUIRED', maxAge: 600, ownProof: true });
    const headers = { 'access-control-allow-origin': app.origin };
    await page.route('**/v1/me/profile/export', (route) => route.fulfill({ status: 401, headers, body }), { times: 2 });
    await button(page, 'Download my data').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
    await dialog.getByLabel('Password').waitFor();
    assert.equal(await button(page, 'Try another way').count(), 0, 'neither the app nor a recovery code');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    // The second response asks again.
    await eventually(async () => assert.equal(await dialog.getByLabel('Password').inputValue(), ''));
    await dialog.getByLabel('Password').fill(PASSWORD);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Confirm' }).click(),
    ]);
    assert.equal(JSON.parse(await readFile(await download.path(), 'utf8')).profile.email, person.email);
  });

  test('ends other sessions, changes the address, leaves an organization and deletes the account', async () => {
    const { person } = await personInTwo(latchkey);
    const page = await atAccount(person);
    await part(page, 'Signed-in devices').getByRole('button', { name: 'Sign out on all other devices' }).click();
    const ask = page.getByRole('group', { name: 'Sign out on all other devices?' });
    await ask.getByRole('button', { name: 'Sign out on all other devices' }).click();
    await eventually(async () =>
      assert.equal((await latchkey.api('/v1/me/profile', { token: person.access_token })).status, 401),
    );
    const address = newEmail();
    const contact = part(page, 'Contact').getByRole('listitem').first();
    await contact.getByRole('button', { name: 'Change' }).click();
    await contact.getByLabel('New email address').fill(address);
    await contact.getByRole('button', { name: 'Send a code' }).click();
    await contact.getByLabel('Code').waitFor();
    await contact.getByLabel('Code').fill(await mailedCode(latchkey, address));
    await contact.getByRole('button', { name: 'Confirm' }).click();
    await contact.getByText(address, { exact: true }).waitFor();
    await button(page, 'Leave: Alpha').click();
    await page
      .getByRole('group', { name: /^Leave Alpha/ })
      .getByRole('button', { name: 'Leave' })
      .click();
    await button(page, 'Leave: Alpha').waitFor({ state: 'detached' });
    await part(page, 'Your data').getByRole('button', { name: 'Delete my account' }).click();
    await page
      .getByRole('group', { name: /^You will be signed out/ })
      .getByRole('button', { name: 'Delete my account' })
      .click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await menu(page).count(), 0);
  });

  test('accepts an invitation, declines another, switches to the organization and leaves it', async () => {
    const person = await proven(latchkey, await register(latchkey));
    const { id: organizationId } = await admin(latchkey, 'organizations', { body: { name: 'Gamma' } });
    const invitation = { email: person.email, organizationId, organizationRoles: ['owner'] };
    await admin(latchkey, 'invitations', { body: invitation });
    const page = await atAccount(person);
    const organizations = part(page, 'Your organizations');
    await organizations.getByText('You are invited').waitFor();
    await expectClean(page);
    const { id: declined } = await admin(latchkey, 'organizations', { body: { name: 'Delta' } });
    await admin(latchkey, 'invitations', { body: { email: person.email, organizationId: declined } });
    await button(page, 'Accept: Gamma').click();
    await button(page, 'Decline: Delta').click();
    await organizations
      .getByRole('group', { name: /^Decline the invitation to Delta/ })
      .getByRole('button', { name: 'Decline' })
      .click();
    await organizations.getByText('You are invited').waitFor({ state: 'detached' });
    await button(page, 'Switch: Gamma').click();
    await organizations.getByText('Current organization').waitFor();
    await expectClean(page);
    const leave = async () => {
      await button(page, 'Leave: Gamma').click();
      await organizations.getByRole('group').getByRole('button', { name: 'Leave' }).click();
    };
    await leave();
    await alert(page).filter({ hasText: 'You are the last owner.' }).waitFor();
    await organizations.getByText('Current organization').waitFor();
    const other = await admin(latchkey, `members?q=${encodeURIComponent((await register(latchkey)).email)}`);
    const owner = { memberId: other.items[0].id, roles: ['owner'] };
    await admin(latchkey, `organizations/${organizationId}/members`, { body: owner });
    await leave();
    await organizations.waitFor({ state: 'detached' });
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await part(page, 'Profile').getByRole('button').click();
    await page.getByText('Your change has been saved.').waitFor();
  });

  test('links an account at a provider in another tab, which the session of this one goes on in, and unlinks it', async () => {
    const person = await register(latchkey);
    const page = await atAccount(person);
    const [tab] = await Promise.all([page.context().waitForEvent('page'), button(page, 'Link Dev provider').click()]);
    assert.equal(await tab.evaluate('opener'), null);
    await tab.fill('input[name=email]', newEmail());
    await tab.keyboard.press('Enter');
    const linked = part(tab, 'Linked accounts');
    await linked.getByRole('button', { name: 'Unlink: Dev provider' }).waitFor();
    assert.equal(tab.url(), `${app.origin}/`);
    await expectClean(tab);
    await tab.close();
    // As when the person is back in this tab.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await button(page, 'Unlink: Dev provider').click();
    await part(page, 'Linked accounts').getByRole('group').getByRole('button', { name: 'Unlink' }).click();
    await button(page, 'Unlink: Dev provider').waitFor({ state: 'detached' });
  });

  test('makes, renames and removes a passkey of this device', async () => {
    const page = await atAccount(await register(latchkey));
    await addAuthenticator(page);
    const passkeys = part(page, 'Passkeys');
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    await passkeys.getByRole('button', { name: /^Rename/ }).click();
    await passkeys.getByLabel('Name of the passkey').fill('My laptop');
    await expectClean(page);
    await passkeys.getByRole('button', { name: 'Save' }).click();
    await passkeys.getByText('My laptop', { exact: true }).waitFor();
    await passkeys.getByRole('button', { name: /^Remove/ }).click();
    await expectClean(page);
    await passkeys.getByRole('group').getByRole('button', { name: 'Remove' }).click();
    await passkeys.getByText('You have no passkeys yet.').waitFor();
  });

  test('serves people who signed in by the hosted pages, whose session goes on after a proof', async (t) => {
    const hosted = await startApp(latchkey, { sdk: bundled.sdk, html: bundled.html('start') });
    t.after(hosted.stop);
    const person = await register(latchkey);
    const page = await opened({ ...hosted, origin: `${hosted.origin}/account` });
    const errors = errorsOf(page);
    const exchanges: string[] = [];
    page.on('request', (request) => {
      if (/switch-context$/.test(request.url()) && request.method() === 'POST') exchanges.push(request.url());
    });
    await button(page, 'Sign in').click();
    await prove(page, person);
    await part(page, 'Profile').waitFor();
    assert.equal(exchanges.length, 1, 'all parts share one session of the API');
    await latchkey.system.pool.query(
      `update sessions set auth_time = auth_time - interval '1 hour' where user_id = $1`,
      [person.session.userId],
    );
    await button(page, 'Sign out on all other devices').click();
    await page.getByRole('group').getByRole('button', { name: 'Sign out on all other devices' }).click();
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await part(page, 'Profile').getByRole('button').click();
    await page.getByText('Your change has been saved.').waitFor();
    await page.reload();
    await part(page, 'Profile').waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ada Lovelace');
    // Chromium logs that a proof was asked for.
    assert.deepEqual(
      errors.filter((error) => !error.includes('401')),
      [],
    );
  });
});
