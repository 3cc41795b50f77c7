import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole, said } from '#tests/console-app.ts';
import { eventually, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { seedComponents } from './components.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([
    startTestLatchkey({ own: 'the status page belongs to the whole installation' }),
    openBrowser(),
  ]);
  await seedComponents(latchkey.system);
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const save = () => page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' });
const call = (path: string, method: string, body?: object) =>
  app.operator.call(`/console/v1/status${path}`, { method, ...(body && { body }) });
const read = async (path: string): Promise<TestResponse['body']> => (await call(path, 'GET')).body;
const titled = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
/** Chooses an option of a select field. */
const choose = async (label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).or(field(label)).first().click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const undo = () => page.getByRole('status').getByRole('button', { name: /^Undo/ }).last();

describe('components and their groups', () => {
  const named = async (path: string, name: string) =>
    (await read(path)).items.find((one: { name: string }) => one.name === name);
  const namesIn = async (groupId: string) =>
    (await read('/components')).items
      .filter((one: { groupId: string }) => one.groupId === groupId)
      .map(({ name }: { name: string }) => name);

  test('a group is added, and components in it are put in order', async () => {
    await app.open('/status/components');
    await button('Add group').click();
    await field('Name').fill('Shop');
    await inDialog('Add').click();
    await said(page, 'Shop added');
    for (const name of ['Cart', 'Search']) {
      // biome-ignore lint/performance/noAwaitInLoops: one dialog after the other
      await app.open('/status/components');
      await button('Add component').click();
      await field('Name').fill(name);
      await choose('Group', 'Shop');
      await choose('Measured by', 'Your incidents');
      assert.deepEqual(await faultsOf(page), []);
      await inDialog('Add').click();
      await titled(name);
    }
    await app.open('/status/components');
    const { id } = await named('/groups', 'Shop');
    assert.deepEqual(await namesIn(id), ['Cart', 'Search']);
    await button('Move Search up').click();
    await said(page, 'Search moved up');
    assert.deepEqual(await namesIn(id), ['Search', 'Cart']);
    await undo().click();
    await said(page, 'Move undone');
    assert.deepEqual(await namesIn(id), ['Cart', 'Search']);
    await button('Move Shop up').click();
    await said(page, 'Shop moved up');
    const groups = (await read('/groups')).items.map(({ name }: { name: string }) => name);
    assert.deepEqual(groups.indexOf('Shop'), groups.length - 2);
    assert.deepEqual(await faultsOf(page), []);
  });

  test('two people rename a group: the second sees the first change, and decides', async () => {
    const { id } = await named('/groups', 'Shop');
    await app.open('/status/components');
    await page.getByRole('link', { name: 'Edit the group Shop' }).click();
    await titled('Shop');
    await field('Name').fill('The shop');
    assert.equal((await call(`/groups/${id}`, 'PATCH', { name: 'Storefront' })).status, 200);
    await save().click();
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this record' });
    await dialog.getByRole('row', { name: 'name Storefront The shop' }).waitFor();
    assert.equal((await read(`/groups/${id}`)).name, 'Storefront');
    await inDialog('Keep mine').click();
    await save().click();
    await said(page, 'Group saved');
    assert.equal((await read(`/groups/${id}`)).name, 'The shop');
  });

  test('a component moves to another group, and an empty group can be removed', async () => {
    const group = await named('/groups', 'The shop');
    await app.open(`/status/groups/${group.id}`);
    const removeGroup = async () => {
      await button('Remove').click();
      await page.getByRole('dialog').getByRole('textbox').fill('The shop');
      await inDialog('Remove').click();
    };
    await removeGroup();
    await said(page, 'Move its components to another group first.');
    await app.open(`/status/components/${(await named('/components', 'Cart')).id}`);
    await field('Description').fill('Where things wait.');
    await choose('Group', 'Platform');
    await choose('Shown', 'When it is degraded');
    await save().click();
    await said(page, 'Component saved');
    const { groupId, shown, description } = await named('/components', 'Cart');
    assert.deepEqual([groupId, shown, description], ['platform', 'when_degraded', 'Where things wait.']);
    await app.open(`/status/components/${(await named('/components', 'Search')).id}`);
    await button('Remove').click();
    await page.getByRole('dialog').getByRole('textbox').fill('Search');
    await inDialog('Remove').click();
    await titled('Status');
    await app.open(`/status/groups/${group.id}`);
    await removeGroup();
    await said(page, 'The shop is removed');
    assert.equal(await named('/groups', 'The shop'), undefined);
  });

  test('a component that reports by itself shows its address once', async () => {
    await app.open('/status/components');
    await button('Add component').click();
    await field('Name').fill('Nightly import');
    await choose('Measured by', 'Heartbeats');
    await inDialog('Add').click();
    const address = await page.getByRole('dialog').locator('pre').innerText();
    assert.equal((await fetch(address, { method: 'POST' })).status, 204);
    await inDialog('I have saved it').click();
    await titled('Nightly import');
    await eventually(async () => assert.equal(await page.getByText(address).count(), 0));
    assert.notEqual((await named('/components', 'Nightly import')).heartbeatAt, null);
  });

  test('more than one page of components are all listed and selectable', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `Part ${index + 1}`);
    const check = { kind: 'manual' };
    await Promise.all(names.map((name) => call('/components', 'POST', { groupId: 'platform', name, check })));
    await app.open('/status/components');
    await page.getByRole('link', { name: 'Part 100', exact: true }).waitFor();
    await eventually(async () =>
      assert.equal(await page.getByRole('link', { name: /^Part \d+$/ }).count(), names.length),
    );
    await app.open('/status');
    await button('Report an incident').click();
    await page.getByRole('combobox', { name: 'Components' }).fill('Part 100');
    await page.getByRole('option', { name: 'Part 100', exact: true }).click();
    await page.getByRole('combobox', { name: 'Status of Part 100' }).waitFor();
  });
});

