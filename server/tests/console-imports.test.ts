import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole } from '#tests/console-app.ts';
import { eventually, newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
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

const button = (name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const read = async (path: string, headers = {}) => (await app.operator.call(`/console/v1${path}`, { headers })).body;
const imports = async (headers = {}) => (await read('/members/import', headers)).items;
const choose = (name: string, text: string) =>
  page
    .getByLabel('File of members')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
const completed = async () => {
  await page.getByRole('heading', { level: 1, name: /^Import of/ }).waitFor();
  await page.getByText('Completed', { exact: true }).waitFor();
};
const count = (name: string) => page.getByRole('definition').filter({ has: page.locator(`xpath=../dt[.="${name}"]`) });

describe('importing members', () => {
  test('a file is first tried, then imported without choosing it again, and both runs are listed later', async () => {
    const emails = [newEmail(), newEmail()];
    const file = [...emails.map((email) => ({ email, displayName: 'Im Ported' })), { email: 'x', colour: 'red' }]
      .map((row) => JSON.stringify(row))
      .join('\n');
    await app.open('/members');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByText('No imports yet').waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await eventually(async () => assert.ok(await button('Start dry run').isDisabled(), 'there is no file yet'));
    await choose('people.ndjson', file);
    await button('Start dry run').click();
    await completed();
    await page.getByText('A dry run: nothing was changed.').waitFor();
    await eventually(async () => assert.equal(await count('would be created').textContent(), '2'));
    assert.deepEqual((await read('/members?q=im ported')).items, []);
    assert.deepEqual(await faultsOf(page), []);

    await page.getByText('Failed rows', { exact: true }).click();
    await page.waitForURL(/outcome=failed/);
    await page.getByRole('row', { name: /3 Failed .*email is not an email address/ }).waitFor();
    const rows = page.getByRole('table', { name: 'Rows' }).getByRole('row');
    await eventually(async () => assert.equal(await rows.count(), 2, 'the header and one row'));
    await page.reload();
    await page.getByRole('row', { name: /3 Failed .*colour is not a field of a row/ }).waitFor();

    await app.open('/members/import');
    await choose('people.ndjson', file);
    await button('Start dry run').click();
    await completed();
    await page.getByRole('link', { name: 'Start import' }).click();
    await page.getByText('people.ndjson').waitFor();
    await button('Import').click();
    await completed();
    await eventually(async () => assert.equal(await count('created').textContent(), '2'));
    assert.equal((await read('/members?q=im ported')).items.length, 2);

    await app.open('/members/import');
    const listed = page.getByRole('table', { name: 'Imports' }).getByRole('row');
    await eventually(async () => assert.equal(await listed.count(), 4));
    await eventually(async () => assert.equal(await listed.filter({ hasText: 'Dry run' }).count(), 2));
    await listed.nth(1).getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: /^Import of/ }).waitFor();
    assert.deepEqual(app.complaints(), []);
  });

  test('the example rows can be imported unchanged, in both formats, also by dropping a file', async () => {
    for (const [format, name] of [
      ['CSV', 'example.csv'],
      ['NDJSON', 'example.ndjson'],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await app.open('/members/import');
      await page.getByRole('radiogroup', { name: 'Format of the example' }).getByText(format, { exact: true }).click();
      const example = await page.locator('pre').textContent();
      const dropped = await page.evaluateHandle(
        ([text, named]) => {
          const { DataTransfer, File } = Object(globalThis);
          const data = new DataTransfer();
          data.items.add(new File([text], named));
          return data;
        },
        [example ?? '', name],
      );
      await page.getByText('Drop a file here or choose one').dispatchEvent('drop', { dataTransfer: dropped });
      await page.getByText(name).waitFor();
      await button('Start dry run').click();
      await completed();
      await eventually(async () => assert.equal(await count('would be created').textContent(), '1', format));
    }
  });

  test('the failed rows are paged, and can be saved as a file', async () => {
    await app.open('/members/import');
    await choose('people.csv', `email,colour\n${'x,red\n'.repeat(60)}`);
    await button('Start dry run').click();
    await completed();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await page.route(/outcome=failed/, async (route) => {
      asked.resolve();
      await answered.promise;
      await route.continue();
    });
    await page.getByText('Failed rows', { exact: true }).click();
    await asked.promise;
    await page.locator('table[aria-busy=true]').waitFor();
    assert.ok(await button('Next').isDisabled(), 'the cursor shown belongs to the list of all rows');
    answered.resolve();
    await page
      .locator('table[aria-busy=false]')
      .getByRole('row', { name: /^50 Failed/ })
      .waitFor();
    await page.unroute(/outcome=failed/);
    await button('Next').click();
    await page.waitForURL(/cursor=/);
    await page.getByRole('row', { name: /^60 Failed/ }).waitFor();
    await button('Previous').click();
    await page.getByRole('row', { name: /^1 Failed/ }).waitFor();
    const saved = page.waitForEvent('download');
    await button('Download failed rows').click();
    const file = await saved;
    assert.match(file.suggestedFilename(), /^failed-rows-imp_.*\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    assert.match(text, /^row,field,reason\r\n1,"colour","is not a field of a row"\r\n/);
  });

  test('an unreadable file is reported, and stays chosen', async () => {
    const before = (await imports()).length;
    await app.open('/members/import');
    await choose('broken.csv', `email,displayName\n"a","b","c"\n${'someone@example.com,b\n'.repeat(250_000)}`);
    await button('Start dry run').click();
    await page.getByRole('alert').getByText("The CSV can't be read").waitFor();
    await page.getByText('broken.csv').waitFor();
    assert.equal((await imports()).length, before);
  });

  test('an upload shows its progress, warns before leaving, and leaves nothing when it is cancelled', async () => {
    const before = (await imports()).length;
    await app.open('/members/import');
    const row = JSON.stringify({ email: 'slow@example.com', metadata: { note: 'x'.repeat(2_000) } });
    await choose('slow.ndjson', `${row}\n`.repeat(1_500));
    const line = await app.context.newCDPSession(page);
    const throttle = (uploadThroughput: number) =>
      line.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await throttle(200_000);
    await button('Start dry run').click();
    await page.getByText(/^[\d.]+ (kB|MB) of 3(\.\d)? MB$/).waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('dialog', { name: 'Stop the upload?' }).waitFor();
    await inDialog('Cancel').click();
    await button('Cancel').click();
    await page.getByText('slow.ndjson').waitFor();
    await button('Start dry run').waitFor();
    await throttle(-1);
    await eventually(async () => assert.equal((await imports()).length, before));
  });

  test('in production, an import asks for confirmation once; a dry run, which changes nothing, does not', async () => {
    const production = { 'x-environment': 'production' };
    await app.open('/members/import?dryRun=false', 'production');
    const email = newEmail();
    await choose('people.ndjson', JSON.stringify({ email }));
    await button('Import').click();
    await page.getByRole('dialog', { name: 'Import into production?' }).waitFor();
    await inDialog('Cancel').click();
    assert.deepEqual(await imports(production), []);
    await page.getByRole('switch', { name: 'Dry run' }).click({ force: true });
    await button('Start dry run').click();
    await completed();
    await page.getByRole('link', { name: 'Start import' }).click();
    await button('Import').click();
    await inDialog('Import').click();
    await completed();
    assert.equal((await read(`/members?q=${email}`, production)).items.length, 1);
  });

  test('an operator without the permission sees which one is missing, and gets no link', async () => {
    const theirs = await openConsole(latchkey, browser, { operator: await teammate(latchkey, 'developer') });
    await theirs.open('/members');
    await eventually(async () => assert.equal(await theirs.page.getByText(/^(Import|Export)$/).count(), 0));
    await theirs.open('/members/import');
    await theirs.page.getByText('You don’t have access').waitFor();
    await theirs.page.getByText('members:import').waitFor();
    await theirs.context.close();
  });
});
