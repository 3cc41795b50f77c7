import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { totpOf } from '#tests/factors.ts';
import { changeSettings, newEmail, PASSWORD, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type Browser, browserFor, browserOf, codeFlow } from '#tests/oidc.ts';

const AUTH = 'https://auth.example.com';
const CONSOLE = 'https://console.example.com';
const OWN = 'http://localhost:5173';

const clock = new TestClock();
let latchkey: TestLatchkey;
/** Every cookie that was set by an https address. */
const seen: string[] = [];
before(async () => {
  const settings = { LATCHKEY_TEST_AUTH_URL: AUTH, LATCHKEY_CONSOLE_URL: CONSOLE };
  latchkey = await startTestLatchkey({ clock, settings });
});
after(() => latchkey.stop());

/** A `fetch` that adds the headers of a TLS-terminating proxy. */
const throughProxy: typeof globalThis.fetch = (input, init = {}) => {
  if (String(input).startsWith('http:')) return fetch(input, init);
  return new Promise((resolve, reject) => {
    const { host, pathname, search } = new URL(String(input));
    const { ports } = latchkey.system.config;
    const form = init.body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json';
    const headers = { host, 'x-forwarded-proto': 'https', ...(init.body && { 'content-type': form }) };
    const port = host === new URL(AUTH).host ? ports.test.auth : ports.console;
    const call = send(
      {
        host: '127.0.0.1',
        port,
        path: pathname + search,
        method: init.method ?? 'GET',
        headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode = 0, rawHeaders } = response;
          seen.push(...(response.headers['set-cookie'] ?? []));
          const told = new Headers();
          for (let index = 0; index < rawHeaders.length; index += 2)
            told.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
          const empty = statusCode === 204 || statusCode === 304;
          resolve(new Response(empty ? null : Buffer.concat(chunks), { status: statusCode, headers: told }));
        });
      },
    );
    call.once('error', reject);
    call.end(init.body ? String(init.body) : undefined);
  });
};

/** Operators sign in at the production auth host, which has a plain address here. */
const secureBrowser = () => browserFor([AUTH, CONSOLE, latchkey.system.config.addresses.production.auth], throughProxy);

async function call(path: string, body: Record<string, unknown>) {
  const response = await throughProxy(AUTH + path, {
    method: 'POST',
    headers: { origin: OWN },
    body: JSON.stringify(body),
  });
  const json = Object(await response.json());
  assert.equal(response.status, 200, JSON.stringify(json));
  return { access_token: String(json.access_token) };
}

async function register() {
  const email = newEmail();
  return { email, ...(await call('/v1/auth/register', { email, password: PASSWORD })) };
}

/** The kind of a cookie: its name without prefix, environment and sign-in. */
const kindOf = (line: string) =>
  /^(?:__Host-)?latchkey-(?:test-|production-)?(console-sign-in|no-passkey|[a-z]+)/.exec(line)?.[1] ?? line;

function documentedCookies(): string[] {
  const page = readFileSync(new URL('../../../docs/security-model.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('<!-- table: cookies -->');
  const rows = table.split('<!-- /table -->')[0]?.trim().split('\n').slice(2) ?? [];
  return rows.map((row) => /`([a-z-]+)`/.exec(row)?.[1] ?? row).sort();
}

describe('cookies on https', () => {
  test('every cookie of every page flow has the __Host- prefix, and is documented', async () => {
    const person = await register();
    await call('/v1/auth/login/password', { identifier: person.email, password: PASSWORD, cookies: true });
    const app = await totpOf(latchkey, person, clock);
    await changeSettings(latchkey, { mfa: 'optional' });
    const browser = secureBrowser();
    const question = await browser.open(`${AUTH}/account`);
    const second = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    browser.cookies.get('/')?.set('__Host-latchkey-makes-passkeys', '1');
    const offer = await browser.submit(second, { code: app.code(), remember: 'yes' });
    assert.match(offer.url, /\/passkey-offer$/, offer.text);
    const account = await browser.submit(offer, {}, '/decline');
    assert.equal(account.url, `${AUTH}/account`, account.text);
    const saved = await browser.submit(account, { displayName: 'Ada' });
    assert.equal(saved.status, 200, saved.text);
    const visitor = secureBrowser();
    const stranger = await visitor.open(`${AUTH}/account`);
    await visitor.open(`${stranger.url}/provider/dev`);
    const { operator } = latchkey.demo;
    const desk = secureBrowser();
    const door = await desk.open(`${CONSOLE}/console/v1/sign-in?returnTo=/console/`);
    const inside = await desk.submit(door, { identifier: operator.email, password: operator.password });
    assert.equal(inside.url, `${CONSOLE}/console/`, inside.text);
    assert.ok(seen.length > 10);
    for (const line of seen) {
      assert.match(line, /^__Host-latchkey-/, line);
      assert.match(line, /; path=\/(;|$)/i, line);
      assert.match(line, /; secure(;|$)/i, line);
      assert.match(line, /; httponly(;|$)/i, line);
      assert.match(line, /; samesite=(lax|strict)(;|$)/i, line);
      assert.ok(!/; domain=/i.test(line), line);
    }
    assert.deepEqual([...new Set(seen.map(kindOf))].sort(), documentedCookies());
  });

  test('a cookie planted by a sibling host of the domain signs nobody in', async () => {
    const attacker = await register();
    const browser = secureBrowser();
    const page = await browser.submit(await browser.open(`${AUTH}/account`), {
      identifier: attacker.email,
      password: PASSWORD,
    });
    assert.equal(page.url, `${AUTH}/account`, page.text);
    const own = [...(browser.cookies.get('/') ?? [])];
    assert.ok(own.some(([name]) => name === '__Host-latchkey-test-browser'));
    // Only this host can set names with the prefix, so a planted cookie has none.
    const victim = secureBrowser();
    victim.cookies.set('/', new Map(own.map(([name, value]) => [name.replace('__Host-', ''), value])));
    const shown = await victim.open(`${AUTH}/account`);
    assert.match(shown.url, /\/sign-in\//, 'asked who they are');
    assert.ok(!shown.text.includes(attacker.email));
  });
});

describe('several sign-ins in one browser', () => {
  const sizeOf = (browser: Browser) =>
    [...browser.cookies.values()]
      .flatMap((jar) => [...jar])
      .reduce((sum, [name, value]) => sum + name.length + value.length, 0);

  test('are independent, and never overflow the headers of a request', async () => {
    const plain = await startTestLatchkey();
    const email = newEmail();
    assert.equal((await plain.auth('/v1/auth/register', { body: { email, password: PASSWORD } })).status, 200);
    const browser = browserOf(plain);
    const flows = [];
    for (let begun = 0; begun < 12; begun += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const flow = await codeFlow(plain);
      const page = await browser.open(flow.url);
      await browser.submit(page, { identifier: email, password: 'not this one' });
      flows.push({ flow, page });
    }
    assert.ok(sizeOf(browser) < 8_000, `${sizeOf(browser)} characters of cookies`);
    const [first, earlier, last] = [flows[0], flows[9], flows[11]];
    assert.ok(first && earlier && last);
    const over = await browser.open(first.page.url);
    assert.equal(over.status, 400, 'the oldest made room');
    for (const { page } of [earlier, last]) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const shown = await browser.open(page.url);
      assert.equal(shown.url, page.url, shown.text);
    }
    const answered = await browser.submit(await browser.open(earlier.page.url), {
      identifier: email,
      password: PASSWORD,
    });
    assert.ok((await earlier.flow.finish(answered)).access_token);
    await plain.stop();
  });
});
