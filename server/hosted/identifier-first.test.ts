import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser as Chromium } from 'playwright-core';
import { createApplication } from '#applications';
import { addDevProvider } from '#dev';
import { createProject, projectOf } from '#environments';
import { at } from '#platform/scoped.ts';
import { faultsInBothThemes } from '#tests/accessibility.ts';
import { openBrowser } from '#tests/browser.ts';
import {
  changeSettings,
  mailedCode,
  newEmail,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Browser, browserOf, codeFlow } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let chromium: Chromium;
before(async () => {
  [latchkey, chromium] = await Promise.all([startTestLatchkey(), openBrowser()]);
  await changeSettings(latchkey, { signInLayout: 'identifier_first' });
});
after(async () => {
  await chromium.close();
  await latchkey.stop();
});

/** Opens the page of a new sign-in. */
async function opened(browser: Browser, parameters: Record<string, string> = {}) {
  const flow = await codeFlow(latchkey, parameters);
  return { flow, page: await browser.open(flow.url) };
}

/** The texts of the ways on a page, before and behind "Other ways". */
function waysOn({ text }: { text: string }): { shown: string[]; hidden: string[] } {
  const [before = '', behind = ''] = text.split('<details class="others">');
  const namesIn = (markup: string) =>
    [...markup.matchAll(/<(?:a class="button|button class=")[^>]*>(.*?)<\/(?:a|button)>/gs)]
      .map(([, content = '']) =>
        content
          .replaceAll(/<svg.*?<\/svg>/gs, '')
          .replaceAll(/<[^>]+>/g, ' ')
          .trim(),
      )
      .filter((name) => name !== 'Cancel' && name !== 'Not you?');
  return { shown: namesIn(before), hidden: namesIn(behind) };
}

