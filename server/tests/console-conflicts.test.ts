import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, openConsole, said } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Operator, teammate } from '#tests/operators.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
let colleague: Operator;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  app = await openConsole(latchkey, browser);
  page = app.page;
  colleague = await teammate(latchkey, 'admin');
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const save = () => page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' });
const conflict = () => page.getByRole('dialog', { name: 'Someone else changed this record' });
const read = async (path: string) => (await app.operator.call(`/console/v1${path}`)).body;
const firstOf = async (path: string) => (await read(path)).items[0];

async function byColleague(path: string, body: unknown, method = 'PATCH'): Promise<void> {
  const response = await colleague.call(`/console/v1${path}`, { method, body });
  assert.equal(response.status, 200, response.text);
}

type Edit = {
  /** The path of the screen. */
  at: string;
  /** The path of the record. */
  path: string;
  type: () => Promise<void>;
  theirs: { method?: string; path?: string; body: Record<string, unknown> };
};

/**
 * Edits, lets a colleague save first, then saves: nothing is overwritten, and the colleague's change is shown.
 * Continues.
 */
async function edit({ at, path, type, theirs }: Edit): Promise<void> {
  await app.open(at);
  await type();
  await byColleague(theirs.path ?? path, theirs.body, theirs.method);
  const after = await read(path);
  await save().click();
  await conflict().waitFor();
  assert.deepEqual(await read(path), after, 'nothing is overwritten');
  await conflict().getByRole('button', { name: 'Keep mine' }).click();
  await save().click();
  await page
    .getByRole('alert')
    .or(page.getByRole('status'))
    .filter({ hasText: /saved|changed/ })
    .first()
    .waitFor();
  assert.notDeepEqual(await read(path), after, 'what was typed is saved');
}

describe('two operators edit the same record: the second sees a conflict, and nothing is overwritten', () => {
  test('an application', async () => {
    // The colleague owns the workspace but not the installation, and its management client has more permissions than
    // they.
    const { items } = await read('/applications');
    const { id } = items.find(({ kind }: { kind: string }) => kind === 'spa');
    const path = `/applications/${id}`;
    await edit({
      at: path,
      path,
      type: () => field('Name').fill('Mine'),
      theirs: { body: { name: 'Theirs' } },
    });
    assert.equal((await read(path)).name, 'Mine', 'after being asked');
  });

  test('an identity provider', async () => {
    const { id } = await firstOf('/identity-providers');
    const path = `/identity-providers/${id}`;
    await edit({
      at: `/providers/${id}`,
      path,
      type: () => field('Client id').fill('mine'),
      theirs: { body: { name: 'Theirs' } },
    });
    const { name, clientId } = await read(path);
    assert.deepEqual([name, clientId], ['Theirs', 'mine']);
  });

  test('an endpoint', async () => {
    const made = await app.operator.call('/console/v1/webhooks/endpoints', {
      body: { url: 'http://127.0.0.1:9/hooks', events: ['user.*'] },
    });
    const path = `/webhooks/endpoints/${made.body.id}`;
    await edit({
      at: `/webhooks/${made.body.id}`,
      path,
      type: () => field('Address').fill('http://127.0.0.1:9/mine'),
      theirs: { body: { events: ['membership.*'] } },
    });
    const { url, events } = await read(path);
    assert.deepEqual([url, events], ['http://127.0.0.1:9/mine', ['membership.*']]);
  });

  test('the name of a project', async () => {
    const path = `/projects/${latchkey.demo.projects[0]?.id}`;
    await edit({ at: '/settings', path, type: () => field('Name').fill('Mine'), theirs: { body: { name: 'Theirs' } } });
    assert.equal((await read(path)).name, 'Mine', 'after being asked');
  });

  test('the roles of a member', async () => {
    const { email } = await register(latchkey);
    const { id } = await firstOf(`/members?q=${encodeURIComponent(email)}`);
    const path = `/members/${id}`;
    await edit({
      at: path,
      path,
      type: () => page.getByRole('checkbox', { name: 'Admin' }).check(),
      theirs: { method: 'PUT', path: `${path}/roles`, body: { roles: ['viewer'] } },
    });
    assert.match(JSON.stringify((await read(path)).roles), /"admin"/);
  });

  test('a message', async () => {
    const path = '/settings/messages/verify_email/en';
    await edit({
      at: '/messages/verify_email',
      path,
      type: () => field('Subject').fill('Mine'),
      theirs: { method: 'PUT', body: { subject: 'Theirs', body: 'Theirs: {code}', action: 'Go' } },
    });
    const { subject, body } = await read(path);
    assert.deepEqual([subject, body], ['Mine', 'Theirs: {code}']);
  });

  test('a role in the matrix', async () => {
    const made = await app.operator.call('/console/v1/roles', {
      body: { key: 'clerk', name: 'Clerk', permissions: [] },
    });
    const path = `/roles/${made.body.id}`;
    await app.open('/roles');
    await page.getByRole('checkbox', { name: 'Clerk: members:read' }).check();
    await byColleague(`${path}/permissions`, { permissions: ['events:read'] }, 'PUT');
    await page.getByRole('button', { name: 'Save Clerk' }).click();
    await said(page, 'Someone else changed Clerk');
    assert.deepEqual((await read(path)).permissions, ['events:read'], 'nothing is overwritten');
    await page.getByRole('checkbox', { name: 'Clerk: events:read', checked: true }).waitFor();
    await page.getByRole('button', { name: 'Save Clerk' }).click();
    await said(page, 'Clerk changed');
    assert.deepEqual((await read(path)).permissions.toSorted(), ['events:read', 'members:read']);
  });
});

test('an operator who accepts the other version sees it', async () => {
  const { id } = await firstOf('/identity-providers');
  await app.open(`/providers/${id}`);
  await field('Client id').fill('mine again');
  await byColleague(`/identity-providers/${id}`, { clientId: 'theirs' });
  await save().click();
  await conflict().getByRole('button', { name: 'Use theirs' }).click();
  await conflict().waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await field('Client id').inputValue(), 'theirs'));
  await eventually(async () => assert.equal(await save().count(), 0));
});

test('switching to production in between causes no conflict in test', async () => {
  const production = { 'x-environment': 'production' };
  const body = { webhookLogDays: 45, registration: 'closed' };
  const different = await app.operator.call('/console/v1/settings', { method: 'PATCH', headers: production, body });
  assert.equal(different.status, 200, different.text);
  await app.open('/sign-in');
  const environment = page.getByRole('navigation', { name: 'Environment' });
  await environment.getByRole('link', { name: 'Production' }).click();
  await page.waitForURL(/\/production\/sign-in/);
  const open = page.getByRole('switch', { name: 'Open registration' });
  await eventually(async () => assert.equal(await open.isChecked(), false, 'what is set in production'));
  await environment.getByRole('link', { name: 'Test' }).click();
  await page.waitForURL(/\/test\/sign-in/);
  await eventually(async () => assert.equal(await open.isChecked(), true, 'what is set in test'));
  await open.click({ force: true });
  await save().click();
  await said(page, 'Settings saved');
  assert.equal((await read('/settings')).registration, 'closed');
});
