import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { admin } from '../../../server/tests/apis.ts';
import { codesOf } from '../../../server/tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  eventually,
  mailedCode,
  newEmail,
  PASSWORD,
  prove as proven,
  register,
} from '../../../server/tests/harness.ts';
import { picture } from '../../../server/tests/images.ts';
import { startApp } from '../../browser/tests/app.ts';
import { alert, button, enter, errorsOf, expectClean, type Forms, menu, part, startForms } from './pages.ts';

const PLAIN = { logoUrl: null, accentColor: null, backgroundColor: null, radius: null, text: null, links: {} };
const DEFAULTS = { emailVerification: 'off', mfa: 'optional', branding: PLAIN };

let forms: Forms;
let latchkey: Forms['latchkey'];
let browser: Forms['browser'];
let bundled: Forms['bundled'];
let app: Forms['app'];
let opened: Forms['opened'];
before(async () => {
  forms = await startForms();
  ({ latchkey, browser, bundled, app, opened } = forms);
});
after(() => forms.stop());
afterEach(() => changeSettings(latchkey, DEFAULTS));

const code = (page: Page) => page.getByLabel('Code', { exact: true });

describe('the sign-in form', () => {
  test('signs in by a password, says what is wrong, and is accessible in both themes', async () => {
    const { email } = await register(latchkey);
    const page = await opened();
    const errors = errorsOf(page);
    await button(page, 'Sign in').waitFor();
    await expectClean(page, errors);
    await enter(page, email, 'wrong');
    assert.equal(await alert(page).textContent(), 'Wrong address or password.');
    await expectClean(page);
    await enter(page, email);
    await menu(page).waitFor();
  });

  test('registers, verifies the address, sets up the second factor and shows its codes before the session begins', async () => {
    await changeSettings(latchkey, { emailVerification: 'required', mfa: 'required' });
    const email = newEmail();
    const page = await opened();
    await button(page, 'Create account').click();
    const heading = page.getByRole('heading', { name: 'Create your account' });
    await heading.and(page.locator(':focus')).waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await expectClean(page);
    await button(page, 'Create account').click();
    await code(page).fill('00000000');
    await button(page, 'Continue').click();
    assert.match((await alert(page).textContent()) ?? '', /wrong or has expired/);
    await expectClean(page);
    await code(page).fill(await mailedCode(latchkey, email));
    await button(page, 'Continue').click();
    const secret = (await page.locator('code').textContent()) ?? '';
    await expectClean(page);
    await code(page).fill(codesOf(secret, { now: () => new Date() })());
    await button(page, 'Continue').click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    assert.equal(await page.locator('.latchkey-codes li').count(), 10);
    const recovery = (await page.locator('.latchkey-codes code').first().textContent()) ?? '';
    await expectClean(page);
    await button(page, 'Continue').click();
    await menu(page).click();
    await button(page, 'Sign out').first().click();
    await enter(page, email);
    await page.getByText('Enter the code from your authenticator app.').waitFor();
    await expectClean(page);
    await button(page, 'Use a recovery code').click();
    await page.getByText('Enter one of your recovery codes.').waitFor();
    await code(page).fill(recovery);
    await button(page, 'Continue').click();
    await menu(page).waitFor();
  });

  test('signs in by a mailed code, and chooses a new password', async () => {
    const { email } = await register(latchkey);
    const page = await opened();
    await page.getByText('Email me a code').click();
    await page.locator('details[open]').getByLabel('Email address').fill(email);
    await page.locator('details[open]').getByRole('button').click();
    await code(page).waitFor();
    await code(page).fill(await mailedCode(latchkey, email));
    await button(page, 'Continue').click();
    await menu(page).waitFor();
    const other = await opened();
    await button(other, 'Forgot your password?').click();
    await other.getByLabel('Email, phone or username').fill(email);
    await button(other, 'Continue').click();
    await code(other).waitFor();
    await code(other).fill(await mailedCode(latchkey, email));
    await other.getByLabel('New password').fill('another fine password');
    await expectClean(other);
    await button(other, 'Save').click();
    await other.getByText('Your password has been changed. Sign in with it.').waitFor();
    await enter(other, email, 'another fine password');
    await menu(other).waitFor();
  });

  test('links an account at a provider after its owner has signed in', async () => {
    const { email, session } = await proven(latchkey, await register(latchkey));
    const page = await opened();
    await button(page, 'Continue with Dev provider').click();
    await page.fill('input[name=email]', email);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Is this your account?' }).waitFor();
    await expectClean(page);
    await enter(page, email);
    await menu(page).waitFor();
    await eventually(async () =>
      assert.ok((await eventsOf(latchkey, session.userId)).some((type) => type.includes('linked'))),
    );
    await menu(page).click();
    await button(page, 'Sign out').first().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await enter(page, email);
    await menu(page).waitFor();
  });

  test('offers what the project allows, in its colours and in the language of the person', async (t) => {
    await changeSettings(latchkey, {
      branding: { ...PLAIN, accentColor: '#ffe000' },
      registration: 'closed',
      signInMethods: ['email_code'],
    });
    t.after(() =>
      changeSettings(latchkey, {
        registration: 'open',
        signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
      }),
    );
    const page = await (await browser.newContext({ locale: 'de-AT' })).newPage();
    await page.goto(app.origin);
    await page.getByLabel('E-Mail-Adresse').waitFor();
    assert.equal(await page.getByRole('button').count(), 1, await page.getByRole('main').innerText());
    const colour = await page
      .getByRole('button')
      .evaluate((element) => Object(globalThis).getComputedStyle(element).backgroundColor);
    assert.notEqual(colour, 'rgb(29, 78, 216)');
    await expectClean(page);
  });

  test('speaks Arabic from right to left, with the dark logo in the dark theme', async (t) => {
    const pictures = await Promise.all(['#a02060', '#f0a0c0'].map((colour) => picture(colour).png().toBuffer()));
    const shown = pictures.map((content) => ({ content: content.toString('base64') }));
    const images = 'branding/images';
    await admin(latchkey, `${images}/logo`, { method: 'PUT', body: shown[0] });
    const { logo, darkLogo } = await admin(latchkey, `${images}/darkLogo`, { method: 'PUT', body: shown[1] });
    t.after(() => admin(latchkey, `${images}/logo`, { method: 'DELETE' }));
    const page = await (await browser.newContext({ locale: 'ar-EG', colorScheme: 'dark' })).newPage();
    const errors = errorsOf(page);
    await page.goto(app.origin);
    await page.getByRole('heading', { name: 'تسجيل الدخول', exact: true }).waitFor();
    const shop = page.getByRole('img', { name: 'Shop' });
    assert.equal(await shop.getAttribute('src'), darkLogo.url);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator(`img[src="${logo.url}"]`).waitFor();
    await expectClean(page, errors);
    const person = await register(latchkey);
    await page.getByLabel('البريد الإلكتروني أو الهاتف أو اسم المستخدم').fill(person.email);
    await page.getByLabel('كلمة المرور', { exact: true }).fill(PASSWORD);
    await button(page, 'تسجيل الدخول').click();
    await part(page, 'الملف الشخصي').waitFor();
    const directions = await page.evaluate(
      `['.latchkey-account', '.latchkey-user'].map((name) => getComputedStyle(document.querySelector(name)).direction)`,
    );
    assert.deepEqual(directions, ['rtl', 'rtl']);
    await expectClean(page, errors);
  });

  test('leads nobody to another origin', async () => {
    const { email } = await register(latchkey);
    const page = await opened({ ...app, origin: `${app.origin}/?returnTo=https://evil.example/` });
    await enter(page, email);
    await menu(page).waitFor();
    assert.match(page.url(), new RegExp(`^${app.origin}`));
    const script = await opened({ ...app, origin: `${app.origin}/?then=javascript:document.body.remove()` });
    await enter(script, email);
    await menu(script).waitFor();
    const inside = await opened({ ...app, origin: `${app.origin}/?returnTo=/orders` });
    await enter(inside, email);
    await inside.waitForURL(`${app.origin}/orders`);
  });

  test('on a page of its own takes what a provider left to do, and leads back with the session in memory', async (t) => {
    const own = await startApp(latchkey, {
      sdk: bundled.sdk,
      html: bundled.html('startWithForm'),
      signInUrl: '/sign-in',
    });
    t.after(own.stop);
    await changeSettings(latchkey, { mfa: 'required' });
    const page = await opened({ ...own, origin: `${own.origin}/orders` });
    await button(page, 'Continue with Dev provider').click();
    await page.fill('input[name=email]', newEmail());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Protect your account' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/sign-in');
    const secret = (await page.locator('code').textContent()) ?? '';
    await code(page).fill(codesOf(secret, { now: () => new Date() })());
    await button(page, 'Continue').click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await button(page, 'Continue').click();
    await page.getByText(/^Orders of/).waitFor();
    assert.equal(page.url(), `${own.origin}/orders`);
  });
});
