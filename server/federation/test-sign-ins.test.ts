import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newServiceKey, type ServiceKey } from '#saml';
import { type Company, newCompany, signInThrough } from '#tests/connections.ts';
import {
  expectProblem,
  newEmail,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf } from '#tests/oidc.ts';
import { about, leftFrom, newSamlCompany, type SamlCompany } from '#tests/saml-companies.ts';
import { signedResponse } from '#tests/saml-provider.ts';

let latchkey: TestLatchkey;
let key: ServiceKey;
let upstream: Issuer;
before(async () => {
  [latchkey, key, upstream] = await Promise.all([
    startTestLatchkey(),
    newServiceKey('provider', new Date()),
    startIssuer(),
  ]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const testsOf = (id: string) => `/connections/${id}/test-sign-ins`;
async function started(company: Company, id: string): Promise<{ id: string; url: string }> {
  const response = await company.call(testsOf(id), 'POST');
  assert.equal(response.status, 201, response.text);
  assert.equal(response.body.outcome, null);
  return response.body;
}
const outcomeOf = async (company: Company, id: string, testId: string) =>
  (await company.call(`${testsOf(id)}/${testId}`)).body.outcome;

/** A test sign-in by SAML that comes back with a response. */
async function testBySaml(
  company: SamlCompany,
  responseFor: (requestId: string) => string,
  browser = browserOf(latchkey),
) {
  const begun = await started(company, company.id);
  const { url } = await browser.open(begun.url);
  const { request, back } = leftFrom(latchkey, company, { there: url, browser });
  const page = await back(responseFor(request.id));
  return { page, outcome: await outcomeOf(company, company.id, begun.id) };
}

/** A test sign-in by OpenID Connect of a person with these claims. */
async function testByOidc(company: Company, claims: Issuer['claims']) {
  upstream.claims = claims;
  const begun = await started(company, company.connectionId);
  const browser = browserOf(latchkey);
  const there = await browser.open(begun.url);
  const { auth } = latchkey.system.config.addresses.test;
  const query = new URLSearchParams(upstream.approve(there.url));
  await browser.open(`${auth}/v1/auth/login/connections/${company.connectionId}/callback?${query}`);
  return outcomeOf(company, company.connectionId, begun.id);
}

const someone = () => crypto.randomUUID();
const oidcCompany = () => newCompany(latchkey, { issuer: upstream.issuer });

async function countOf(table: string, where: string, value: string): Promise<number> {
  const { rows } = await latchkey.system.pool.query(`select count(*)::int from ${table} where ${where} = $1`, [value]);
  return rows[0].count;
}

describe('a test sign-in by SAML', () => {
  test('of a disabled connection explains what came back, and leaves no account, member or session', async () => {
    const company = await newSamlCompany(latchkey, key, {
      more: { status: 'disabled', roles: ['admin'], attributes: { displayName: 'full' } },
    });
    const email = company.newEmail();
    const { page, outcome } = await testBySaml(company, (id) =>
      signedResponse({ ...about(company, email, id), attributes: { mail: email, full: 'Ada Byron' } }, key),
    );
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /test sign-in is over/);
    assert.equal(page.code, null);
    assert.deepEqual(outcome, {
      result: 'creates',
      because: null,
      check: null,
      detail: null,
      subject: email,
      attributes: { mail: [email], full: ['Ada Byron'] },
      mapped: {
        email,
        emailVerified: null,
        displayName: 'Ada Byron',
        givenName: null,
        familyName: null,
        groups: [],
      },
      userId: null,
      roles: ['admin'],
      secondFactor: false,
    });
    assert.deepEqual(await company.members(), []);
    assert.equal(await countOf('identifiers', 'value', email), 0);
    assert.equal(await countOf('linked_identities', 'subject', email), 0);
    const { body } = await company.call(company.path);
    assert.equal(body.status, 'disabled');
  });

  test('names the check that refuses the response', async () => {
    const company = await newSamlCompany(latchkey, key);
    const { outcome } = await testBySaml(company, (id) =>
      signedResponse({ ...about(company, company.newEmail(), id), audience: 'urn:other' }, key),
    );
    assert.deepEqual([outcome.result, outcome.check, outcome.attributes], ['refused', 'audience', {}]);
    assert.match(outcome.detail, /urn:other/);
  });

  test('issues no code for the application, also when the connection is enabled', async () => {
    const company = await newSamlCompany(latchkey, key);
    const { page } = await testBySaml(company, (id) => signedResponse(about(company, company.newEmail(), id), key));
    assert.equal(page.code, null);
    assert.deepEqual(await company.members(), []);
  });
});

describe('a test sign-in by OpenID Connect', () => {
  test('names the account that it would sign in or link and its roles by groups, and changes nothing', async () => {
    const company = await oidcCompany();
    await company.change({ status: 'enabled', justInTime: true, groupRoles: { Staff: ['admin'] } });
    const claims = { sub: someone(), email: company.newEmail(), groups: ['Staff'], level: 7 };
    const person = await prove(latchkey, await register(latchkey, { email: claims.email }));
    const links = await testByOidc(company, claims);
    assert.deepEqual(
      [links.result, links.userId, links.roles, links.attributes.groups, links.attributes.level],
      ['links', person.session.userId, ['admin'], ['Staff'], ['7']],
    );
    const profile = await latchkey.api('/v1/me/profile', { token: person.access_token });
    assert.equal(profile.status, 200, 'the session of the person continues');
    assert.deepEqual(await company.members(), []);
    assert.equal((await signInThrough(latchkey, upstream, { connectionId: company.connectionId, claims })).status, 200);
    const signsIn = await testByOidc(company, { ...claims, groups: [] });
    assert.deepEqual([signsIn.result, signsIn.userId, signsIn.roles], ['signs_in', person.session.userId, []]);
    assert.deepEqual((await company.members())[0]?.roles, ['admin'], 'the roles stay as they are');
  });

  test('says what would be refused, and why', async () => {
    const company = await oidcCompany();
    const outcome = await testByOidc(company, { sub: someone(), email: company.newEmail() });
    assert.deepEqual([outcome.result, outcome.because], ['refused', 'MEMBERSHIP_REQUIRED']);
    assert.match(outcome.detail, /not in this organization/);
  });

  test('says that somebody would have to prove an account, or a second factor', async () => {
    const company = await oidcCompany();
    await company.change({ justInTime: true });
    const person = await prove(latchkey, await register(latchkey));
    const asks = await testByOidc(company, { sub: someone(), email: person.email, email_verified: true });
    assert.deepEqual([asks.result, asks.userId], ['asks_for_proof', null]);
    assert.equal((await company.call('/policy', 'PATCH', { mfa: 'required' })).status, 200);
    const waits = await testByOidc(company, { sub: someone(), email: newEmail() });
    assert.deepEqual([waits.result, waits.secondFactor], ['creates', true]);
    const waiting = await countOf('mfa_challenges', 'organization_id', company.organizationId);
    assert.equal(waiting, 0);
  });

  test('explains an identity provider that refuses or does not respond', async () => {
    const company = await oidcCompany();
    const begun = await started(company, company.connectionId);
    const browser = browserOf(latchkey);
    const state = new URL((await browser.open(begun.url)).url).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error: 'access_denied', error_description: 'No licence' });
    const { auth } = latchkey.system.config.addresses.test;
    await browser.open(`${auth}/v1/auth/login/connections/${company.connectionId}/callback?${query}`);
    assert.equal((await outcomeOf(company, company.connectionId, begun.id)).detail, 'access_denied: No licence');
    const away = await newCompany(latchkey, { issuer: 'http://localhost:9' });
    const other = await started(away, away.connectionId);
    assert.equal((await browserOf(latchkey).open(other.url)).status, 200);
    assert.match((await outcomeOf(away, away.connectionId, other.id)).detail, /not responding/);
  });
});

