import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Download, Page } from 'playwright-core';
import { verifyAudit } from '#audit';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';

/** Older than a step-up lasts; from then the clock is the real time, because tokens are checked against it. */
const AGO_MS = 700_000;
const clock = new TestClock(Date.now() - AGO_MS);
let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey({ clock }), openBrowser()]);
  await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const textOf = async (file: Download) => readFile(await file.path(), 'utf8');

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split(/\r?\n/);
}

describe('the audit log', () => {
  for (const [format, label, first] of [
    ['json', 'JSON (verifiable)', '{"entries":['],
    ['csv', 'CSV', 'sequence,occurredAt,action,actor,entry,leaf,hash,seal'],
  ] as const) {
    test(`is saved as ${format.toUpperCase()}, which verifies`, async () => {
      await eventually(async () => {
        const { rows } = await latchkey.system.pool.query('select 1 from events where sequence is null');
        assert.equal(rows.length, 0);
      });
      await app.open('/audit');
      const saved = page.waitForEvent('download');
      await button('Export').click();
      await page.getByRole('menuitem', { name: label }).click();
      const file = await saved;
      assert.equal(file.suggestedFilename(), `audit-test-${clock.now().toISOString().slice(0, 10)}.${format}`);
      const text = await textOf(file);
      assert.ok(text.startsWith(first));
      const { seal } = await verifyAudit(linesOf(text), []);
      assert.ok(seal.count > 5 && seal.scope.projectId === latchkey.demo.projects[0]?.id);
    });
  }

  test('is saved for the time range of the list, ignoring its other filters', async () => {
    const until = new Date(clock.now().getTime() - 3_600_000).toISOString();
    await app.open(`/audit?until=${until}&action=user.created`);
    const saved = page.waitForEvent('download');
    await button('Export').click();
    await page.getByText('Filtered period').waitFor();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    const { seal } = await verifyAudit(linesOf(await textOf(await saved)), []);
    assert.deepEqual([seal.until, seal.since, seal.count], [until, null, 0]);
  });
});

describe('all members', () => {
  test('are saved, with hashes on request, after a step-up if the last sign-in is old', async () => {
    await app.open('/members', 'test');
    await button('Export').click();
    await page.getByRole('dialog', { name: 'Export all members of test?' }).waitFor();
    await page.getByText('Include password hashes').waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await inDialog('Cancel').click();

    clock.advance(AGO_MS);
    await button('Export').click();
    await page.getByLabel('Include password hashes').check();
    await inDialog('Export members').click();
    await page.getByRole('dialog', { name: 'Confirm that it’s you' }).waitFor();
    const popup = page.waitForEvent('popup');
    const saved = page.waitForEvent('download');
    await inDialog('Sign in').click();
    const window = await popup;
    const { email, password } = latchkey.demo.operator;
    assert.equal(await window.locator('input[name=identifier]').first().inputValue(), email);
    await window.locator('input[type=password]').fill(password);
    await window.locator('input[type=password]').press('Enter');
    const file = await saved;
    assert.equal(file.suggestedFilename(), 'members.ndjson');
    const people = (await textOf(file))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ada = people.find(({ displayName }) => displayName === 'Ada Lovelace');
    assert.match(ada.passwordHash, /^\$argon2id\$/);
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    assert.deepEqual(
      app.complaints().filter((complaint) => !complaint.includes('status of 401')),
      [],
    );
  });

  test('of production require a confirmation', async () => {
    await app.open('/members', 'production');
    await button('Export').click();
    await page.getByRole('dialog', { name: 'Export all members of production?' }).waitFor();
    const saved = page.waitForEvent('download');
    await inDialog('Export members').click();
    const file = await textOf(await saved);
    assert.ok(!file.includes('Ada Lovelace') && !file.includes('passwordHash'));
  });
});
