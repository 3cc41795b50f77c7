import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as client from 'openid-client';
import type { Environment } from '#platform/ctx.ts';
import { PASSWORD, type TestLatchkey } from './harness.ts';

/** A page as a browser without JavaScript shows it. */
type Page = { url: string; status: number; text: string };

export type Browser = {
  /**
   * Follows redirects within the hosts of the installations.
   * @returns the page, or the redirect that leaves them
   */
  open: (url: string) => Promise<Page>;
  /**
   * Fills in a form of the page and submits it.
   * @param form the end of the form's action; the first form by default
   */
  submit: (page: Page, fields: Record<string, string>, form?: string) => Promise<Page>;
  cookies: Map<string, Map<string, string>>;
};

/**
 * A browser without JavaScript for some installations: it keeps cookies by path, because ports share them, follows
 * redirects and submits forms.
 */
export function browserOf(...installations: TestLatchkey[]): Browser {
  return browserFor(
    installations.flatMap(({ system: { config } }) => [
      config.addresses.console,
      config.addresses.test.auth,
      config.addresses.production.auth,
    ]),
  );
}

/**
 * Like {@link browserOf}, for some origins.
 * @param fetch reaches the origins
 */
export function browserFor(origins: readonly string[], fetch = globalThis.fetch): Browser {
  const cookies = new Map<string, Map<string, string>>();
  const visit = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const { pathname, origin } = new URL(url);
    if (!origins.includes(origin)) return { url, status: 0, text: '' };
    const sent = [...cookies].flatMap(([path, jar]) =>
      pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`) ? [...jar] : [],
    );
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: sent.map(([name, value]) => `${name}=${value}`).join('; '),
        ...Object(init.headers),
      },
    });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const location = response.headers.get('location');
    if (location !== null) {
      assert.equal(response.status, 303, `${init.method ?? 'GET'} ${url} redirects with 303 (OA-6)`);
      return visit(new URL(location, url).href);
    }
    return { url, status: response.status, text: await response.text() };
  };
  return {
    cookies,
    open: (url) => visit(url),
    submit: (page, fields, form = '') => {
      const { action, hidden } = formIn(page, form);
      const body = new URLSearchParams({ ...hidden, ...fields });
      const { origin } = new URL(page.url);
      return visit(new URL(action, page.url).href, { method: 'POST', body, headers: { origin } });
    },
  };
}

function keep(cookies: Browser['cookies'], line: string): void {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  const at = pair.indexOf('=');
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
  const jar = cookies.get(path) ?? new Map<string, string>();
  const gone = attributes.some((attribute) => /^(expires=Thu, 01 Jan 1970|max-age=0)/i.test(attribute));
  if (gone) jar.delete(pair.slice(0, at));
  else jar.set(pair.slice(0, at), pair.slice(at + 1));
  cookies.set(path, jar);
}

function formIn(page: Page, ending: string): { action: string; hidden: Record<string, string> } {
  const forms = [...page.text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const found = forms.find(([, action = '']) => action.endsWith(ending));
  assert.ok(found, `a form that ends with "${ending}" on ${page.url}: ${page.text}`);
  const fields = [...(found[2] ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: (found[1] ?? '').replaceAll('&amp;', '&'),
    hidden: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
  };
}

export type CodeFlow = {
  configuration: client.Configuration;
  url: string;
  /** Exchanges the code that the browser brought back. */
  finish: (page: Page) => Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers>;
  parameters: { code_verifier: string; state: string; nonce: string };
};

/** Starts a code flow with PKCE, as the demo's application or another client. */
export async function codeFlow(
  latchkey: TestLatchkey,
  parameters: Record<string, string> = {},
  { clientId, secret, redirectUri = 'http://localhost:5173/callback', environment = 'test' }: ClientOptions = {},
): Promise<CodeFlow> {
  const configuration = await configurationOf(latchkey, { clientId, secret, environment });
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return {
    configuration,
    url: url.href,
    parameters: { code_verifier: verifier, state, nonce },
    finish: (page) => {
      assert.ok(page.url.startsWith(redirectUri), `back at the application, not ${page.url} ${page.text}`);
      return client.authorizationCodeGrant(configuration, new URL(page.url), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
      });
    },
  };
}

/** The claims at userinfo, read with the tokens of a finished flow. */
export async function userInfoOf(
  { configuration }: CodeFlow,
  tokens: client.TokenEndpointResponse,
): Promise<client.UserInfoResponse> {
  return client.fetchUserInfo(configuration, tokens.access_token, client.skipSubjectCheck);
}

export type ClientOptions = {
  clientId?: string | undefined;
  secret?: string | undefined;
  redirectUri?: string;
  environment?: Environment;
};

/** Discovers the issuer as a client would. */
export function configurationOf(
  latchkey: TestLatchkey,
  { clientId, secret, environment = 'test' }: ClientOptions = {},
): Promise<client.Configuration> {
  const issuer = new URL(latchkey.system.config.addresses[environment].auth);
  return client.discovery(
    issuer,
    clientId ?? latchkey.demo.environments[environment].clientId,
    secret,
    secret === undefined ? client.None() : client.ClientSecretBasic(secret),
    { execute: [client.allowInsecureRequests] },
  );
}

/**
 * A server for redirect URIs.
 * @param scripts further files that it serves, by path
 */
export async function startApplicationServer(
  scripts: Record<string, string> = {},
): Promise<{ origin: string; stop: () => void }> {
  const server = createServer((request, response) => {
    const script = scripts[request.url ?? ''];
    if (script !== undefined) response.setHeader('content-type', 'text/javascript').end(script);
    else response.setHeader('content-type', 'text/html').end('<!doctype html><title>The application</title>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    origin: `http://localhost:${address.port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Signs a person in through the pages.
 * @returns where the browser ended
 */
export async function signInOn(
  latchkey: TestLatchkey,
  flow: CodeFlow,
  person: { email: string },
  browser = browserOf(latchkey),
): Promise<Page> {
  const page = await browser.open(flow.url);
  return browser.submit(page, { identifier: person.email, password: PASSWORD });
}

/** The parameters of a redirect to the application. */
export function returned(url: string): Record<string, string> {
  const { searchParams, hash } = new URL(url);
  return Object.fromEntries([...searchParams, ...new URLSearchParams(hash.slice(1))]);
}
