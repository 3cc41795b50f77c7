import assert from 'node:assert/strict';
import { createVerify, X509Certificate } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { newServiceKey, type ServiceKey } from '#saml';
import { exchange, startOf } from '#tests/connections.ts';
import { expectProblem, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { about, ENTITY_ID, leftFrom, newSamlCompany, postResponse, type SamlCompany } from '#tests/saml-companies.ts';
import {
  assertionXml,
  encryptedAssertion,
  responseXml,
  type Said,
  signedResponse,
  signXml,
} from '#tests/saml-provider.ts';

const APPLICATION = 'https://app.example.com/start';

let latchkey: TestLatchkey;
let key: ServiceKey;
before(async () => {
  [latchkey, key] = await Promise.all([startTestLatchkey(), newServiceKey('provider', new Date())]);
});
after(() => latchkey.stop());

const samlCompany = (more: Record<string, unknown> = {}, saml: Record<string, unknown> = {}) =>
  newSamlCompany(latchkey, key, { more, saml });
const postTo = (company: SamlCompany, relayState: string, xml: string) =>
  postResponse(latchkey, company, { relayState, xml });

/** Leaves for the identity provider. */
async function leave(company: SamlCompany, browser = browserOf(latchkey)) {
  const there = await browser.open(startOf(latchkey, company.id));
  return leftFrom(latchkey, company, { there: there.url, browser });
}

const lastResponse = async (company: SamlCompany) => (await company.call(`${company.path}/saml/last-response`)).body;

describe('a sign-in by SAML', () => {
  test('makes a new person a member, and finds them again', async () => {
    const company = await samlCompany();
    const email = company.newEmail();
    const { request, back } = await leave(company);
    assert.equal(request.url.origin + request.url.pathname, `${ENTITY_ID}/sso`);
    assert.match(request.xml, new RegExp(`AssertionConsumerServiceURL="${company.acs}"`));
    const { code, url } = await back(signedResponse(about(company, email, request.id), key));
    const first = await exchange(latchkey, code);
    assert.equal(first.status, 200, `${first.text} ${url}`);
    assert.equal(first.body.session.organizationId, company.organizationId);
    assert.deepEqual(
      (await company.members()).map((member) => member.email),
      [email],
    );
    const again = await leave(company);
    const second = await again.back(signedResponse(about(company, email, again.request.id), key));
    assert.equal((await exchange(latchkey, second.code)).body.session.userId, first.body.session.userId);
    const explained = await lastResponse(company);
    assert.deepEqual(
      [explained.accepted, explained.nameId, explained.attributes, explained.mapped.email],
      [true, email, { mail: [email] }, email],
    );
  });

  test('sends a request that is signed with the key of the connection', async () => {
    const company = await samlCompany();
    const { request } = await leave(company);
    const signed = request.url.search.slice(1).replace(/&Signature=.*$/, '');
    const signature = request.url.searchParams.get('Signature') ?? '';
    const { publicKey } = new X509Certificate(company.certificate);
    assert.ok(createVerify('RSA-SHA256').update(signed).verify(publicKey, signature, 'base64'));
  });

  test('with an assertion that is encrypted for the connection', async () => {
    const company = await samlCompany();
    const { request, back } = await leave(company);
    const said = about(company, company.newEmail(), request.id);
    const assertion = signXml(assertionXml(said), key, { element: 'Assertion' });
    const { code, url } = await back(responseXml(said, await encryptedAssertion(assertion, company.certificate)));
    assert.equal((await exchange(latchkey, code)).status, 200, url);
  });

  test('ends in the browser that began it alone, and once', async () => {
    const company = await samlCompany();
    const { request, back } = await leave(company);
    const xml = signedResponse(about(company, company.newEmail(), request.id), key);
    const other = await back(xml, browserOf(latchkey));
    assert.deepEqual([other.status, other.code], [400, null], other.text);
    expectProblem(await postTo(company, request.relayState, xml), 400, 'INVALID_TOKEN');
  });

  test('takes the first response to a request, and no second', async () => {
    const company = await samlCompany();
    const { request } = await leave(company);
    const xml = signedResponse(about(company, company.newEmail(), request.id), key);
    const posted = await Promise.all([1, 2, 3, 4].map(() => postTo(company, request.relayState, xml)));
    assert.deepEqual(posted.map(({ status }) => status).sort(), [303, 400, 400, 400]);
  });

  for (const [what, change, check] of [
    ['the request of another browser', { inResponseTo: '_other' }, 'in_response_to'],
    ['another connection', { audience: 'urn:latchkey:connection:con_01kaz3w9hqf8p9n2m4v5x6y7z8' }, 'audience'],
    ['another identity provider', { issuer: 'https://evil.example.com' }, 'issuer'],
  ] as const)
    test(`is refused with a response of ${what}, and says why to administrators alone`, async () => {
      const company = await samlCompany();
      const { request, back } = await leave(company);
      const said = { ...about(company, company.newEmail(), request.id), ...change };
      const { code, error, url } = await back(signedResponse(said, key));
      assert.deepEqual([code, error], [null, 'server_error']);
      assert.ok(!url.includes('_other') && !url.includes('evil'), url);
      const explained = await lastResponse(company);
      assert.deepEqual([explained.accepted, explained.check, explained.attributes], [false, check, {}]);
      assert.deepEqual(await company.members(), []);
    });

  test('does not take the assertion for a connection of another organization', async () => {
    const [own, other] = await Promise.all([samlCompany(), samlCompany()]);
    const { request, back } = await leave(own);
    const { code, error } = await back(signedResponse(about(other, own.newEmail(), request.id), key));
    assert.deepEqual([code, error], [null, 'server_error']);
  });

  test('does not end at another connection than it began', async () => {
    const [own, other] = await Promise.all([samlCompany(), samlCompany()]);
    const { request } = await leave(own);
    const xml = signedResponse(about(other, own.newEmail(), request.id), key);
    expectProblem(await postTo(other, request.relayState, xml), 400, 'INVALID_TOKEN');
  });
});

describe('a sign-in that begins at the identity provider', () => {
  const unsolicited = (company: SamlCompany, more: Partial<Said> = {}) =>
    signedResponse({ ...about(company, company.newEmail(), null), ...more }, key);

  test('is refused unless the connection says where it leads', async () => {
    const company = await samlCompany();
    expectProblem(await postTo(company, company.relayState, unsolicited(company)), 403, 'METHOD_DISABLED');
    expectProblem(await postTo(company, '', unsolicited(company)), 400, 'INVALID_TOKEN');
  });

  test('leads to the application, signs nobody in, and works once, also when posted at once', async () => {
    const company = await samlCompany({}, { idpInitiatedUrl: APPLICATION });
    const xml = unsolicited(company);
    const posted = await Promise.all([1, 2, 3, 4].map(() => postTo(company, company.relayState, xml)));
    assert.deepEqual(posted.map(({ status }) => status).sort(), [303, 400, 400, 400]);
    const query = new URLSearchParams({ organization: company.organizationId, connection: company.id });
    const led = posted.find(({ status }) => status === 303);
    assert.equal(led?.headers.get('location'), `${APPLICATION}?${query}`);
    assert.deepEqual(await company.members(), []);
    expectProblem(await postTo(company, company.relayState, xml), 400, 'INVALID_TOKEN');
    assert.equal((await lastResponse(company)).check, 'replay');
  });

  test('is refused with an assertion that answers a request, or of another company', async () => {
    const company = await samlCompany({}, { idpInitiatedUrl: APPLICATION });
    const other = await samlCompany();
    const wrong = [unsolicited(company, { inResponseTo: '_request' }), unsolicited(other)];
    const posted = await Promise.all(wrong.map((xml) => postTo(company, company.relayState, xml)));
    for (const response of posted) expectProblem(response, 400, 'INVALID_TOKEN');
  });

  test('is refused with the RelayState of another project', async () => {
    const company = await samlCompany({}, { idpInitiatedUrl: APPLICATION });
    const [, second] = latchkey.demo.projects;
    const elsewhere = company.relayState.replace(/prj_\w+$/, second?.id ?? '');
    assert.notEqual(elsewhere, company.relayState);
    expectProblem(await postTo(company, elsewhere, unsolicited(company)), 404, 'NOT_FOUND');
    assert.equal((await postTo(company, company.relayState, unsolicited(company))).status, 303);
  });

  test('is refused while the connection is disabled', async () => {
    const company = await samlCompany({ status: 'disabled' }, { idpInitiatedUrl: APPLICATION });
    expectProblem(await postTo(company, company.relayState, unsolicited(company)), 404, 'NOT_FOUND');
  });
});

test('the last response is unknown in other organizations, and gone with the connection', async () => {
  const [own, other] = await Promise.all([samlCompany({}, { idpInitiatedUrl: APPLICATION }), samlCompany()]);
  const said = signedResponse(about(own, own.newEmail(), null), key);
  assert.equal((await postTo(own, own.relayState, said)).status, 303);
  expectProblem(await other.call(`${own.path}/saml/last-response`), 404, 'NOT_FOUND');
  assert.equal((await own.call(own.path, 'DELETE')).status, 204);
  expectProblem(await own.call(`${own.path}/saml/last-response`), 404, 'NOT_FOUND');
});
