import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { admin } from '#tests/apis.ts';
import { exchange, newCompany, startOf } from '#tests/connections.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  ownerToken,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { redirectQuery } from '#tests/saml-messages.ts';
import {
  ACS,
  authnRequestXml,
  newServiceProvider,
  readAt,
  sentForm,
  serviceKey,
  signInAtProvider,
} from '#tests/saml-service-provider.ts';

const PASSWORD_CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
const MFA_CLASS = 'https://refeds.org/profile/mfa';

let latchkey: TestLatchkey;
let person: Awaited<ReturnType<typeof newPerson>>;
before(async () => {
  latchkey = await startTestLatchkey();
  person = await newPerson();
});
after(() => latchkey.stop());

async function newPerson(email?: string) {
  const profile = { displayName: 'Ada Byron', givenName: 'Ada', familyName: 'Byron' };
  const made = await prove(latchkey, await register(latchkey, { profile, ...(email && { email }) }));
  return { ...made, userId: String(made['session'].userId) };
}

const contextsXml = (classes: readonly string[], comparison = 'exact') =>
  `<samlp:RequestedAuthnContext Comparison="${comparison}">${classes
    .map(
      (name) =>
        `<saml:AuthnContextClassRef xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${name}</saml:AuthnContextClassRef>`,
    )
    .join('')}</samlp:RequestedAuthnContext>`;

