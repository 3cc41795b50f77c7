import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import {
  formFields,
  logoutRequestXml,
  logoutResponseXml,
  newServiceKey,
  redirectAddress,
  type ServiceKey,
  signedXml,
} from '#saml';
import { exchange, startOf } from '#tests/connections.ts';
import { codesOf } from '#tests/factors.ts';
import { expectProblem, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';
import { about, ENTITY_ID, leftFrom, newSamlCompany, postResponse, type SamlCompany } from '#tests/saml-companies.ts';
import { requestIn, signedResponse } from '#tests/saml-provider.ts';

const LOGOUT = `${ENTITY_ID}/logout`;
let latchkey: TestLatchkey;
let key: ServiceKey;
let stranger: ServiceKey;
before(async () => {
  [latchkey, key, stranger] = await Promise.all([
    startTestLatchkey(),
    newServiceKey('provider', new Date()),
    newServiceKey('stranger', new Date()),
  ]);
});
after(() => latchkey.stop());

const company = () => newSamlCompany(latchkey, key, { logout: LOGOUT });

/** Where the identity provider of a company logs people out here. */
async function logoutUrlOf(own: SamlCompany): Promise<string> {
  const { body } = await own.call(own.path);
  return body.saml.serviceProvider.logoutUrl;
}

/** Goes to the identity provider and back, up to the code. */
async function arrive(own: SamlCompany, email: string, sessionIndex: string): Promise<string | null> {
  const browser = browserOf(latchkey);
  const { url } = await browser.open(startOf(latchkey, own.id));
  const { request, back } = leftFrom(latchkey, own, { there: url, browser });
  return (await back(signedResponse({ ...about(own, email, request.id), sessionIndex }, key))).code;
}

async function signIn(own: SamlCompany, email: string, sessionIndex: string): Promise<string> {
  const { status, body, text } = await exchange(latchkey, await arrive(own, email, sessionIndex));
  assert.equal(status, 200, text);
  return body.access_token;
}

const isAlive = async (token: string) => (await latchkey.api('/v1/me/profile', { token })).status === 200;

type Asking = {
  nameId: string;
  indexes?: string[];
  id?: string;
  issuedAt?: Date;
  issuer?: string;
  destination?: string;
};
function requestXml(to: string, { nameId, indexes = [], ...head }: Asking): string {
  const person = { nameId, nameIdFormat: null, nameQualifier: null, spNameQualifier: null };
  const common = { id: `_${crypto.randomUUID()}`, issuedAt: new Date(), destination: to, issuer: ENTITY_ID };
  return logoutRequestXml({ ...common, ...head }, person, indexes);
}

/** The identity provider sends the browser with a request, by redirect. */
async function logOut(to: string, asking: Asking, by: ServiceKey = key): Promise<TestResponse> {
  const sent = { kind: 'SAMLRequest', xml: requestXml(to, asking), destination: to, relayState: 'theirs' } as const;
  return open(await redirectAddress(sent, by.privateKey));
}

function open(address: string): Promise<TestResponse> {
  const { pathname, search } = new URL(address);
  return latchkey.auth(pathname + search);
}

describe('a logout at the identity provider', () => {
  test('ends exactly the session that it names, and is answered', async () => {
    const own = await company();
    const [to, ada, bob] = [await logoutUrlOf(own), own.newEmail(), own.newEmail()];
    const first = await signIn(own, ada, 'one');
    const [second, other] = [await signIn(own, ada, 'two'), await signIn(own, bob, 'one')];
    const response = await logOut(to, { nameId: ada, indexes: ['one'], id: '_asked' });
    assert.equal(response.status, 303, response.text);
    const address = new URL(response.headers.get('location') ?? '');
    assert.equal(address.origin + address.pathname, LOGOUT);
    assert.equal(address.searchParams.get('RelayState'), 'theirs');
    assert.ok(address.searchParams.get('Signature'));
    const xml = inflateRawSync(Buffer.from(address.searchParams.get('SAMLResponse') ?? '', 'base64')).toString();
    assert.match(xml, /InResponseTo="_asked"/);
    assert.match(xml, /status:Success/);
    assert.deepEqual(await Promise.all([first, second, other].map(isAlive)), [false, true, true]);
  });

  test('without a session index ends all sessions of the person at that connection, and no others', async () => {
    const [own, elsewhere] = await Promise.all([company(), company()]);
    const ada = own.newEmail();
    const tokens = [await signIn(own, ada, 'one'), await signIn(own, ada, 'two')];
    const there = await signIn(elsewhere, ada, 'one');
    assert.equal((await logOut(await logoutUrlOf(own), { nameId: ada })).status, 303);
    assert.deepEqual(await Promise.all([...tokens, there].map(isAlive)), [false, false, true]);
  });

  test('by a form does the same', async () => {
    const own = await company();
    const [to, ada] = [await logoutUrlOf(own), own.newEmail()];
    const token = await signIn(own, ada, 'one');
    const xml = signedXml(requestXml(to, { nameId: ada }), 'LogoutRequest', key);
    const body = new URLSearchParams(formFields({ kind: 'SAMLRequest', xml, relayState: null }));
    const response = await latchkey.auth(new URL(to).pathname, { method: 'POST', body });
    assert.equal(response.status, 303, response.text);
    assert.equal(await isAlive(token), false);
  });

  test('refuses a sign-in whose code is not exchanged yet, and one that waits for its second factor', async () => {
    const own = await company();
    const [to, ada, bob] = [await logoutUrlOf(own), own.newEmail(), own.newEmail()];
    const code = await arrive(own, ada, 'one');
    assert.equal((await logOut(to, { nameId: ada, indexes: ['one'] })).status, 303);
    expectProblem(await exchange(latchkey, code), 400, 'INVALID_TOKEN');
    assert.equal((await own.call('/policy', 'PATCH', { mfa: 'required' })).status, 200);
    const { body } = await exchange(latchkey, await arrive(own, bob, 'two'));
    const { mfaToken } = body;
    const set = await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } });
    assert.equal((await logOut(to, { nameId: bob, indexes: ['two'] })).status, 303);
    const confirming = { mfaToken, factorId: set.body.id, code: codesOf(set.body.secret, latchkey.system.clock)() };
    expectProblem(await latchkey.auth('/v1/auth/mfa/enroll/confirm', { body: confirming }), 400, 'INVALID_TOKEN');
  });

  test('works once, also when it arrives several times at once', async () => {
    const own = await company();
    const [to, ada] = [await logoutUrlOf(own), own.newEmail()];
    await signIn(own, ada, 'one');
    const asking = { nameId: ada, id: '_once' };
    const responses = await Promise.all([1, 2, 3, 4].map(() => logOut(to, asking)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 400, 400, 400]);
    const later = await signIn(own, ada, 'two');
    expectProblem(await logOut(to, asking), 400, 'INVALID_TOKEN');
    assert.equal(await isAlive(later), true);
  });

  test('is refused unless this identity provider signed it for this address, now', async () => {
    const [own, other] = await Promise.all([company(), company()]);
    const [to, ada] = [await logoutUrlOf(own), own.newEmail()];
    const token = await signIn(own, ada, 'one');
    const plain = await redirectAddress(
      { kind: 'SAMLRequest', xml: requestXml(to, { nameId: ada }), destination: to, relayState: null },
      key.privateKey,
    );
    const refused = await Promise.all([
      open(plain.replace(/&SigAlg=.*$/, '')),
      open(plain.replace(/SAMLRequest=/, 'SAMLRequest=A')),
      logOut(to, { nameId: ada }, stranger),
      logOut(to, { nameId: ada, issuer: 'https://other.example.com' }),
      logOut(to, { nameId: ada, destination: await logoutUrlOf(other) }),
      logOut(to, { nameId: ada, issuedAt: new Date(Date.now() - 600_000) }),
    ]);
    for (const response of refused) expectProblem(response, 400, 'INVALID_TOKEN');
    assert.equal((await logOut(to, { nameId: own.newEmail() })).status, 303, 'somebody who is not signed in');
    assert.equal((await logOut(to, { nameId: ada, indexes: ['another'] })).status, 303);
    assert.equal(await isAlive(token), true);
  });

  test('is unknown at another project, a disabled connection, and one of another kind', async () => {
    const own = await company();
    const to = await logoutUrlOf(own);
    const ada = own.newEmail();
    const [, second] = latchkey.demo.projects;
    const foreign = to.replace(/prj_[a-z0-9]+$/, second?.id ?? '');
    expectProblem(await logOut(foreign, { nameId: ada }), 404, 'NOT_FOUND');
    const oidc = to.replace(own.id, own.connectionId);
    expectProblem(await logOut(oidc, { nameId: ada }), 404, 'NOT_FOUND');
    assert.equal((await own.call(own.path, 'PATCH', { status: 'disabled' })).status, 200);
    expectProblem(await logOut(to, { nameId: ada }), 404, 'NOT_FOUND');
  });
});

