import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { PASSWORD, register, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { expectNoOtherPictures, expectPicture, tabForPictures } from '#tests/pictures.ts';

const clock = new TestClock(Date.UTC(2026, 2, 2, 9, 30));
let latchkey: TestLatchkey;
let browser: Browser;
let page: Page;
let account: string;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey({ clock }), openBrowser()]);
  page = await tabForPictures(browser);
  account = `${latchkey.system.config.addresses.test.auth}/account`;
  const email = 'ada.lovelace@example.com';
  await register(latchkey, { email, profile: { displayName: 'Ada Lovelace' } });
  await page.goto(account);
  await page.fill('input[name=identifier]', email);
  await page.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(account);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

describe('the pages of the account look as accepted', () => {
  for (const path of ['', '/security', '/sessions', '/memberships', '/data', '/passkeys/new', '/password'])
    test(`${path || 'the profile'}`, async () => {
      await page.goto(account + path);
      await expectPicture(page, `account${(path || '/profile').replaceAll('/', '-')}`);
    });

  test('and there are pictures of no other page', async () => {
    await expectNoOtherPictures('account');
  });
});