describe('the address of a test sign-in', () => {
  const open = (url: string): Promise<TestResponse> => {
    const { pathname, search } = new URL(url);
    return latchkey.auth(pathname + search);
  };

  test('works once, also when opened at once', async () => {
    const company = await newSamlCompany(latchkey, key);
    const { url } = await started(company, company.id);
    const opened = await Promise.all([1, 2, 3, 4].map(() => open(url)));
    assert.deepEqual(opened.map(({ status }) => status).sort(), [303, 400, 400, 400]);
  });

  test('works for its own connection alone, and ends in the browser that opened it', async () => {
    const [own, other] = await Promise.all([newSamlCompany(latchkey, key), newSamlCompany(latchkey, key)]);
    const begun = await started(own, own.id);
    expectProblem(await open(begun.url.replace(own.id, other.id)), 400, 'INVALID_TOKEN');
    const browser = browserOf(latchkey);
    const { url } = await browser.open(begun.url);
    const { request, back } = leftFrom(latchkey, own, { there: url, browser });
    const page = await back(signedResponse(about(own, own.newEmail(), request.id), key), browserOf(latchkey));
    assert.equal(page.status, 400, page.text);
    assert.equal(await outcomeOf(own, own.id, begun.id), null);
  });

  test('and its outcome are unknown in other organizations, and refused once the connection is removed', async () => {
    const [own, other] = await Promise.all([newSamlCompany(latchkey, key), newSamlCompany(latchkey, key)]);
    const begun = await started(own, own.id);
    expectProblem(await other.call(`${testsOf(own.id)}/${begun.id}`), 404, 'NOT_FOUND');
    expectProblem(await other.call(`${testsOf(other.id)}/${begun.id}`), 404, 'NOT_FOUND');
    expectProblem(await other.call(testsOf(own.id), 'POST'), 404, 'NOT_FOUND');
    assert.equal((await own.call(own.path, 'DELETE')).status, 204);
    expectProblem(await open(begun.url), 404, 'NOT_FOUND');
  });
});