describe('a sign-in that a service provider asks for', () => {
  test('ends with an assertion about the person, for that request and that service provider', async () => {
    const at = await newServiceProvider(latchkey);
    const other = await newServiceProvider(latchkey);
    const { page, id, browser } = await signInAtProvider(latchkey, at, { person });
    const { action, relayState, status } = sentForm(page);
    assert.deepEqual([action, relayState, status], [ACS, 'where I was', 'Success']);
    const content = await readAt(at, page, { requestId: id });
    assert.deepEqual(content.attributes, {
      email: [person.email],
      displayName: ['Ada Byron'],
      firstName: ['Ada'],
      lastName: ['Byron'],
    });
    assert.match(content.nameIdFormat ?? '', /persistent$/);
    assert.equal(content.context, PASSWORD_CLASS);
    assert.ok(!sentForm(page).xml.includes(person.userId));
    await assert.rejects(readAt(at, page, { requestId: '_other' }), /request/);
    await assert.rejects(readAt(other, page, { requestId: id }), /certificate|issuer|expected|audience/i);
    await assert.rejects(readAt(at, page, { requestId: id, recipient: 'https://sp.example.com/other' }), /for/);
    assert.ok((await eventsOf(latchkey, person.userId)).includes('saml.assertion.issued'));
    // The same person at both: the session is used, and the names have nothing in common.
    const second = await signInAtProvider(latchkey, other, { person, browser });
    assert.equal(second.asked, false);
    const again = await signInAtProvider(latchkey, at, { person, browser });
    const [elsewhere, here] = await Promise.all([
      readAt(other, second.page, { requestId: second.id }),
      readAt(at, again.page, { requestId: again.id }),
    ]);
    assert.equal(here.nameId, content.nameId);
    assert.equal(here.sessionIndex, content.sessionIndex);
    assert.notEqual(elsewhere.nameId, content.nameId);
    assert.notEqual(elsewhere.sessionIndex, content.sessionIndex);
  });

  test('works by HTTP-POST, with a signed request and an encrypted assertion, where the session may last', async () => {
    const key = await serviceKey();
    const at = await newServiceProvider(latchkey, {
      signingCertificates: [key.certificate],
      encryptionCertificate: key.certificate,
      requireSignedRequests: true,
      encryptAssertions: true,
      sessionSeconds: 600,
      nameIdFormat: 'emailAddress',
      attributePreset: 'ldap',
    });
    const browser = browserOf(latchkey);
    const query = redirectQuery(authnRequestXml(at, { id: '_r' }), { key });
    const page = await browser.open(`${at.own.signOnUrl}?${query}`);
    const done = await browser.submit(page, { identifier: person.email, password: 'correct horse battery staple' });
    const content = await readAt(at, done, { requestId: '_r', key });
    assert.equal(content.nameId, person.email);
    assert.deepEqual(content.attributes['urn:oid:0.9.2342.19200300.100.1.3'], [person.email]);
    assert.ok(!sentForm(done).xml.includes(person.email));
    const unsigned = await browser.open(`${at.own.signOnUrl}?${redirectQuery(authnRequestXml(at))}`);
    assert.equal(unsigned.status, 400);
    assert.match(unsigned.text, /is not signed/);
  });

  test('takes a form from another site', async () => {
    const at = await newServiceProvider(latchkey);
    const body = new URLSearchParams({ SAMLRequest: Buffer.from(authnRequestXml(at)).toString('base64') });
    const sent = await latchkey.auth(`/saml/${at.clientId}/sign-in`, { method: 'POST', body });
    assert.equal(sent.status, 303);
    assert.match(sent.headers.get('location') ?? '', /\/connect\/authorize\?/);
  });

  test('sends responses to registered addresses alone', async () => {
    const at = await newServiceProvider(latchkey, {
      consumers: [
        { url: ACS, index: 0 },
        { url: 'https://sp.example.com/second', index: 7 },
      ],
    });
    const browser = browserOf(latchkey);
    for (const consumer of ['https://evil.example.com/acs', `${ACS}/`, ACS.toUpperCase()]) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const page = await browser.open(
        `${at.own.signOnUrl}?${redirectQuery(authnRequestXml(at, { with: { AssertionConsumerServiceURL: consumer } }))}`,
      );
      assert.equal(page.status, 400);
      assert.ok(!page.text.includes('data-at-once'));
    }
    const named = { AssertionConsumerServiceURL: '', AssertionConsumerServiceIndex: '7' };
    const { page } = await signInAtProvider(latchkey, at, { person, with: named });
    assert.equal(sentForm(page).action, 'https://sp.example.com/second');
  });

  test('does not work for another application, with a long RelayState, or while the application is disabled', async () => {
    const [at, other] = await Promise.all([newServiceProvider(latchkey), newServiceProvider(latchkey)]);
    const browser = browserOf(latchkey);
    const query = redirectQuery(authnRequestXml(at));
    assert.equal((await browser.open(`${other.own.signOnUrl}?${query}`)).status, 400);
    const long = redirectQuery(authnRequestXml(at), { relayState: 'x'.repeat(1_025) });
    assert.match((await browser.open(`${at.own.signOnUrl}?${long}`)).text, /RelayState is longer/);
    assert.equal((await browser.open(`${at.own.signOnUrl}?RelayState=%`)).status, 400);
    // An application is known in its own environment.
    const { auth } = latchkey.system.config.addresses.production;
    assert.equal((await browser.open(`${auth}/saml/${at.clientId}/sign-in?${query}`)).status, 404);
    await at.change({ enabled: false });
    assert.equal((await browser.open(`${at.own.signOnUrl}?${query}`)).status, 404);
  });

  test('asks a signed-in person again for ForceAuthn, and nobody for IsPassive', async () => {
    const at = await newServiceProvider(latchkey);
    const nobody = await signInAtProvider(latchkey, at, { person, with: { IsPassive: 'true' } });
    assert.equal(sentForm(nobody.page).status, 'Responder NoPassive');
    const { browser } = await signInAtProvider(latchkey, at, { person });
    const passive = await signInAtProvider(latchkey, at, { person, browser, with: { IsPassive: 'true' } });
    assert.equal(sentForm(passive.page).status, 'Success');
    const both = { IsPassive: 'true', ForceAuthn: 'true' };
    const impossible = await signInAtProvider(latchkey, at, { person, browser, with: both });
    assert.equal(sentForm(impossible.page).status, 'Responder NoPassive');
    const forced = await signInAtProvider(latchkey, at, { person, browser, with: { ForceAuthn: 'true' } });
    assert.deepEqual([forced.asked, sentForm(forced.page).status], [true, 'Success']);
  });

  test('a person cannot leave out the fresh proof that was asked for', async () => {
    const at = await newServiceProvider(latchkey);
    const { browser } = await signInAtProvider(latchkey, at, { person });
    // An earlier sign-in.
    await latchkey.system.pool.query(
      `update oidc_records set payload = payload || '{"loginTs": 1000}' where model = 'Session' and payload->>'accountId' = $1`,
      [person.userId],
    );
    const query = redirectQuery(authnRequestXml(at, { with: { ForceAuthn: 'true' } }));
    const begun = await latchkey.auth(`/saml/${at.clientId}/sign-in?${query}`);
    const asked = new URL(begun.headers.get('location') ?? '');
    asked.searchParams.delete('prompt');
    const page = await browser.open(asked.href);
    assert.equal(sentForm(page).status, 'Responder AuthnFailed');
  });

  test('says truthfully how the person signed in, or that the request cannot be met', async () => {
    const at = await newServiceProvider(latchkey);
    const { browser } = await signInAtProvider(latchkey, at, { person });
    const statusFor = async (classes: readonly string[], comparison?: string) => {
      const content = contextsXml(classes, comparison);
      return sentForm((await signInAtProvider(latchkey, at, { person, browser, content })).page).status;
    };
    assert.equal(await statusFor([PASSWORD_CLASS]), 'Success');
    assert.equal(await statusFor([MFA_CLASS]), 'Responder NoAuthnContext');
    assert.equal(await statusFor([PASSWORD_CLASS], 'better'), 'Responder NoAuthnContext');
    assert.equal(await statusFor(['urn:unknown']), 'Responder NoAuthnContext');
    assert.equal(await statusFor([MFA_CLASS, PASSWORD_CLASS]), 'Success');
  });

  test('names people in the format of the application alone, and by a verified address', async () => {
    const policy = '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"/>';
    const persistent = await newServiceProvider(latchkey);
    const refused = await signInAtProvider(latchkey, persistent, { person, content: policy });
    assert.equal(sentForm(refused.page).status, 'Requester InvalidNameIDPolicy');
    const at = await newServiceProvider(latchkey, { nameIdFormat: 'emailAddress' });
    const unproven = await register(latchkey);
    const { page } = await signInAtProvider(latchkey, at, { person: unproven, content: policy });
    assert.equal(sentForm(page).status, 'Responder UnknownPrincipal');
    assert.ok(!sentForm(page).xml.includes(unproven.email));
    const transient = await newServiceProvider(latchkey, { nameIdFormat: 'transient' });
    const names = [];
    for (let round = 0; round < 2; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { page: signedIn, id } = await signInAtProvider(latchkey, transient, { person });
      names.push((await readAt(transient, signedIn, { requestId: id })).nameId);
    }
    assert.notEqual(names[0], names[1]);
  });

  test('a third party gets what the person consents to', async () => {
    const at = await newServiceProvider(latchkey, {}, { firstParty: false });
    const { page, browser, id } = await signInAtProvider(latchkey, at, { person });
    assert.ok(!page.text.includes('data-at-once'), page.text);
    const done = await browser.submit(page, { decision: 'allow' });
    assert.deepEqual((await readAt(at, done, { requestId: id })).attributes['email'], [person.email]);
  });
});

