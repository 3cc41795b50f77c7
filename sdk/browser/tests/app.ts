import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { build } from 'rolldown';
import { newApplication } from '../../../server/tests/apis.ts';
import { PASSWORD, type TestLatchkey } from '../../../server/tests/harness.ts';

/** @returns an entry of the package as one minified module */
export async function bundle(entry: 'index' | 'api/index' = 'index'): Promise<string> {
  const { output } = await build({
    input: join(import.meta.dirname, `../src/${entry}.ts`),
    output: { format: 'esm', minify: true },
    logLevel: 'silent',
    write: false,
  });
  return output[0].code;
}

const pageWith =
  (className: string) =>
  (options: object): string =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>The application</title>
<script type="module">
  import * as sdk from '/sdk.js';
  const auth = new sdk.${className}(${JSON.stringify(options)});
  Object.assign(globalThis, { auth, sdk });
  const show = () => Object.assign(document.documentElement.dataset, { status: auth.state.status, online: auth.state.isOnline });
  auth.subscribe(show);
  const told = ({ code, oauthError, errorCode, stepUp, message }) => ({ failed: code ?? 'other', oauthError, errorCode, stepUp, message });
  globalThis.attempt = (run) => run().then((value) => value, told);
  await auth.start().catch((error) => { globalThis.failure = told(error); });
  show();
</script></html>`;

/** The page of {@link startApp}, for the other entry. */
export const apiPage = pageWith('ApiAuth');

export type App = {
  origin: string;
  clientId: string;
  stop: () => void;
};

type Made = Record<string, unknown> & {
  sdk: string;
  api?: Api;
  application?: object;
  html?: (options: object) => string;
};
type Api = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A single-page application with the SDK, and an API at `/api`.
 * @param more settings of the SDK
 */
export async function startApp(
  latchkey: TestLatchkey,
  { sdk, api, application = {}, html = pageWith('Auth'), ...more }: Made,
): Promise<App> {
  let options = {};
  const server = createServer((request, response) => {
    if (request.url === '/sdk.js') response.setHeader('content-type', 'text/javascript').end(sdk);
    else if (request.url?.startsWith('/api') && api) api(request, response);
    else response.setHeader('content-type', 'text/html').end(html(options));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://localhost:${Object(server.address()).port}`;
  const issuer = latchkey.system.config.addresses.test.auth;
  const { clientId } = await newApplication(latchkey, {
    kind: 'spa',
    redirectUris: [`${origin}/`],
    postLogoutRedirectUris: [`${origin}/`],
    origins: [origin],
    ...application,
  });
  options = { issuer, clientId, ...more };
  return {
    origin,
    clientId,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @returns the number of token requests of a browser since the last call */
export function tokenRequestsOf(context: BrowserContext): () => number {
  let requests = 0;
  context.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/connect/token')) requests += 1;
  });
  return () => {
    const counted = requests;
    requests = 0;
    return counted;
  };
}

/** Waits until the SDK of the page has started, and is signed in or out. */
export async function settled(page: Page, status: 'signed-in' | 'signed-out'): Promise<void> {
  await page.locator(`html[data-status="${status}"]`).waitFor({ state: 'attached' });
}

/** Runs code in the page, where `auth` is the SDK. An error is returned as `{ failed, oauthError, stepUp }`. */
export async function inPage(page: Page, code: string) {
  return Object(await page.evaluate(`attempt(async () => (${code}))`));
}

/** Runs code that leaves the page. */
export async function leaving(page: Page, code: string): Promise<void> {
  await page.evaluate(`{ ${code}; null }`);
}

/** Signs a person in on the hosted pages that the browser is on. */
export async function prove(page: Page, { email }: { email: string }): Promise<void> {
  const identifier = page.locator('input[name=identifier]');
  await page.locator('input[name=password]').waitFor();
  if (await identifier.isEditable()) await identifier.fill(email);
  await page.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
}

/** Opens the application in a new tab and signs the person in. */
export async function signedIn(context: BrowserContext, { origin }: App, person: { email: string }): Promise<Page> {
  const page = await context.newPage();
  await page.goto(origin);
  await settled(page, 'signed-out');
  await leaving(page, 'auth.signIn()');
  await prove(page, person);
  await settled(page, 'signed-in');
  assert.equal(new URL(page.url()).search, '');
  return page;
}