describe('a page that asks for the identifier first', () => {
  test('is what a new project has, in both environments', async () => {
    const projectId = await latchkey.inProject((tx) => createProject(tx, 'New'));
    for (const environment of ['test', 'production'] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: two rows
      const layout = await latchkey.inProject(async (tx) => {
        const { scope, db } = at(tx, { projectId, environment });
        return (await projectOf(tx.system, scope, db)).settings.signInLayout;
      });
      assert.equal(layout, 'identifier_first');
    }
  });

  test('shows two ways beside the name, and the ways for the name after it', async () => {
    const browser = browserOf(latchkey);
    const { page } = await opened(browser);
    assert.deepEqual(waysOn(page), { shown: ['Sign in with a passkey', 'Continue with Dev provider'], hidden: [] });
    const email = newEmail();
    const next = await browser.submit(page, { identifier: email });
    assert.match(next.url, /\/password$/);
    assert.ok(next.text.includes(email));
    const ways = ['Email me a sign-in link', 'Email me a code', 'Sign in with a passkey'];
    assert.deepEqual(waysOn(next), { shown: ways, hidden: [] });
    const phone = await browser.submit(await browser.open(page.url), { identifier: '+49 30 1234567' });
    assert.deepEqual(waysOn(phone).shown, ['Send a code to my phone', 'Sign in with a passkey']);
    const username = await browser.submit(await browser.open(page.url), { identifier: 'ada' });
    assert.deepEqual(waysOn(username).shown, ['Sign in with a passkey']);
  });

  test('looks the same for a name that has an account and one that has none', async () => {
    const { email } = await register(latchkey);
    const looks = [];
    for (const name of [email, newEmail()]) {
      const browser = browserOf(latchkey);
      // biome-ignore lint/performance/noAwaitInLoops: one browser after the other
      const next = await browser.submit((await opened(browser)).page, { identifier: name });
      looks.push(next.text.replaceAll(name, 'NAME').replaceAll(/nonce="[^"]+"|\/sign-in\/[\w-]+/g, ''));
    }
    assert.equal(looks[0], looks[1]);
  });

  test('carries the name to the mailed code, the forgotten password and the registration', async () => {
    const { email, session } = await prove(latchkey, await register(latchkey));
    const browser = browserOf(latchkey);
    const { flow, page } = await opened(browser);
    const next = await browser.submit(page, { identifier: email });
    for (const path of ['/forgot', '/register']) {
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      const carried = await browser.open(page.url + path);
      assert.ok(carried.text.includes(`value="${email}"`), path);
    }
    const [, form = ''] =
      /(<form[^>]*\/send"><input type="hidden" name="way" value="email_code">.*?<\/form>)/s.exec(next.text) ?? [];
    const sent = await browser.submit({ ...next, text: form }, {}, '/send');
    assert.match(sent.url, /\/code$/);
    const end = await browser.submit(sent, { code: await mailedCode(latchkey, email) }, '/code');
    assert.equal((await flow.finish(end)).claims()?.sub, session.userId);
  });

  test('asks nothing that the application has said', async () => {
    const { email, session } = await register(latchkey);
    const browser = browserOf(latchkey);
    const { flow, page } = await opened(browser, { login_hint: email });
    assert.match(page.url, /\/password$/);
    const first = await browser.open(page.url.replace('/password', ''));
    assert.ok(first.text.includes(`name="identifier" value="${email}"`), 'and the name can be changed');
    const end = await browser.submit(page, { password: PASSWORD });
    assert.equal((await flow.finish(end)).claims()?.sub, session.userId);
    const again = await opened(browser, { prompt: 'login' });
    assert.match(again.page.text, /Confirm it is you/);
    assert.ok(again.page.text.includes(`<span dir="auto">${email}</span>`), 'who is signed in is known');
    const back = await browser.submit(again.page, { password: PASSWORD });
    assert.equal((await again.flow.finish(back)).claims()?.sub, session.userId);
    const other = await opened(browser, { prompt: 'login' });
    const asked = await browser.submit(other.page, {}, '/continue');
    assert.ok(!asked.text.includes(email), 'somebody else is not told who was signed in');
  });

  test('without passwords offers messages to the name', async (context) => {
    const { email, session } = await prove(latchkey, await register(latchkey));
    await changeSettings(latchkey, { signInMethods: ['email_code'] });
    context.after(() =>
      changeSettings(latchkey, {
        signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
      }),
    );
    const browser = browserOf(latchkey);
    const { flow, page } = await opened(browser);
    assert.ok(!page.text.includes('type="password"'));
    const ways = await browser.submit(page, { identifier: email });
    assert.match(ways.url, /\/ways$/);
    const sent = await browser.submit(ways, {}, '/send');
    const end = await browser.submit(sent, { code: await mailedCode(latchkey, email) }, '/code');
    assert.equal((await flow.finish(end)).claims()?.sub, session.userId);
    const other = browserOf(latchkey);
    const username = await other.submit((await opened(other)).page, { identifier: 'ada' });
    assert.match(username.text, /type="email"/, 'a name that is no address is asked for one');
    await changeSettings(latchkey, { signInMethods: ['social'] });
    const hinted = await opened(browserOf(latchkey), { login_hint: email });
    assert.deepEqual(waysOn(hinted.page).shown, ['Continue with Dev provider'], 'no page is without a way');
  });
});

describe('the way that was last used', () => {
  test('comes first and is marked, in this browser alone and only after it succeeded', async () => {
    const email = newEmail();
    const browser = browserOf(latchkey);
    const { flow, page } = await opened(browser);
    const there = await browser.open(`${page.url}/provider/dev`);
    const denied = await browser.submit(there, { email, name: 'Ada', deny: 'yes' });
    assert.ok(!denied.text.includes('class="last"'), 'a way that failed is not remembered');
    const again = await browser.open(`${page.url}/provider/dev`);
    await flow.finish(await browser.submit(again, { email, name: 'Ada', verified: 'yes' }));
    const next = await opened(browser, { prompt: 'select_account' });
    const another = await browser.submit(next.page, { as: 'another' }, '/continue');
    assert.equal(waysOn(another).shown[0], 'Continue with Dev provider Last used');
    assert.ok(!(await opened(browserOf(latchkey))).page.text.includes('class="last"'));
    for (const jar of browser.cookies.values())
      for (const name of jar.keys()) if (name.includes('-way-')) jar.set(name, '<script>');
    const forged = await opened(browser, { prompt: 'login' });
    assert.ok(!forged.page.text.includes('class="last"') && !forged.page.text.includes('<script>'));
  });

  test('the last way is the registration, not a provider that was tried before it', async () => {
    const browser = browserOf(latchkey);
    const { flow, page } = await opened(browser);
    await browser.submit(await browser.open(`${page.url}/provider/dev`), { email: newEmail(), deny: 'yes' });
    const form = await browser.open(`${page.url}/register`);
    await flow.finish(await browser.submit(form, { email: newEmail(), password: PASSWORD }, '/register'));
    assert.ok(!(await opened(browser, { prompt: 'login' })).page.text.includes('class="last"'));
  });

  test('has its images for each project and environment', async () => {
    const projectId = latchkey.demo.projects[1]?.id;
    assert.ok(projectId);
    const { clientId } = await latchkey.inProject(
      async (tx) => {
        await addDevProvider(tx);
        const redirectUris = ['http://localhost:5173/callback'];
        return createApplication(tx, { kind: 'spa', name: 'Helpdesk app', redirectUris });
      },
      { projectId },
    );
    const browser = browserOf(latchkey);
    const { flow, page } = await opened(browser);
    const there = await browser.open(`${page.url}/provider/dev`);
    await flow.finish(await browser.submit(there, { email: newEmail(), name: 'Ada', verified: 'yes' }));
    const again = { prompt: 'login' };
    const isMarked = async (options: Parameters<typeof codeFlow>[2]) => {
      const { text } = await browser.open((await codeFlow(latchkey, again, options)).url);
      assert.match(text, /Continue with Dev provider/);
      return text.includes('class="last"');
    };
    assert.equal(await isMarked({}), true);
    assert.equal(await isMarked({ clientId }), false);
    assert.equal(await isMarked({ environment: 'production' }), false);
  });
});

describe('the page in a browser', () => {
  test('shows the password, carries what was typed along, and passes axe-core', async () => {
    const page = await chromium.newPage({ viewport: { width: 390, height: 800 } });
    await page.goto((await codeFlow(latchkey)).url);
    assert.deepEqual(await faultsInBothThemes(page), [], 'the name');
    await page.fill('input[name=identifier]', 'ada@example.com');
    await page.getByRole('link', { name: 'Create account' }).click();
    await page.locator('input[name=email]').waitFor();
    assert.equal(await page.inputValue('input[name=email]'), 'ada@example.com');
    assert.ok(!page.url().includes('ada@'), 'no server sees it in an address');
    await page.goBack();
    await page.fill('input[name=identifier]', 'ada@example.com');
    await page.keyboard.press('Enter');
    const password = page.locator('input[name=password]');
    await password.fill('a secret');
    assert.equal(await password.getAttribute('type'), 'password');
    // The next stop of the keyboard, so nobody needs a mouse.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    assert.equal(await page.getByRole('checkbox', { name: 'Show password' }).isChecked(), true);
    assert.equal(await password.getAttribute('type'), 'text');
    assert.deepEqual(await faultsInBothThemes(page), [], 'the ways');
    const first = await page.locator('form button').first().textContent();
    assert.equal(first, 'Sign in', 'the first button of the page submits its form');
    await page.close();
  });
});