describe('what ended or changed in between', () => {
  /** A sign-in that is about to return to the application, and the page that it leads to. */
  async function halfway() {
    const at = await newServiceProvider(latchkey);
    const who = await newPerson();
    const { browser } = await signInAtProvider(latchkey, at, { person: who });
    const begun = await latchkey.auth(`/saml/${at.clientId}/sign-in?${redirectQuery(authnRequestXml(at))}`);
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const { auth } = latchkey.system.config.addresses.test;
    const back = () => browser.open(`${auth}/saml/${at.clientId}/return?${new URLSearchParams({ state })}`);
    assert.equal(sentForm(await back()).status, 'Success');
    return { at, who, browser, back, state, auth };
  }
  const memberOf = async ({ email }: { email: string }) =>
    (await admin(latchkey, `members?q=${encodeURIComponent(email)}`)).items[0];

  test('the session: no assertion', async () => {
    const { who, back } = await halfway();
    const { id } = await memberOf(who);
    await admin(latchkey, `members/${id}/sessions/revoke`, { method: 'POST', body: {} });
    assert.equal((await back()).status, 400);
  });

  test('the member is blocked: no assertion', async () => {
    const { who, back } = await halfway();
    const { id } = await memberOf(who);
    await admin(latchkey, `members/${id}/block`, { method: 'POST', body: {} });
    assert.equal((await back()).status, 400);
  });

  test('the application, its address, or its state: no assertion', async () => {
    const { at, back, browser, state, auth } = await halfway();
    const other = await newServiceProvider(latchkey);
    const moved = await browser.open(`${auth}/saml/${other.clientId}/return?${new URLSearchParams({ state })}`);
    assert.equal(moved.status, 400);
    await at.change({ saml: { consumers: [{ url: 'https://sp.example.com/new', index: 0 }] } });
    assert.equal((await back()).status, 400);
  });

  test('another browser: no assertion', async () => {
    const { at, state, auth } = await halfway();
    const elsewhere = await browserOf(latchkey).open(
      `${auth}/saml/${at.clientId}/return?${new URLSearchParams({ state })}`,
    );
    assert.equal(elsewhere.status, 400);
  });

  test('the project asks for two factors: no assertion to a session with one', async () => {
    const { back } = await halfway();
    await changeSettings(latchkey, { mfa: 'required' });
    try {
      assert.equal((await back()).status, 400);
    } finally {
      await changeSettings(latchkey, { mfa: 'optional' });
    }
  });
});