describe('incidents, maintenances and subscribers', () => {
  test('an incident is kept as a draft, published and updated; a correction overwrites no other', async () => {
    await app.open('/status');
    await button('Report an incident').click();
    await field('Title').fill('Mail delivery is slow');
    await field('Message').fill('We are looking into it.');
    await choose('Components', 'Email');
    await page.keyboard.press('Escape');
    await choose('Status of Email', 'Partial outage');
    await page.getByRole('switch', { name: 'Save as draft' }).click({ force: true });
    assert.deepEqual(await faultsOf(page), []);
    await inDialog('Save draft').click();
    await page.getByRole('link', { name: 'Mail delivery is slow' }).click();
    await button('Publish').click();
    await inDialog('Publish').click();
    await said(page, 'Incident published');
    const [{ id }] = (await read('/incidents')).items;
    assert.deepEqual((await read(`/incidents/${id}`)).componentStatuses, { email: 'partial_outage' });

    await field('Message').fill('A queue was stuck; it moves again.');
    await choose('Phase', 'Monitoring');
    await choose('Status of Email', 'By the severity');
    await button('Publish').click();
    await inDialog('Publish').click();
    await said(page, 'Update published');
    const { phase, componentStatuses } = await read(`/incidents/${id}`);
    assert.deepEqual([phase, componentStatuses], ['monitoring', { email: 'operational' }]);

    await field('Postmortem').fill('A disk was full.');
    await call(`/incidents/${id}`, 'PATCH', { severity: 'critical' });
    await save().click();
    await page.getByRole('dialog').getByRole('row', { name: 'severity critical not changed' }).waitFor();
    await inDialog('Keep mine').click();
    await save().click();
    await said(page, 'Incident saved');
    const after = await read(`/incidents/${id}`);
    assert.deepEqual([after.severity, after.postmortem], ['critical', 'A disk was full.']);
    assert.deepEqual(await faultsOf(page), []);
  });

  test('a maintenance is planned, moved, started and ended; a planned one is cancelled', async () => {
    const plan = async (title: string) => {
      await app.open('/status/maintenance');
      await button('Plan maintenance').first().click();
      await field('Title').fill(title);
      await field('Message').fill('Signing in may take longer.');
      await page.getByLabel('Starts').fill('2030-01-01T10:00');
      await page.getByLabel('Ends').fill('2030-01-01T11:00');
      await choose('Components', 'Database');
      await page.keyboard.press('Escape');
      await inDialog('Announce').click();
      await page
        .getByRole('dialog', { name: /^Announce “/ })
        .getByText('Announce')
        .last()
        .click();
      await page.getByRole('link', { name: title }).click();
      await titled(title);
    };
    await plan('Upgrade');
    const [{ id }] = (await read('/maintenances')).items;
    await page.getByLabel('Ends').fill('2030-01-01T12:00');
    await call(`/maintenances/${id}`, 'PATCH', { title: 'Database upgrade' });
    await save().click();
    await page.getByRole('dialog').getByRole('row', { name: 'title Database upgrade not changed' }).waitFor();
    await inDialog('Keep mine').click();
    await save().click();
    await said(page, 'Maintenance saved');
    const { title, endsAt } = await read(`/maintenances/${id}`);
    assert.deepEqual([title, new Date(endsAt).getTime()], ['Database upgrade', new Date(2030, 0, 1, 12).getTime()]);
    assert.deepEqual(await faultsOf(page), []);
    for (const phase of ['In progress', 'Completed']) {
      // biome-ignore lint/performance/noAwaitInLoops: one phase after the other
      await choose('Phase', phase);
      await field('Message').fill(`${phase}, as planned.`);
      await button('Publish').click();
      await inDialog('Publish').click();
      await said(page, 'Update published');
      await app.open(`/status/maintenance/${id}`);
      await page.getByText(`${phase}, as planned.`).waitFor();
    }
    assert.equal((await read(`/maintenances/${id}`)).phase, 'completed');

    await plan('Another one');
    await button('Cancel maintenance').click();
    await page.getByRole('dialog').getByRole('textbox').fill('Another one');
    await inDialog('Cancel maintenance').click();
    await said(page, 'Another one is cancelled');
    assert.equal((await read('/maintenances')).items.length, 1);
  });

  test('a template fills the form, and what subscribers would get is shown before it is published', async () => {
    await app.open('/status/templates');
    await button('Add template').first().click();
    await field('Name').fill('Mails wait');
    await field('Title').fill('{components}: slow');
    await field('Message').fill('Since {time}, {components} is slow.');
    await choose('Severity', 'Major');
    await choose('Components', 'Email');
    await page.keyboard.press('Escape');
    assert.deepEqual(await faultsOf(page), []);
    await inDialog('Add').click();
    await said(page, 'Mails wait added');
    await page.getByRole('link', { name: 'Mails wait' }).click();
    await titled('Mails wait');
    await field('Name').fill('Mails are slow');
    await save().click();
    await said(page, 'Template saved');

    await app.open('/status');
    await button('Report an incident').click();
    await choose('Template', 'Mails are slow');
    await inDialog('Publish').click();
    const asked = page.getByRole('dialog', { name: 'Publish “Email: slow”?' });
    const message = asked.getByLabel('Message to subscribers');
    await message.getByText(/Since \d{4}-\d\d-\d\d \d\d:\d\d UTC, Email is slow\./).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await choose('Preview', 'Slack (0)');
    await message.getByText('Investigating · Major').waitFor();
    await asked.getByRole('button', { name: 'Publish' }).click();
    await said(page, 'Incident published');
    const [made] = (await read('/incidents')).items;
    assert.deepEqual([made.title, made.severity, made.componentIds], ['Email: slow', 'major', ['email']]);
  });

  test('subscribers are imported, found and deleted', async () => {
    await app.open('/status/subscribers');
    await button('Import addresses').click();
    await field('Addresses').fill('ada@example.com\ngrace@example.com');
    await field('Consent').fill('On the list of our newsletter.');
    await inDialog('Import').click();
    await said(page, '2 added, 0 skipped');
    await choose('State', 'Pending');
    await page.getByText('No subscribers match these filters').waitFor();
    await choose('State', 'Active');
    assert.deepEqual(await faultsOf(page), []);
    await button('Remove ada@example.com').click();
    await inDialog('Remove').click();
    await said(page, 'ada@example.com is removed');
    const { items } = await read('/subscribers');
    assert.deepEqual(
      items.map(({ address }: { address: string }) => address),
      ['grace@example.com'],
    );
  });

  test('automatic actions are chosen, and can be undone', async () => {
    await app.open('/status/settings');
    const before = await read('/settings');
    await choose('When a component fails', 'Create a draft incident');
    await page
      .getByRole('textbox', { name: 'Alert emails' })
      .or(page.getByLabel('Alert emails'))
      .first()
      .fill('ops@example.com');
    await page.keyboard.press('Enter');
    await save().click();
    await said(page, 'Settings saved');
    assert.deepEqual(await read('/settings'), { ...before, automatic: 'draft', alertEmails: ['ops@example.com'] });
    await undo().click();
    await said(page, 'Change undone');
    await eventually(async () => assert.deepEqual(await read('/settings'), before));
    assert.deepEqual(await faultsOf(page), []);
    const refused = /status of (409|412)/;
    assert.deepEqual(
      app.complaints().filter((complaint) => !refused.test(complaint)),
      [],
    );
  });
});

