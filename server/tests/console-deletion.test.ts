import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { addTeamMember, workspaceScope } from '#operators';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, expectShown, faultsOf, openConsole, shown } from '#tests/console-app.ts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { newOperator, signInOperator, teammate } from '#tests/operators.ts';
import { createTenant } from '#tests/tenants.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const buttonOn = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

/** The console may ask for events of a deleted project once more before it shows the list of projects. */
const askedTooLate = /status of 404 .*\/console\/v1\/events\?/;

describe('deleting a project', () => {
  let app: ConsoleApp;
  let projectId: string;
  const deletesAt = async () => (await app.operator.call(`/console/v1/projects/${projectId}`)).body.deletesAt;
  const goTo = async (path: string) => {
    await app.page.goto(`${latchkey.system.config.addresses.console}/console/${latchkey.demo.workspaceId}${path}`);
    await shown(app.page);
  };
  before(async () => {
    app = await openConsole(latchkey, browser);
    projectId = (await app.operator.call('/console/v1/projects', { body: { name: 'Old shop' } })).body.id;
  });

  test('requires typing its name; the list shows when it will be removed, and can restore it', async () => {
    const { page } = app;
    await goTo(`/${projectId}/test/settings`);
    await buttonOn(page, 'Delete project…').click();
    await eventually(async () => assert.ok(await inDialog(page, 'Delete project').isDisabled()));
    await page.getByRole('dialog').getByRole('textbox').fill('Old shop');
    assert.deepEqual(await faultsOf(page), [], 'the question passes axe-core');
    await inDialog(page, 'Delete project').click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Old shop' });
    await row.getByText(/^Will be deleted on \d+ \w+ \d{4}$/).waitFor();
    await eventually(async () => assert.equal(await row.getByRole('link').count(), 0, 'it leads nowhere'));
    assert.notEqual(await deletesAt(), null);
    assert.deepEqual(await faultsOf(page), []);
    await buttonOn(page, 'Restore Old shop').click();
    await page.getByRole('link', { name: 'Old shop' }).waitFor();
    assert.equal(await deletesAt(), null);
    const complaints = app.complaints().filter((complaint) => !askedTooLate.test(complaint));
    assert.deepEqual(complaints, []);
  });

  test('can be undone from the notice, too', async () => {
    const { page } = app;
    await goTo(`/${projectId}/test/settings`);
    await buttonOn(page, 'Delete project…').click();
    await page.getByRole('dialog').getByRole('textbox').fill('Old shop');
    await inDialog(page, 'Delete project').click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.getByRole('link', { name: 'Old shop' }).waitFor();
    assert.equal(await deletesAt(), null);
  });

  test('explains what cannot be deleted', async () => {
    const { page } = app;
    await app.open('/settings');
    await buttonOn(page, 'Delete project…').click();
    const name = latchkey.demo.projects[0]?.name ?? '';
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await inDialog(page, 'Delete project').click();
    await expectShown(
      page.getByRole('alert').filter({ hasText: /is the default of the (test|production) environment/ }),
    );
  });

  test('is offered to owners only', async () => {
    const admin = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'admin') });
    await admin.open('/settings');
    await admin.page.getByRole('heading', { level: 2, name: 'Environment' }).waitFor();
    await eventually(async () => assert.equal(await buttonOn(admin.page, 'Delete project…').count(), 0));
    await admin.context.close();
  });
});

describe('deleting a workspace', () => {
  test('closes all of its screens; restoring opens them again', async () => {
    const { workspaceId, projectId } = (await createTenant(latchkey, 'doomed')).scope;
    const person = await newOperator(latchkey);
    await latchkey.inProject((tx) =>
      addTeamMember({ ...tx, scope: workspaceScope(workspaceId) }, person.userId, 'owner'),
    );
    const { page, complaints } = await openConsole(latchkey, browser, {
      operator: await signInOperator(latchkey, person),
    });
    const goTo = async (path: string) => {
      await page.goto(`${latchkey.system.config.addresses.console}/console/${workspaceId}${path}`);
      await shown(page);
    };
    await goTo('/workspace');
    await buttonOn(page, 'Delete workspace…').click();
    await page.getByRole('dialog').getByRole('textbox').fill('doomed');
    await inDialog(page, 'Delete workspace').click();
    const closed = page.getByText(/^This workspace will be deleted on \d+ \w+ \d{4}$/);
    await closed.waitFor();
    assert.deepEqual(await faultsOf(page), []);
    complaints();
    await goTo(`/${projectId}/test/members`);
    await closed.waitFor();
    await buttonOn(page, 'Restore workspace').click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  });
});
