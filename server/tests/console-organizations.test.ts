import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { openConsole } from '#tests/console-app.ts';
import { eventually, newEmail, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

test('an organization is added with a member who gets a role, is changed, blocked and deleted', async () => {
  const { email, access_token: token } = await register(latchkey, { profile: { displayName: 'Grace Hopper' } });
  const { page, operator, open } = await openConsole(latchkey, browser);
  const read = async (path: string) => (await operator.call(`/console/v1${path}`)).body;
  await operator.call('/console/v1/permissions', { body: { key: 'orders:refund', description: 'Refund orders' } });

  await open('/organizations/roles');
  await page.getByRole('button', { name: 'Add role' }).click();
  await page.getByLabel('Name').fill('Billing');
  await page.getByLabel('Key').fill('billing');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
  const owner = (await read('/organization-roles/owner')).permissions;
  const offered = page.getByRole('checkbox', { name: /^org\./ });
  await eventually(async () => assert.equal(await offered.count(), owner.length, 'every permission in organizations'));
  await page.getByLabel('orders:refund').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Role saved').waitFor();
  assert.deepEqual((await read('/organization-roles/billing')).permissions, ['orders:refund']);

  await open('/organizations');
  await page.getByRole('button', { name: 'Add organization' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Initech');
  await page.getByRole('dialog').getByLabel('Slug').fill('No slug');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(/must match pattern/).waitFor();
  await page.getByRole('dialog').getByLabel('Slug').fill('initech');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Initech' }).waitFor();
  const organization = (await read('/organizations')).items.find(({ slug }: { slug: string }) => slug === 'initech');

  await page.getByText('No members yet').waitFor();
  await page.getByRole('button', { name: 'Add member' }).click();
  await page.getByRole('combobox', { name: 'Member' }).fill(email);
  await page.getByRole('option', { name: `Grace Hopper · ${email}` }).click();
  await page.getByLabel('Owner').check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
  await page.getByRole('button', { name: 'Roles of Grace Hopper' }).click();
  await page.getByLabel('Billing').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Roles changed').waitFor();
  const members = await read(`/organizations/${organization.id}/members`);
  assert.deepEqual(members.items[0].roles, ['billing', 'owner']);

  const { workspaceId, projects } = latchkey.demo;
  const context = { workspaceId, projectId: projects[0]?.id, environment: 'test', organizationId: organization.id };
  const entered = await latchkey.auth('/v1/sessions/switch-context', { token, body: context });
  assert.equal(entered.status, 200, entered.text);
  await page.getByRole('link', { name: 'Grace Hopper' }).click();
  await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor();
  await page.getByRole('table', { name: 'Sessions' }).getByRole('cell', { name: 'Initech', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Initech' }).click();
  await page.getByRole('heading', { level: 1, name: 'Initech' }).waitFor();
  await page.getByLabel('Metadata').fill('[1]');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/Enter a JSON object/)
    .first()
    .waitFor();
  await page.getByLabel('Metadata').fill('{ "plan": "gold" }');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Organization saved').waitFor();
  assert.deepEqual((await read(`/organizations/${organization.id}`)).metadata, { plan: 'gold' });

  await page.getByLabel('Require a second factor').check();
  await page.getByLabel('Addresses').fill('203.0.113.0/33');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/is not an address or range/)
    .first()
    .waitFor();
  await page.getByLabel('Addresses').fill('203.0.113.0/24');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Policy saved').waitFor();
  const { mfa, addresses, signInMethods } = await read(`/organizations/${organization.id}/policy`);
  assert.deepEqual([mfa, addresses, signInMethods], ['required', ['203.0.113.0/24'], null]);

  await page.getByText('No set-up links yet').waitFor();
  await page.getByRole('button', { name: 'Make link' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Domains').uncheck();
  await dialog.getByLabel('Single sign-on').uncheck();
  await dialog.getByRole('button', { name: 'Make link', disabled: true }).waitFor();
  await dialog.getByLabel('Team').check();
  await dialog.getByLabel('Single sign-on').check();
  await dialog.getByLabel('Domains').check();
  await dialog.getByLabel('Policy').check();
  await dialog.getByLabel('Return address').fill('https://elsewhere.example/');
  await dialog.getByRole('button', { name: 'Make link' }).click();
  await dialog.getByText('is not at an origin of one of your own applications').waitFor();
  await dialog.getByLabel('Return address').fill('http://localhost:5173/settings');
  await dialog.getByLabel('Shown in a frame at').fill('http://localhost:5173');
  await dialog.getByRole('button', { name: 'Make link' }).click();
  await page.getByText('Give it only to the person who sets the organization up').waitFor();
  await page.getByText(/\/setup\/open\?token=lkl_/).waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('button', { name: 'Revoke the link for Domains, Single sign-on, Policy, Team' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Link revoked').waitFor();
  const [link] = (await read(`/organizations/${organization.id}/setup-links`)).items;
  const tasks = ['domains', 'connection', 'policies', 'team'];
  assert.deepEqual([link.status, link.tasks, link.roles], ['revoked', tasks, ['admin']]);
  assert.deepEqual([link.returnUrl, link.frameOrigin], ['http://localhost:5173/settings', 'http://localhost:5173']);

  await page.getByRole('button', { name: 'Block' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
  await page.getByRole('button', { name: 'Unblock' }).waitFor();
  assert.equal((await read(`/organizations/${organization.id}`)).status, 'blocked');

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Initech');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await eventually(async () =>
    assert.equal((await operator.call(`/console/v1/organizations/${organization.id}`)).status, 404),
  );
});

test('people are invited to an organization, and an invitation is resent and revoked', async () => {
  const { page, operator, open } = await openConsole(latchkey, browser);
  const { body: organization } = await operator.call('/console/v1/organizations', { body: { name: 'Initech' } });
  await operator.call('/console/v1/invitations', { body: { email: newEmail() } });
  const invitations = async () =>
    (await operator.call(`/console/v1/invitations?organizationId=${organization.id}`)).body.items;
  await open(`/organizations/${organization.id}`);
  await page.getByRole('navigation', { name: 'Initech' }).getByRole('link', { name: 'Invitations' }).click();
  await page.getByText('No invitations').waitFor();
  const email = newEmail();
  await page.getByRole('button', { name: 'Invite a member' }).first().click();
  await page.getByRole('dialog').getByLabel('Admin').check();
  await page.getByRole('dialog').getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('cell', { name: email, exact: true }).waitFor();
  const [made] = await invitations();
  assert.deepEqual([made.email, made.organizationRoles, made.status], [email, ['admin'], 'pending']);
  await page.getByRole('button', { name: `Resend the invitation to ${email}` }).click();
  await page.getByText(`Invitation sent to ${email}`).waitFor();
  await page.getByRole('button', { name: `Revoke the invitation to ${email}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Invitation revoked').waitFor();
  assert.equal((await invitations())[0].status, 'revoked');
});
