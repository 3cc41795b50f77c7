import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as client from 'openid-client';
import { boundToken, newApplication } from './apis.ts';
import { openBrowser } from './browser.ts';
import { eventually, ownerToken, PASSWORD, register, startTestLatchkey, type TestLatchkey } from './harness.ts';
import { browserOf, codeFlow, signInOn } from './oidc.ts';
import { freePort } from './ports.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const GUIDES = join(ROOT, 'docs/guides');
const EXAMPLES = join(GUIDES, 'examples');

let latchkey: TestLatchkey;
let issuer: string;
const running = new Set<ChildProcess>();
before(async () => {
  latchkey = await startTestLatchkey();
  issuer = latchkey.system.config.addresses.test.auth;
});
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await latchkey.stop();
});

/** Adds the application as a guide says, at another address of this machine. */
async function applicationOf(
  guide: string,
  at: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Promise<{ clientId: string; secret: string | null }> {
  const page = await readFile(join(GUIDES, `${guide}.md`), 'utf8');
  let json = /```json application\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  for (const [from, to] of Object.entries(at)) json = json.replaceAll(from, to);
  const response = await latchkey.api('/v1/admin/applications', {
    token: await ownerToken(latchkey),
    body: { ...JSON.parse(json), ...more },
  });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

/** Adds an API, and returns what an application names to be granted it. */
async function apiFor(identifier: string, scopes: string[] = []) {
  const body = { identifier, name: 'Orders', scopes: scopes.map((name) => ({ name, description: '' })) };
  const added = await latchkey.api('/v1/admin/apis', { token: await ownerToken(latchkey), body });
  assert.equal(added.status, 201, added.text);
  return { identifier, scopes };
}

/**
 * Runs a file of the examples, as a reader would.
 * @returns waits for a line that it prints, and returns the match
 */
function run(file: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(EXAMPLES, file)], {
    env: { PATH: process.env['PATH'], LATCHKEY_ISSUER: issuer, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (pattern: RegExp): Promise<string> => {
    for (;;) {
      // biome-ignore lint/performance/noAwaitInLoops: line by line
      const { value, done } = await lines.next();
      assert.ok(done !== true, `${file} ended before ${pattern}: ${errors}`);
      const found = pattern.exec(value);
      if (found) return found[1] ?? '';
    }
  };
}

describe('the guides', () => {
  test('contain the files of the examples unchanged', async () => {
    for await (const name of glob('*.md', { cwd: GUIDES })) {
      const path = join(GUIDES, name);
      const page = await readFile(path, 'utf8');
      const files = [...page.matchAll(/^```\w+ file=(\S+)$/gm)].map(([, file = '']) => file);
      const texts = new Map(
        await Promise.all(files.map(async (file) => [file, await readFile(join(GUIDES, file), 'utf8')] as const)),
      );
      const whole = page.replaceAll(
        /^(```\w+ file=(\S+)\n)[\s\S]*?^```$/gm,
        (_all, fence: string, file: string) => `${fence}${texts.get(file) ?? ''}\`\`\``,
      );
      if (process.env['UPDATE_GUIDES'] === '1') await writeFile(path, whole);
      else assert.equal(page, whole, `${name}: UPDATE_GUIDES=1 copies the files into the page`);
    }
  });

  test('link to pages and sections that exist', async () => {
    const names = await Array.fromAsync(glob('*.md', { cwd: GUIDES }));
    const pages = new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(GUIDES, name), 'utf8')] as const)),
    );
    const anchorsOf = (page: string) =>
      [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
    for (const [name, page] of pages)
      for (const [link, target = '', anchor] of page.matchAll(/\]\(([\w.-]+\.md)(?:#([\w-]+))?\)/g)) {
        const found = pages.get(target);
        assert.ok(found !== undefined, `${name} ${link}`);
        assert.ok(anchor === undefined || anchorsOf(found).includes(anchor), `${name} ${link}`);
      }
  });
});

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves the single page as a static server would, with its settings filled in. */
async function serveSinglePage(settings: () => string): Promise<{ server: Server; origin: string }> {
  const folder = join(EXAMPLES, 'single-page-app');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = pathname === '/' ? '/index.html' : pathname;
    response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain');
    if (file === '/config.js') response.end(settings());
    else
      readFile(join(file.startsWith('/node_modules/') ? ROOT : folder, file)).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { server, origin: `http://localhost:${address.port}` };
}

