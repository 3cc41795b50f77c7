import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build } from 'rolldown';
import { faultsInBothThemes } from '../../../server/tests/accessibility.ts';
import { admin } from '../../../server/tests/apis.ts';
import { openBrowser } from '../../../server/tests/browser.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { type App, startApp } from '../../browser/tests/app.ts';

const SDK = join(import.meta.dirname, '../..');

/** @returns the application of the tests: its module, and its page by the function that starts it */
export async function bundleApplication(): Promise<{
  sdk: string;
  html: (start: 'start' | 'startWithForm') => (options: object) => string;
}> {
  const { output } = await build({
    input: join(import.meta.dirname, 'application.tsx'),
    resolve: {
      alias: {
        '@latchkey/api': join(SDK, 'api/src/index.ts'),
        '@latchkey/browser/api': join(SDK, 'browser/src/api/index.ts'),
        '@latchkey/browser': join(SDK, 'browser/src/index.ts'),
      },
    },
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    output: { format: 'esm' },
    logLevel: 'silent',
    write: false,
  });
  const styles = await readFile(join(SDK, 'react/styles.css'), 'utf8');
  const html = (start: string) => (options: object) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>The application</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark; font-family: sans-serif }${styles}</style>
<script type="module">import { ${start} } from '/sdk.js'; ${start}(${JSON.stringify(options)});</script></html>`;
  return { sdk: output[0].code, html };
}

/** A Latchkey, a browser, and the application with the forms. */
export type Forms = {
  latchkey: TestLatchkey;
  browser: Browser;
  bundled: Awaited<ReturnType<typeof bundleApplication>>;
  app: App;
  /** Opens the application, or another one, in a context of its own unless one is given. */
  opened: (other?: App, context?: BrowserContext) => Promise<Page>;
  stop: () => Promise<void>;
};

export async function startForms(): Promise<Forms> {
  const [latchkey, browser, bundled] = await Promise.all([startTestLatchkey(), openBrowser(), bundleApplication()]);
  const app = await startApp(latchkey, { sdk: bundled.sdk, html: bundled.html('startWithForm') });
  return {
    ...{ latchkey, browser, bundled, app },
    opened: async ({ origin } = app, context) => {
      const page = await (context ?? (await browser.newContext())).newPage();
      await page.goto(origin);
      return page;
    },
    stop: async () => {
      app.stop();
      await browser.close();
      await latchkey.stop();
    },
  };
}

export const menu = (page: Page) => page.getByRole('button', { name: /^Account menu/ });

/** A person in two organizations. */
export async function personInTwo(latchkey: TestLatchkey) {
  const person = await register(latchkey, { profile: { displayName: 'Ada' } });
  const { items } = await admin(latchkey, `members?q=${encodeURIComponent(person.email)}`);
  const join = async (name: string) => {
    const { id } = await admin(latchkey, 'organizations', { body: { name } });
    await admin(latchkey, `organizations/${id}/members`, { body: { memberId: items[0].id, roles: [] } });
    return { id: String(id), name };
  };
  return { person, organizations: await Promise.all([join('Alpha'), join('Beta')]) };
}

/** The errors that a page logs from now on. */
export function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  return errors;
}

export const alert = (page: Page) => page.getByRole('alert').filter({ visible: true });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** What axe finds, and errors of the page. */
export async function expectClean(page: Page, errors: readonly string[] = []): Promise<void> {
  assert.deepEqual(await faultsInBothThemes(page), []);
  assert.deepEqual(errors, []);
}

/** Signs in by the form of the page. */
export async function enter(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email, phone or username').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
