import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { overflowOf, faultsOf as violationsOf } from './accessibility.ts';
import { eventually, type TestLatchkey } from './harness.ts';
import { type Operator, signInOperator } from './operators.ts';

/** The console in a browser, with a signed-in operator. */
export type ConsoleApp = {
  page: Page;
  context: BrowserContext;
  operator: Operator;
  /** Opens a screen of the demo's first project, in the test environment by default. */
  open: (path: string, environment?: 'test' | 'production') => Promise<void>;
  /** Opens a screen of the workspace. */
  openWorkspace: (path: string) => Promise<void>;
  /** Goes to another screen of the project as a link does; its title differs from the one before. */
  goTo: (path: string, title: string) => Promise<void>;
  goToWorkspace: (path: string, title: string) => Promise<void>;
  /** The errors in the browser's console since the last call, such as violations of the content security policy, with their URLs. */
  complaints: () => string[];
};

/** A preview is sandboxed on purpose, which the browser reports. */
const FROM_SANDBOX = /^Blocked (script execution|autofocusing)/;

type ConsoleOptions = BrowserContextOptions & { operator?: Operator; width?: number };

/** Opens the built console; `npm run build -w console` builds it. */
export async function openConsole(
  latchkey: TestLatchkey,
  browser: Browser,
  { operator: known, width = 1440, ...options }: ConsoleOptions = {},
): Promise<ConsoleApp> {
  const operator = known ?? (await signInOperator(latchkey));
  const { console: origin } = latchkey.system.config.addresses;
  const context = await browser.newContext({
    ...{ colorScheme: 'light', viewport: { width, height: 900 } },
    ...options,
  });
  await context.addCookies(cookiesOf(operator, origin));
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const wanted = FROM_SANDBOX.test(message.text());
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !wanted) complaints.push(`${message.text()} at ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const open = async (path: string) => {
    const response = await page.goto(`${origin}/console${path}`);
    assert.equal(response?.status(), 200, 'The console is not built: npm run build -w console');
    await shown(page);
  };
  const { workspaceId, projects } = latchkey.demo;
  return {
    page,
    context,
    operator,
    open: (path, environment = 'test') => open(`/${workspaceId}/${projects[0]?.id}/${environment}${path}`),
    openWorkspace: (path) => open(`/${workspaceId}${path}`),
    goTo: (path, title) => replaceScreen(page, `/${workspaceId}/${projects[0]?.id}/test${path}`, title),
    goToWorkspace: (path, title) => replaceScreen(page, `/${workspaceId}${path}`, title),
    complaints: () => complaints.splice(0),
  };
}

function cookiesOf({ cookie }: Operator, url: string): { name: string; value: string; url: string }[] {
  return cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}

/** Waits until a screen has loaded. */
export async function shown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' });
}

async function replaceScreen(page: Page, path: string, title: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  const before = await page.evaluate((address) => {
    const { document, history } = Object(globalThis);
    const { textContent } = document.querySelector('h1');
    history.pushState({}, '', address);
    return textContent;
  }, `/console${path}`);
  assert.notEqual(before, title, 'only another title proves that the next screen is shown');
  await heading.and(page.getByRole('heading', { name: title, exact: true })).waitFor();
  await shown(page);
}

/** Waits until a notice reports success or failure with this text. */
export function said(page: Page, text: string | RegExp): Promise<void> {
  return page.getByRole('alert').or(page.getByRole('status')).filter({ hasText: text }).first().waitFor();
}

/** Fails unless the locator becomes visible. */
export async function expectShown(locator: Locator): Promise<void> {
  await eventually(async () => assert.ok(await locator.isVisible(), `${locator} is shown`));
}

/** The faults that axe-core finds against WCAG 2.2 AA, and whether the page is wider than the screen. */
export async function faultsOf(page: Page): Promise<string[]> {
  const violations = await violationsOf(page);
  const overflow = await overflowOf(page);
  return overflow > 0 ? [...violations, `wider than the screen by ${overflow} px`] : violations;
}
