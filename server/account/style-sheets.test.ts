import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { styleParts } from '#style-sheets';
import { faultsInBothThemes } from '#tests/accessibility.ts';
import { openBrowser } from '#tests/browser.ts';
import {
  changeSettings,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { codeFlow } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let token: string;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  token = await ownerToken(latchkey);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const NO_BRANDING = { logoUrl: null, accentColor: null, backgroundColor: null, radius: null, text: null, links: {} };
const CSS = `
.page { background: #2a1245; color: #f6efff }
.brand { color: #ffd166; font-size: 20px }
.card { background: light-dark(#fffaf0, #241a10); color: light-dark(#2b1d0e, #f5e9da); border: 2px solid #ffd166; padding: 2rem }
.title { text-transform: uppercase; text-align: center }
.field { background: #ffffff; color: #000000; border-color: #553388 }
.button { background: #ffd166; color: #221100; border-radius: 0 }
.button:hover { background: #ffe099 }
.link { color: light-dark(#553388, #d9b8ff) }
.note { color: #f6efff }
@media (min-width: 40rem) { .title { font-size: 2rem } }`;

const setBranding = (changes: object) =>
  latchkey.api('/v1/admin/settings', { token, method: 'PATCH', body: { branding: { ...NO_BRANDING, ...changes } } });

const check = (css: string) => latchkey.api('/v1/admin/branding/css/check', { token, method: 'POST', body: { css } });

/** The names of the parts that are on a page. */
async function partsOn(page: Page): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(styleParts).map(async ([name, { selector }]) =>
      (await page.locator(selector).count()) > 0 ? name : '',
    ),
  );
  return found.filter((name) => name !== '');
}

describe('a style sheet of a project', () => {
  test('is refused with the place of each fault, and can be checked without a change', async () => {
    const css = '.card {\n  position: fixed;\n}\n.fault { color: #fff }';
    const refused = await setBranding({ css });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(
      refused.body.errors.map(({ pointer, message }: { pointer: string; message: string }) => [
        pointer,
        message.slice(0, 38),
      ]),
      [
        ['/body/branding/css', 'line 2, column 3: position is refused '],
        ['/body/branding/css', 'line 4, column 1: there is no part .fa'],
      ],
    );
    const checked = await check(css);
    assert.deepEqual(
      checked.body.faults.map(({ line, column }: { line: number; column: number }) => [line, column]),
      [
        [2, 3],
        [4, 1],
      ],
    );
    const long = await check(' '.repeat(10_001));
    assert.equal(long.status, 400);
    assert.deepEqual((await check(CSS)).body, { faults: [] });
  });

  test('is shown on the pages of its project; each documented part is there, and they pass axe in both themes', async () => {
    await changeSettings(latchkey, {
      signInLayout: 'identifier_first',
      signInMethods: ['password', 'passkey', 'magic_link'],
    });
    assert.equal(
      (
        await setBranding({
          css: CSS,
          text: 'By the shop.',
          links: { Terms: 'https://shop.example/terms' },
          logoUrl: 'https://shop.example/logo.png',
        })
      ).status,
      200,
    );
    const found = new Set<string>();
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    const look = async (what: string) => {
      for (const name of await partsOn(page)) found.add(name);
      assert.deepEqual(await faultsInBothThemes(page), [], what);
    };
    const person = await register(latchkey);
    await page.goto((await codeFlow(latchkey)).url);
    await look('the first page');
    assert.equal(
      await page.locator('h1').evaluate((title) => Object(globalThis).getComputedStyle(title).fontSize),
      '32px',
    );
    assert.equal(
      await page.locator('.card').evaluate((card) => Object(globalThis).getComputedStyle(card).borderTopColor),
      'rgb(255, 209, 102)',
    );
    await page.goto(`${page.url()}/register`);
    await look('the registration');
    await page.goto(`${latchkey.system.config.addresses.test.auth}/account`);
    await page.fill('input[name=identifier]', person.email);
    await page.keyboard.press('Enter');
    await page.fill('input[name=password]', `${PASSWORD}x`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await look('a fault');
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account');
    await look('the account');
    await page.goto(`${page.url()}/security`);
    await look('its security');
    assert.deepEqual(
      Object.keys(styleParts).filter((name) => !found.has(name)),
      [],
      'parts that are on no page',
    );
    await page.close();
  });

  test('is left out with ?custom_css=off, until ?custom_css=on', async () => {
    assert.equal((await setBranding({ css: CSS })).status, 200);
    const page = await browser.newPage();
    const isStyled = async (query: string) => {
      await page.goto((await codeFlow(latchkey)).url);
      if (query !== '') await page.goto(`${page.url()}?${query}`);
      return (await page.content()).includes('@layer custom{');
    };
    const shown = [];
    // biome-ignore lint/performance/noAwaitInLoops: one page after the other
    for (const query of ['', 'custom_css=off', '', 'custom_css=on', '']) shown.push(await isStyled(query));
    assert.deepEqual(shown, [true, false, false, true, true]);
    await page.close();
  });

  test('gives way to colours and contrast that people have chosen on their device', async () => {
    assert.equal((await setBranding({ css: CSS })).status, 200);
    for (const options of [{ forcedColors: 'active' }, { contrast: 'more' }] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser after the other
      const page = await browser.newPage(options);
      await page.goto((await codeFlow(latchkey)).url);
      assert.equal(
        await page.locator('h1').evaluate((title) => Object(globalThis).getComputedStyle(title).textTransform),
        'none',
      );
      await page.close();
    }
  });
});