test('our metadata name the single logout service before the consumers', async () => {
  const own = await company();
  const { workspaceId, projects } = latchkey.demo;
  const query = new URLSearchParams({ workspaceId, projectId: projects[0]?.id ?? '' });
  const { text } = await latchkey.auth(`/v1/auth/login/connections/${own.id}/metadata?${query}`);
  const to = await logoutUrlOf(own);
  assert.equal(text.split(`Location="${to}"`).length, 3, text);
  assert.ok(text.indexOf('SingleLogoutService') < text.indexOf('AssertionConsumerService'));
});

describe('a logout at the hosted pages', () => {
  /** Signs in by the hosted pages, and asks to log out there. */
  async function signedOut(own: SamlCompany) {
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, { organization: own.organizationId });
    const { url } = await browser.open(flow.url);
    const { request, back } = leftFrom(latchkey, own, { there: url, browser });
    const { access_token: token } = await flow.finish(
      await back(signedResponse({ ...about(own, own.newEmail(), request.id), sessionIndex: 'theirs' }, key)),
    );
    const question = await browser.open(`${latchkey.system.config.addresses.test.auth}/connect/logout`);
    const page = await browser.submit(question, { logout: 'yes' });
    return { browser, question, page, token };
  }

  async function switchedOn(): Promise<SamlCompany> {
    const own = await company();
    const changed = await own.call(own.path, 'PATCH', { saml: { singleLogout: true } });
    assert.deepEqual([changed.body.saml?.singleLogout, changed.body.saml?.logoutUrl], [true, LOGOUT], changed.text);
    return own;
  }

  /** Comes back from the identity provider with its response. */
  async function back(own: SamlCompany, { page, browser }: Awaited<ReturnType<typeof signedOut>>, by: ServiceKey) {
    const [request, destination] = [requestIn(page.url), await logoutUrlOf(own)];
    const head = { id: '_response', issuedAt: new Date(), destination, issuer: ENTITY_ID };
    const xml = logoutResponseXml(head, request.id, 'success');
    const sent = { kind: 'SAMLResponse', xml, destination, relayState: request.relayState } as const;
    return browser.open(await redirectAddress(sent, by.privateKey));
  }

  test('goes on at the identity provider where that is switched on, and comes back', async () => {
    const own = await switchedOn();
    const out = await signedOut(own);
    assert.ok(out.page.url.startsWith(LOGOUT), `${out.page.url} ${out.page.text}`);
    assert.match(requestIn(out.page.url).xml, /<samlp:SessionIndex>theirs</);
    assert.equal(await isAlive(out.token), false);
    const returned = await back(own, out, key);
    assert.match(returned.url, /\/connect\/logout\/success/);
    const again = await back(own, out, key);
    assert.equal(again.status, 400, 'a response is used once');
  });

  test('has ended our session, whatever the response says', async () => {
    const own = await switchedOn();
    const out = await signedOut(own);
    assert.match((await back(own, out, stranger)).url, /\/connect\/logout\/success/);
    assert.equal(await isAlive(out.token), false);
  });

  test('ends here where it is switched off', async () => {
    const out = await signedOut(await company());
    assert.match(out.page.url, /\/connect\/logout\/success/);
    assert.equal(await isAlive(out.token), false);
  });
});

test('an identity provider without HTTP-Redirect gets its request by a form', async () => {
  const own = await newSamlCompany(latchkey, key, { signOnBinding: 'HTTP-POST' });
  const browser = browserOf(latchkey);
  const page = await browser.open(startOf(latchkey, own.id));
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, new RegExp(`<form method="post" action="${ENTITY_ID}/sso" data-at-once>`));
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
  const request = Buffer.from(field('SAMLRequest'), 'base64').toString();
  assert.match(request, /<ds:SignatureValue>/);
  assert.match(request, new RegExp(`AssertionConsumerServiceURL="${own.acs}"`));
  const id = /\bID="([^"]+)"/.exec(request)?.[1] ?? '';
  const xml = signedResponse(about(own, own.newEmail(), id), key);
  const posted = await postResponse(latchkey, own, { relayState: field('RelayState'), xml });
  const back = await browser.open(new URL(posted.headers.get('location') ?? '', own.acs).href);
  assert.equal((await exchange(latchkey, new URL(back.url).searchParams.get('code'))).status, 200);
  const stolen = await browserOf(latchkey).open(page.url);
  assert.equal(stolen.status, 400, 'in another browser');
});
