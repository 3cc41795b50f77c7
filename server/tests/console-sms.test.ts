import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { part as billingPart, subscribe } from '#billing';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, expectShown, faultsOf, openConsole } from '#tests/console-app.ts';
import { eventually, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { teammate } from '#tests/operators.ts';

const GUARD = '/console/v1/billing/addons/sms/guard';
const production = { 'x-environment': 'production' };
const clock = new TestClock(Date.parse('2026-01-31T09:00:00Z'));
let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey({ clock }), openBrowser()]);
  await latchkey.inProject((tx) => subscribe(tx, 'growth'), { environment: 'production' });
  clock.advance(Date.parse('2026-03-01T09:00:00Z') - clock.now().getTime());
  await billingPart.sweeps.renewDue(latchkey.system);
  await billingPart.sweeps.issueStatements(latchkey.system);
  clock.advance(Date.now() - clock.now().getTime());
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const said = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
const rules = async (headers = {}) => (await app.operator.call(GUARD, { headers })).body;

describe('the guard', () => {
  test('countries, kinds of numbers and limits can be changed; faults are shown beside their fields', async () => {
    await app.open('/sms');
    await page.getByRole('navigation', { name: 'SMS add-on' }).getByRole('link', { name: 'Guard' }).click();
    await page.getByRole('radio', { name: 'Only these countries' }).click();
    await page.getByRole('combobox', { name: 'Allowed countries' }).fill('germ');
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Internet telephony' }).check();
    await page.getByRole('textbox', { name: 'Per number' }).fill('3');
    assert.deepEqual(await faultsOf(page), []);
    await button('Save').click();
    await said('Guard saved');
    const { countries, numberTypes, perNumber, perSource } = await rules();
    assert.deepEqual([countries, perNumber, perSource], [['DE'], 3, 20]);
    assert.ok(numberTypes.includes('VOIP'));

    const chosen = page.getByRole('checkbox', { checked: true });
    for (let left = await chosen.count(); left > 0; left -= 1) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await chosen.first().uncheck();
    }
    await button('Save').click();
    await page.getByText('Select at least one.').waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await button('Discard').click();
  });

  test('production asks for confirmation once; of two concurrent operators both see it, and nothing is overwritten', async () => {
    await app.open('/sms/guard', 'production');
    await page.getByRole('textbox', { name: 'Per source address' }).fill('7');
    const colleague = await teammate(latchkey, 'billing');
    const theirs = await colleague.call(GUARD, { method: 'PATCH', body: { perProject: 900 }, headers: production });
    assert.equal(theirs.status, 200, theirs.text);
    await button('Save').click();
    await inDialog('Change production').click();
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this record' });
    await dialog.getByRole('row', { name: 'perProject 900 not changed' }).waitFor();
    assert.equal((await rules(production)).perSource, 20);
    await inDialog('Keep mine').click();
    await button('Save').click();
    await inDialog('Change production').click();
    await said('Guard saved');
    const { perSource, perProject } = await rules(production);
    assert.deepEqual([perSource, perProject], [7, 900]);
  });

  test('a blocked range of numbers can be unblocked', async () => {
    await latchkey.inProject((tx) =>
      tx.db
        .insertInto('sms_blocks')
        .values({
          workspace_id: tx.scope.workspaceId,
          project_id: tx.scope.projectId,
          environment: 'test',
          prefix: '+49151123',
          reason: 'conversion',
          sent: 24,
          used: 1,
          created_at: tx.now,
          expires_at: new Date(tx.now.getTime() + 3_600_000),
        })
        .execute(),
    );
    await app.open('/sms/guard');
    await page.getByRole('row', { name: /\+49151123.* 1 of 24/ }).waitFor();
    await button('Unblock +49151123').click();
    await said('+49151123 is unblocked');
    await expectShown(page.getByText('No blocked numbers'));
  });

  test('without the write permission nothing can be changed; without the read permission the screen says so', async () => {
    const analyst = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'analyst') });
    await analyst.open('/sms/guard');
    await eventually(async () =>
      assert.ok(await analyst.page.getByRole('textbox', { name: 'Per number' }).isDisabled()),
    );
    await analyst.context.close();
    const support = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'support') });
    for (const path of ['/sms/guard', '/sms/statements']) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await support.open(path);
      await support.page.getByText('billing:read').waitFor();
    }
    await support.context.close();
  });
});

test('statements show the total of each period, and open its ledger', async () => {
  await app.open('/sms/statements');
  await page.getByText('No statements yet').waitFor();
  await app.open('/sms/statements', 'production');
  assert.deepEqual(await faultsOf(page), []);
  const row = page.getByRole('table', { name: 'Statements' }).getByRole('row').last();
  await eventually(async () => assert.match((await row.textContent()) ?? '', /31 Jan.*28 Feb 2026.*Overdue.*\$49\.00/));
  await row.getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: /Statement of 31 Jan/ }).waitFor();
  const ledger = page.getByRole('table', { name: 'Ledger' }).getByRole('row');
  await ledger.nth(1).waitFor();
  await eventually(async () => assert.equal(await ledger.count(), 2, 'the fee of this period, and of no other'));
  assert.deepEqual(await faultsOf(page), []);
});