describe('organizations', () => {
  test('of an application are entered by their members alone', async () => {
    const company = await newCompany(latchkey);
    const at = await newServiceProvider(latchkey, {
      organizationId: company.organizationId,
      attributes: [
        { claim: 'org_id', name: 'org', nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic' },
        { claim: 'org_name', name: 'company', nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic' },
      ],
    });
    const who = await newPerson();
    const refused = await signInAtProvider(latchkey, at, { person: who });
    assert.equal(sentForm(refused.page).status, 'Responder RequestDenied');
    const { items } = await admin(latchkey, `members?q=${encodeURIComponent(who.email)}`);
    await company.call('/members', 'POST', { memberId: items[0].id, roles: [] });
    const { page, id } = await signInAtProvider(latchkey, at, { person: who });
    assert.deepEqual((await readAt(at, page, { requestId: id })).attributes['org'], [company.organizationId]);
  });
});

describe('a sign-in that begins here', () => {
  test('is refused unless the application allows it, and answers no request', async () => {
    const at = await newServiceProvider(latchkey);
    const { auth } = latchkey.system.config.addresses.test;
    const start = `${auth}/saml/${at.clientId}/start?RelayState=deep`;
    const { browser } = await signInAtProvider(latchkey, at, { person });
    assert.equal((await browser.open(start)).status, 400);
    await at.change({ saml: { idpInitiated: true } });
    const page = await browser.open(start);
    assert.equal(sentForm(page).relayState, 'deep');
    assert.ok((await readAt(at, page, { requestId: null })).nameId);
  });
});

describe('keys', () => {
  test('are replaced with an overlap, and are of one project', async () => {
    const at = await newServiceProvider(latchkey);
    const token = await ownerToken(latchkey);
    const [first] = at.own.keys;
    const next = await admin(latchkey, 'saml/keys', { method: 'POST', body: {} });
    const { auth } = latchkey.system.config.addresses.test;
    const metadata = async () =>
      (await latchkey.auth(`/saml/${at.clientId}/metadata`)).text.match(/<ds:X509Certificate>/g)?.length;
    assert.equal(await metadata(), 2);
    const before = await signInAtProvider(latchkey, at, { person });
    await readAt({ ...at, own: { ...at.own, keys: [first] } }, before.page, { requestId: before.id });
    await admin(latchkey, `saml/keys/${next.id}/activate`, { method: 'POST', body: {} });
    const after = await signInAtProvider(latchkey, at, { person });
    await readAt({ ...at, own: { ...at.own, keys: [next] } }, after.page, { requestId: after.id });
    const call = (path: string, method: string) => latchkey.api(`/v1/admin/saml/keys/${path}`, { token, method });
    expectProblem(await call(next.id, 'DELETE'), 409, 'CONFLICT');
    assert.equal((await call(first.id, 'DELETE')).status, 204);
    assert.equal(await metadata(), 1);
    expectProblem(await call(first.id, 'GET'), 404, 'NOT_FOUND');
    assert.ok(auth && !JSON.stringify(next).includes('PRIVATE'));
  });
});

test('a second Latchkey signs people in through it', async () => {
  const company = await newCompany(latchkey);
  const who = await newPerson(company.newEmail());
  // The identity provider first, then its metadata at the other side, then the metadata of that side here.
  const at = await newServiceProvider(latchkey, {
    entityId: 'urn:later',
    attributePreset: 'claims',
  });
  const connected = await company.call('/connections', 'POST', {
    name: 'SAML',
    status: 'enabled',
    justInTime: true,
    saml: { metadataUrl: at.own.metadataUrl },
  });
  assert.equal(connected.status, 201, connected.text);
  const { id } = connected.body;
  const scope = new URLSearchParams({
    workspaceId: latchkey.demo.workspaceId,
    projectId: String(latchkey.demo.projects[0]?.id),
  });
  const { auth } = latchkey.system.config.addresses.test;
  const changed = await at.change({
    saml: {
      metadataUrl: `${auth}/v1/auth/login/connections/${id}/metadata?${scope}`,
      encryptAssertions: true,
      requireSignedRequests: true,
    },
  });
  assert.equal(changed.saml.entityId, `urn:latchkey:connection:${id}`);
  const browser = browserOf(latchkey);
  const asks = await browser.open(startOf(latchkey, id));
  const form = await browser.submit(asks, { identifier: who.email, password: 'correct horse battery staple' });
  assert.equal(sentForm(form).action, connected.body.callbackUrl);
  const landed = await browser.submit(form, {});
  const code = new URL(landed.url).searchParams.get('code');
  const response = await exchange(latchkey, code);
  assert.equal(response.status, 200, `${landed.url} ${response.text}`);
  assert.equal(response.body.session.organizationId, company.organizationId);
});
