import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { expectShown, faultsOf, openConsole, said } from '#tests/console-app.ts';
import { lastMessage, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { memberOf, type Person, REASON } from '#tests/impersonation.ts';
import { teammate } from '#tests/operators.ts';
import { acting, dataOf, exchanged, isActive, managementClient, type Support, supportIn } from '#tests/supporters.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let support: Support;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const openDialog = (page: Page) => page.getByRole('button', { name: 'Act as member' }).click();

test('without an application that can exchange a ticket, the console says what is missing', async () => {
  const app = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'senior_support') });
  await app.open(`/members/${await memberOf(latchkey, await register(latchkey))}`);
  await openDialog(app.page);
  await expectShown(app.page.getByText('It needs the setting “Let it act for people” and at least one API.'));
  assert.deepEqual(app.complaints(), []);
  await app.context.close();
});

test('senior support acts as a member by keyboard: the ticket is shown once, works, and is ended on the screen', async () => {
  support = await supportIn(latchkey);
  const person: Person = await register(latchkey);
  const app = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'senior_support') });
  const { page } = app;
  await app.open(`/members/${await memberOf(latchkey, person)}`);
  await expectShown(page.getByText('Nobody acts as this member'));
  await page.getByRole('button', { name: 'Act as member' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(REASON);
  await dialog.getByLabel('Application').selectOption('Support desk');
  await dialog.getByLabel('API', { exact: true }).selectOption('https://stock.example.com');
  assert.deepEqual(await faultsOf(page), []);
  await dialog.getByLabel('Reason').press('Enter');

  await said(page, /You may act as/);
  await expectShown(page.getByText('It is shown only once'));
  const [ticket, command] = await page.getByRole('dialog').locator('pre').allTextContents();
  assert.match(command ?? '', new RegExp(`subject_token=${ticket}`));
  assert.match(command ?? '', /resource=https:\/\/stock\.example\.com$/);
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.getByText(ticket ?? '').count(), 0);

  const response = await exchanged(support, { through: support.desk }, ticket ?? '');
  assert.equal(response.status, 200, response.text);
  assert.match((await lastMessage(latchkey, person.email)).text, /Ticket 4711/);
  const [started] = await dataOf(support, 'started', person);
  assert.equal(started?.actor.kind, 'operator');

  await page.reload();
  const row = page.getByRole('table', { name: 'Acting as this member' }).getByRole('row').filter({ hasText: REASON });
  await expectShown(row.getByText('You'));
  await page.getByRole('button', { name: 'End acting' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End all', exact: true }).click();
  await said(page, 'Nobody acts as this member any more');
  await expectShown(page.getByText('Nobody acts as this member', { exact: true }));
  assert.equal(await isActive(support, response.body.access_token), false);
  assert.deepEqual(app.complaints(), []);
  await app.context.close();
});

test('a reason that is too short is not sent', async () => {
  const app = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'owner') });
  const person: Person = await register(latchkey);
  await app.open(`/members/${await memberOf(latchkey, person)}`);
  await openDialog(app.page);
  const dialog = app.page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('x'.repeat(4));
  await dialog.getByRole('button', { name: 'Get a ticket' }).click();
  const invalid = dialog.locator('input:invalid');
  await expectShown(invalid);
  assert.equal(await invalid.getAttribute('minlength'), '5');
  await app.page.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(await dataOf(support, 'allowed', person), []);
  await app.context.close();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`on a phone, ${colorScheme}: support sees who acts, and may not act`, async () => {
    const { person } = await acting(support, await managementClient(support));
    const operator = await teammate(latchkey, 'support');
    const app = await openConsole(latchkey, browser, { operator, width: 390, colorScheme });
    await app.open(`/members/${await memberOf(latchkey, person)}`);
    const table = app.page.getByRole('table', { name: 'Acting as this member' });
    await expectShown(table.getByText('Back end'));
    assert.equal(await app.page.getByRole('button', { name: 'Act as member' }).count(), 0);
    assert.deepEqual(await faultsOf(app.page), []);
    await app.context.close();
  });