describe('a single-page application', () => {
  test('signs in and out in a browser, and links to the account', async () => {
    let clientId = '';
    const settings = () => `export const issuer = '${issuer}';\nexport const clientId = '${clientId}';\n`;
    const { server, origin } = await serveSinglePage(settings);
    ({ clientId } = await applicationOf('single-page-app', { 'http://localhost:5173': origin }));
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.fill('input[name=identifier]', person.email);
      await page.fill('input[name=password]', PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByText('Hello, Ada').waitFor();
      assert.equal(page.url(), `${origin}/`, 'nothing of the response stays in the address');
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByRole('heading', { name: 'Profile' }).waitFor();
      await page.goto(origin);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are not signed in').waitFor();
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

/** A computed name, because its types include those of a browser, which the server must not see. */
const AUTH_JS = ['@auth', 'core'].join('/');

describe('Next.js', () => {
  test('the configuration signs in through Auth.js, which the route runs', async () => {
    const { Auth } = await import(AUTH_JS);
    const origin = 'http://localhost:3000';
    const { clientId, secret } = await applicationOf('nextjs');
    Object.assign(process.env, {
      LATCHKEY_ISSUER: issuer,
      LATCHKEY_CLIENT_ID: clientId,
      LATCHKEY_CLIENT_SECRET: secret,
    });
    const { config } = await import(pathToFileURL(join(EXAMPLES, 'nextjs/auth.config.js')).href);
    const jar = new Map<string, string>();
    const call = async (path: string, body?: URLSearchParams): Promise<Response> => {
      const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
      const request = new Request(`${origin}${path}`, { headers, ...(body && { method: 'POST', body }) });
      // What next-auth adds to the configuration from AUTH_SECRET and AUTH_TRUST_HOST.
      const response = await Auth(request, {
        ...config,
        basePath: '/api/auth',
        secret: 'a secret of the tests',
        trustHost: true,
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      return response;
    };
    const { csrfToken } = Object(await (await call('/api/auth/csrf')).json());
    const left = await call('/api/auth/signin/latchkey', new URLSearchParams({ csrfToken, callbackUrl: `${origin}/` }));
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const browser = browserOf(latchkey);
    const page = await browser.open(left.headers.get('location') ?? '');
    const back = await browser.submit(page, { identifier: person.email, password: PASSWORD });
    assert.equal((await call(back.url.slice(origin.length))).headers.get('location'), `${origin}/`);
    const { user } = Object(await (await call('/api/auth/session')).json());
    assert.deepEqual([user.name, user.email, user.roles], ['Ada', person.email, []]);
  });
});

describe('a Node.js back end', () => {
  test('signs people in with a session of its own, and out', async () => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const { clientId, secret } = await applicationOf('node-back-end', { 'http://localhost:3000': origin });
    assert.ok(secret);
    const started = run('node-back-end/server.js', {
      LATCHKEY_CLIENT_ID: clientId,
      LATCHKEY_CLIENT_SECRET: secret,
      PORT: port,
    });
    await started(/^open /);
    let cookie = '';
    const call = async (path: string, method = 'GET') => {
      const response = await fetch(origin + path, { method, redirect: 'manual', headers: { cookie } });
      cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
      return { to: response.headers.get('location') ?? '', text: await response.text() };
    };
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const browser = browserOf(latchkey);
    const question = await browser.open((await call('/sign-in')).to);
    const before = cookie;
    const back = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.equal((await call(back.url.slice(origin.length))).to, '/');
    assert.notEqual(cookie, before, 'a new session for who is now known');
    assert.equal((await call('/')).text, 'Hello, Ada\n');
    const gone = await browser.open((await call('/sign-out', 'POST')).to);
    assert.ok(gone.url.startsWith(`${origin}/`), gone.url);
    assert.match((await call('/')).text, /not signed in/);
    const again = await browser.open((await call('/sign-in')).to);
    const signedIn = again.url.startsWith(origin)
      ? again
      : await browser.submit(again, { identifier: person.email, password: PASSWORD });
    assert.equal((await call(signedIn.url.slice(origin.length))).to, '/');
    const forged = { method: 'POST', body: new URLSearchParams({ logout_token: 'a.b.c' }) };
    assert.equal((await fetch(`${origin}/backchannel-logout`, forged)).status, 500);
    assert.equal((await call('/')).text, 'Hello, Ada\n');
    const everywhere = { token: person.access_token, body: { everywhere: true } };
    assert.equal((await latchkey.auth('/v1/sessions/logout', everywhere)).status, 204);
    await eventually(async () => assert.match((await call('/')).text, /not signed in/));
    assert.equal((await call('/callback?code=stolen&state=x')).to, '/', 'an answer nobody waits for is nothing');
  });

  test('an API checks access tokens, and accepts no other tokens', async () => {
    const audience = 'https://api.example.com';
    const redirectUri = 'http://localhost:5173/';
    const { clientId } = await applicationOf(
      'single-page-app',
      {},
      { apis: [await apiFor(audience, ['orders:read'])] },
    );
    const port = await freePort();
    await run('node-back-end/api.js', { PORT: port, LATCHKEY_PROJECT: latchkey.demo.projects[0]?.id ?? '' })(
      /^listening/,
    );
    const person = await register(latchkey);
    const flow = await codeFlow(latchkey, { resource: audience }, { clientId, redirectUri });
    const page = await signInOn(latchkey, flow, person);
    const tokens = await client.authorizationCodeGrant(
      flow.configuration,
      new URL(page.url),
      {
        pkceCodeVerifier: flow.parameters.code_verifier,
        expectedState: flow.parameters.state,
        expectedNonce: flow.parameters.nonce,
      },
      { resource: audience },
    );
    const call = (token: string | undefined) =>
      fetch(`http://localhost:${port}/`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
    const response = await call(tokens.access_token);
    assert.equal(response.status, 200);
    const { you, project } = Object(await response.json());
    assert.deepEqual([you, project], [person.session.userId, latchkey.demo.projects[0]?.id]);
    const apis = [{ identifier: audience, machineScopes: ['orders:read'] }];
    const machine = await newApplication(latchkey, { kind: 'management', redirectUris: [], apis });
    const bound = await boundToken(latchkey, machine, { resource: audience });
    const others = await Promise.all([undefined, 'nonsense', tokens.id_token, person.access_token, bound].map(call));
    assert.deepEqual(
      others.map(({ status }) => status),
      [401, 401, 401, 401, 401],
    );
  });
});

describe('a native application', () => {
  test('receives the response of the system’s browser on a loopback address', async () => {
    const { clientId } = await applicationOf('native-app');
    const printed = run('native-app/sign-in.js', { LATCHKEY_CLIENT_ID: clientId });
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const question = await browser.open(await printed(/^Open (\S+)/));
    const confirm = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.match(confirm.text, /Continue only if you opened it yourself/);
    const back = await browser.submit(confirm, { decision: 'allow' }, '/consent');
    assert.match(await (await fetch(back.url)).text(), /return to the application/);
    assert.equal(await printed(/^Signed in as (.*)/), person.email);
    assert.equal(await printed(/^Renewed for (\d+)/), '900');
  });
});

describe('a command', () => {
  test('signs in with a code that is entered on another device', async () => {
    const { clientId } = await applicationOf('command-line');
    const printed = run('command-line/sign-in.js', { LATCHKEY_CLIENT_ID: clientId });
    const [, address = '', code = ''] =
      /(\S+) (\S+)/.exec((await printed(/^Open (\S+ .* enter \S+)/)).replace(/ in any browser and enter/, '')) ?? [];
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const confirm = await browser.submit(await browser.open(address), { user_code: code });
    const question = await browser.submit(confirm, {});
    await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.equal(await printed(/^Signed in as (.*)/), person.email);
  });
});

describe('a machine', () => {
  test('gets a token and reads the members', async () => {
    const { clientId, secret } = await applicationOf('machine');
    assert.ok(secret);
    const person = await register(latchkey);
    const { workspaceId, projects } = latchkey.demo;
    const printed = run('machine/members.js', {
      LATCHKEY_API: latchkey.system.config.addresses.test.api,
      LATCHKEY_CLIENT_ID: clientId,
      LATCHKEY_CLIENT_SECRET: secret,
      LATCHKEY_WORKSPACE: workspaceId,
      LATCHKEY_PROJECT: projects[0]?.id ?? '',
    });
    assert.equal(await printed(new RegExp(`^${person.email.replaceAll('.', '\\.')} (\\w+)`)), 'active');
  });
});