describe('the page of a project that is not the default one', () => {
  const address = () => page.getByRole('textbox', { name: 'Address begins with', exact: true });

  test('is published, found at its address, moved and hidden; the page of the installation stays', async () => {
    const { workspaceId, projects } = latchkey.demo;
    const { console: origin } = latchkey.system.config.addresses;
    const there = { 'x-project-id': projects[1]?.id };
    const own = async () => (await app.operator.call('/console/v1/status/page', { headers: there })).body;
    const seen = async (url: string) => (await latchkey.console(new URL(url).pathname)).status;
    await app.open('/status/settings');
    await titled('Status');
    assert.equal(await address().count(), 0, 'the page of the installation is always public');
    await page.goto(`${origin}/console/${workspaceId}/${projects[1]?.id}/test/status`);
    await button('Publish').waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Status' }).count(), 0);
    assert.deepEqual(await faultsOf(page), []);
    await address().fill('Not an address');
    assert.equal(await button('Publish').isDisabled(), true);
    await address().fill('shop');
    await button('Publish').click();
    await said(page, 'Status page published');
    const published = await own();
    assert.match(published.address, /^shop-[0-9a-f]{10}$/);
    await page.getByRole('link', { name: 'Settings', exact: true }).last().click();
    await page.getByText(published.url, { exact: true }).waitFor();
    assert.equal(await seen(published.url), 200);
    assert.deepEqual(await faultsOf(page), []);

    await address().fill('store');
    await button('Change the page').click();
    await eventually(async () => assert.match((await own()).address, /^store-/));
    const moved = await own();
    await page.getByText(moved.url, { exact: true }).waitFor();
    assert.deepEqual([await seen(published.url), await seen(moved.url)], [404, 200]);

    await address().fill('not-sent');
    await button('Hide').click();
    await said(page, 'Status page hidden');
    assert.deepEqual(await own(), { ...moved, published: false });
    assert.deepEqual([await seen(moved.url), await seen(`${origin}/status`)], [404, 200]);
    await address().fill('store');
    await button('Publish').click();
    await button('Hide').waitFor();
    assert.deepEqual(await own(), moved);
    assert.equal((await read('/page')).kind, 'installation');
    assert.deepEqual(app.complaints(), []);
  });
});
