import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, openConsole } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
  await register(latchkey, { profile: { displayName: 'Grace Hopper' } });
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

/** More than the number of tab stops in any dialog here. */
const ROUND = 15;

/** This file uses only the keyboard. */
const press = (key: string) => page.keyboard.press(key);

/** Fails unless the locator receives the focus. */
const expectFocus = (locator: Locator) => locator.and(page.locator(':focus')).waitFor();

async function pressOn(locator: Locator, key: string): Promise<void> {
  await locator.focus();
  await press(key);
}

/**
 * Cycles with Tab, then back with Shift+Tab.
 * @returns how often the focus was outside the dialog
 */
async function timesOutside(dialog: Locator): Promise<number> {
  let outside = 0;
  for (const key of ['Tab', 'Shift+Tab'])
    for (let step = 0; step < ROUND; step += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one key after the other
      await press(key);
      if ((await dialog.locator(':focus').count()) === 0) outside += 1;
    }
  return outside;
}

describe('by keyboard only', () => {
  test('the first Tab offers to skip the navigation', async () => {
    await app.open('/members');
    await press('Tab');
    await expectFocus(page.getByRole('link', { name: 'Skip to content' }));
    await press('Enter');
    await expectFocus(page.getByRole('main'));
    await press('Tab');
    await eventually(async () =>
      assert.equal(await page.getByRole('main').locator(':focus').count(), 1, 'it goes on inside the screen'),
    );
  });

  test('the switcher opens, traps the focus, returns it, and leads to another project', async () => {
    await app.open('/members');
    const switcher = page.getByRole('button', { name: /Change workspace or project/ });
    await pressOn(switcher, 'Enter');
    const choices = page.getByRole('dialog', { name: /Change workspace or project/ });
    await expectFocus(choices.getByRole('textbox', { name: 'Find a project' }));
    await choices.getByRole('link', { name: 'All projects' }).waitFor();
    assert.equal(await timesOutside(choices), 0);
    await press('Escape');
    await choices.waitFor({ state: 'detached' });
    await expectFocus(switcher);
    await press('Enter');
    await expectFocus(choices.getByRole('textbox', { name: 'Find a project' }));
    await page.keyboard.type('helpd');
    const helpdesk = choices.getByRole('link', { name: 'Helpdesk' });
    await choices
      .getByRole('link', { name: latchkey.demo.projects[0]?.name ?? '', exact: true })
      .waitFor({ state: 'detached' });
    await helpdesk.waitFor();
    await press('Tab');
    await expectFocus(helpdesk);
    await press('Enter');
    await page.waitForURL(new RegExp(`/${latchkey.demo.projects[1]?.id}/test/members`));
    await choices.waitFor({ state: 'detached' });
    // Another project is another screen, so the focus moves to its main content.
    await expectFocus(page.getByRole('main'));
  });

  test('a form in a dialog focuses its first field, traps the focus, and returns it on Escape', async () => {
    await app.open('/members');
    const opener = page.getByRole('button', { name: 'Add member', exact: true });
    await pressOn(opener, 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a member' });
    await expectFocus(dialog.getByRole('textbox', { name: 'Email' }));
    assert.equal(await timesOutside(dialog), 0);
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(opener);
  });

  test('a confirmation focuses its button, traps the focus, and returns it on Escape', async () => {
    await app.open('/members');
    await pressOn(page.getByRole('link', { name: 'Ada Lovelace' }), 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    const opener = page.getByRole('button', { name: 'Block', exact: true });
    await pressOn(opener, 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Block Ada Lovelace?' });
    await expectFocus(dialog.getByRole('button', { name: 'Block', exact: true }));
    assert.equal(await timesOutside(dialog), 0);
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(opener);
    const remove = page.getByRole('button', { name: 'Remove', exact: true });
    await pressOn(remove, 'Enter');
    await expectFocus(page.getByRole('dialog').getByRole('textbox'));
    await page.keyboard.type('Ada');
    await press('Enter');
    await eventually(async () => assert.equal(await page.getByRole('dialog').count(), 1, 'half a name removes nobody'));
    await press('Escape');
    await expectFocus(remove);
  });

  test('the dialog of a new secret returns the focus to the button that added it, also at the last one', async () => {
    const body = { kind: 'web', name: 'Ledger', redirectUris: ['https://ledger.example/callback'] };
    const { body: made } = await app.operator.call('/console/v1/applications', { body });
    await app.open(`/applications/${made.id}`);
    const opener = page.getByRole('button', { name: 'Add secret', exact: true });
    await pressOn(opener, 'Enter');
    const dialog = page.getByRole('dialog', { name: 'New client secret' });
    await pressOn(dialog.getByRole('button', { name: 'I have saved it' }), 'Enter');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(opener);
    assert.equal(await opener.getAttribute('aria-disabled'), 'true');
    await press('Enter');
    assert.equal((await app.operator.call(`/console/v1/applications/${made.id}`)).body.secrets.length, 2);
  });

  test('arrows or j and k move through a list, and Enter opens a row', async () => {
    await app.open('/members');
    const rows = page.getByRole('table', { name: 'Members' }).getByRole('link');
    await rows.first().focus();
    await press('ArrowDown');
    await expectFocus(rows.nth(1));
    await press('j');
    await expectFocus(rows.nth(2));
    await press('k');
    await expectFocus(rows.nth(1));
    await press('ArrowUp');
    await press('ArrowUp');
    await expectFocus(rows.first());
    const name = (await rows.first().textContent()) ?? '';
    await press('Enter');
    await page.waitForURL(/\/members\/mem_/);
    const title = page.getByRole('heading', { level: 1 }).filter({ hasNotText: /^Members$/ });
    await title.waitFor();
    await eventually(async () => assert.ok(name.startsWith((await title.textContent()) ?? 'nobody'), name));
  });

  test('arrows move through the palette, and Escape returns the focus', async () => {
    await app.open('/members');
    const field = page.getByRole('searchbox', { name: 'Name, email, phone or id' });
    await field.focus();
    await press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await expectFocus(palette.getByRole('combobox', { name: 'Search or jump to' }));
    assert.equal(await timesOutside(palette), 0);
    await press('Escape');
    await palette.waitFor({ state: 'detached' });
    await expectFocus(field);
    await press('Control+k');
    await expectFocus(palette.getByRole('combobox'));
    const second = palette.getByRole('option').nth(1);
    const label = await second.locator('span').first().textContent();
    await press('ArrowDown');
    await eventually(async () => assert.equal(await second.getAttribute('aria-selected'), 'true'));
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: label ?? '' }).waitFor();
  });
});

describe('a change of screen', () => {
  const expectTitle = (title: string) => eventually(async () => assert.equal(await page.title(), title));
  const expectAnnounced = (title: string) =>
    page.locator('[aria-live=polite]').getByText(title, { exact: true }).waitFor({ state: 'attached' });

  test('is announced, and the focus stays on the link of the navigation', async () => {
    await app.open('/members');
    const link = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Webhooks' });
    await pressOn(link, 'Enter');
    await expectAnnounced('Webhooks');
    await expectTitle('Webhooks · Latchkey');
    await expectFocus(link);
  });

  test('takes the focus if the focused element is gone', async () => {
    await app.open('/members');
    await pressOn(page.getByRole('link', { name: 'Grace Hopper' }), 'Enter');
    await expectAnnounced('Grace Hopper');
    await expectFocus(page.getByRole('main'));
  });

  test('has a heading and a title, also if its record does not exist', async () => {
    await app.open('/members/mem_01kaz3w9hqf8p9n2m4v5x6y7z8');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await expectTitle('Not found · Latchkey');
  });
});
