import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const FOREIGN = { origin: 'https://application.example', 'sec-fetch-site': 'cross-site' };
const send = (path: string, body: URLSearchParams) => latchkey.auth(path, { body, headers: FOREIGN });

describe('POST /connect/authorize', () => {
  test('starts a sign-in with the parameters of a form from another site', async () => {
    const flow = await codeFlow(latchkey, { scope: 'openid email', state: 'a b&c=d\r\nx: y' });
    const { pathname, origin, searchParams } = new URL(flow.url);
    const response = await send(pathname, searchParams);
    assert.equal(response.status, 303);
    const location = new URL(response.headers.get('location') ?? '', origin);
    assert.equal(location.href, flow.url);
    assert.equal(response.headers.get('set-cookie'), null);
    const browser = browserOf(latchkey);
    const person = await register(latchkey);
    const page = await browser.open(location.href);
    const back = await browser.submit(page, { identifier: person.email, password: PASSWORD });
    assert.equal(new URL(back.url).searchParams.get('state'), 'a b&c=d\r\nx: y');
  });

  test('keeps a parameter that is sent twice, which is then refused', async () => {
    const { url } = await codeFlow(latchkey);
    const { pathname, origin, searchParams } = new URL(url);
    searchParams.append('client_id', 'another');
    const response = await send(pathname, searchParams);
    const page = await browserOf(latchkey).open(new URL(response.headers.get('location') ?? '', origin).href);
    assert.deepEqual([page.status, /client_id&#39; parameter must not be provided twice/.test(page.text)], [400, true]);
  });

  test('refuses a form that does not fit into an address, and anything but a form', async () => {
    const large = new URLSearchParams({ state: 'x'.repeat(8_192) });
    expectProblem(await send('/connect/authorize', large), 413, 'PAYLOAD_TOO_LARGE');
    expectProblem(await latchkey.auth('/connect/authorize', { body: {} }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('POST /connect/logout', () => {
  test('leads to the question, which names the project where the browser signed in', async () => {
    const browser = browserOf(latchkey);
    await signInOn(latchkey, await codeFlow(latchkey), await register(latchkey), browser);
    const response = await send('/connect/logout', new URLSearchParams());
    const { auth } = latchkey.system.config.addresses.test;
    const question = await browser.open(new URL(response.headers.get('location') ?? '', auth).href);
    assert.match(question.text, /Sign out of Shop\?/);
  });
});
