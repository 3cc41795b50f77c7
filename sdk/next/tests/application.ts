import assert from 'node:assert/strict';
import { NextRequest } from 'next/server.js';
import { newApplication } from '../../../server/tests/apis.ts';
import { PASSWORD, type TestLatchkey } from '../../../server/tests/harness.ts';
import { type Browser, browserOf } from '../../../server/tests/oidc.ts';
import { type Cookies, setCookieOf } from '../src/cookies.ts';
import { latchkey as signIn } from '../src/index.ts';
import { changesFor, readSession, type Session } from '../src/session.ts';
import { type Options, type Settings, settingsOf } from '../src/settings.ts';

export const ORIGIN = 'http://localhost:3000';

export type Application = ReturnType<typeof signIn> & { options: Options; settings: Settings };

/** An application at an origin that nothing listens at: its routes and its proxy are called as Next.js calls them. */
export async function startApplication(latchkey: TestLatchkey, more: object = {}): Promise<Application> {
  const { clientId, secret } = await newApplication(latchkey, {
    redirectUris: [`${ORIGIN}/auth/callback`],
    postLogoutRedirectUris: [`${ORIGIN}/`],
    ...more,
  });
  const { auth: issuer } = latchkey.system.config.addresses.test;
  assert.ok(secret);
  return applicationOf({ issuer, clientId, clientSecret: secret, cookieSecret: 's'.repeat(32), origin: ORIGIN });
}

export function applicationOf(options: Options): Application {
  return { ...signIn(options), options, settings: settingsOf(options) };
}

/** A browser at the application, and at Latchkey. */
export type Visitor = {
  cookies: Map<string, string>;
  latchkey: Browser;
  /** Calls a route of the application. */
  call: (path: string, init?: RequestInit) => Promise<Response>;
  /** Opens a page: the proxy runs, and the browser takes its cookies. @returns the cookies that the page sees */
  page: (app?: Application) => Promise<Map<string, string>>;
  session: () => Promise<Session | null>;
  /** Lets the access token end. */
  age: () => Promise<void>;
};

export function visitorOf(app: Application, latchkey: TestLatchkey): Visitor {
  const cookies = new Map<string, string>();
  const header = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const session = () => readSession(app.settings, cookies);
  return {
    cookies,
    latchkey: browserOf(latchkey),
    call: async (path, init = {}) => {
      const headers = { ...Object(init.headers), cookie: header() };
      const request = new Request(ORIGIN + path, { ...init, headers });
      const response = await app.handlers[init.method === 'POST' ? 'POST' : 'GET'](request);
      keep(cookies, response.headers.getSetCookie());
      return response;
    },
    page: async (at = app) => {
      const request = new NextRequest(`${ORIGIN}/orders`, { headers: { cookie: header() } });
      const { headers } = await at.proxy(request);
      keep(cookies, headers.getSetCookie());
      return new Map(pairs(headers.get('x-middleware-request-cookie') ?? ''));
    },
    session,
    age: async () => {
      const found = await session();
      assert.ok(found);
      const changes = await changesFor(app.settings, cookies, { ...found, expiresAt: 1 });
      keep(
        cookies,
        changes.map((change) => setCookieOf(app.settings, change)),
      );
    },
  };
}

function pairs(header: string): [string, string][] {
  return header
    .split('; ')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    });
}

function keep(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [[name, value] = ['', '']] = pairs(line.split('; ')[0] ?? '');
    if (/; Max-Age=0/.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }
}

export const locationOf = (response: Response): string => response.headers.get('location') ?? '';

/** Begins a sign-in and goes through the pages of Latchkey. @returns the path of the callback, not yet called */
export async function prove(visitor: Visitor, person: { email: string }, returnTo = '/'): Promise<string> {
  const left = await visitor.call(`/auth/sign-in?${new URLSearchParams({ returnTo })}`);
  assert.equal(left.status, 303);
  const page = await visitor.latchkey.open(locationOf(left));
  const back = page.text.includes('name="identifier"')
    ? await visitor.latchkey.submit(page, { identifier: person.email, password: PASSWORD })
    : page;
  assert.ok(back.url.startsWith(`${ORIGIN}/auth/callback?`), back.url);
  return back.url.slice(ORIGIN.length);
}

/** @returns where the sign-in led */
export async function enter(visitor: Visitor, person: { email: string }, returnTo?: string): Promise<string> {
  return locationOf(await visitor.call(await prove(visitor, person, returnTo)));
}

export const sessionPartsOf = (cookies: Cookies): string[] =>
  [...cookies.keys()].filter((name) => name.includes('session'));
