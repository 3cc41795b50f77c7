import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createApplication } from '#applications';
import { type Company, exchange, newCompany, signInThrough, startOf } from '#tests/connections.ts';
import { expectProblem, ownerToken, PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
/** The identity provider: another Latchkey with a database of its own. */
let provider: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, provider, upstream] = await Promise.all([startTestLatchkey(), startTestLatchkey({}), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), provider.stop(), upstream.stop()]));

const SIGNED = { clientAuthentication: 'private_key_jwt' };
const connectionOf = async ({ call, connectionId }: Company) => (await call(`/connections/${connectionId}`)).body;
const patch = ({ call, connectionId }: Company, oidc: object) =>
  call(`/connections/${connectionId}`, 'PATCH', { oidc });
async function published(company: Company) {
  const { jwksUrl } = (await connectionOf(company)).oidc;
  const response = await fetch(jwksUrl);
  assert.equal(response.status, 200);
  return Object(await response.json());
}

/** A company at the other Latchkey, which knows the keys that the connection publishes. */
async function companyAtProvider() {
  const issuer = provider.system.config.addresses.test.auth;
  const company = await newCompany(latchkey, { issuer, clientId: 'later', ...SIGNED });
  const { callbackUrl } = await connectionOf(company);
  const { id, clientId } = await provider.inProject(async (tx) =>
    createApplication(tx, {
      kind: 'web',
      name: 'Acme',
      redirectUris: [callbackUrl],
      jwks: await published(company),
      firstParty: true,
    }),
  );
  await company.change({ status: 'enabled', justInTime: true, oidc: { clientId } });
  const trust = async () => {
    const jwks = await published(company);
    const token = await ownerToken(provider);
    const changed = await provider.api(`/v1/admin/applications/${id}`, { token, method: 'PATCH', body: { jwks } });
    assert.equal(changed.status, 200, changed.text);
  };
  return { company, trust };
}

/** Signs a new person of the provider in. */
async function signIn({ connectionId }: Company) {
  const person = await register(provider);
  const browser = browserOf(latchkey, provider);
  const question = await browser.open(startOf(latchkey, connectionId));
  const back = await browser.submit(question, { identifier: person.email, password: PASSWORD });
  const { searchParams } = new URL(back.url);
  return { code: searchParams.get('code'), error: searchParams.get('error'), text: back.text };
}

describe('a connection with private_key_jwt', () => {
  test('signs people in at another Latchkey, before, during and after a rotation of its key', async () => {
    const { company, trust } = await companyAtProvider();
    const { code, text } = await signIn(company);
    assert.ok(code, text);
    const session = await exchange(latchkey, code);
    assert.equal(session.body.session.organizationId, company.organizationId, session.text);
    assert.equal((await patch(company, { keyRotation: 'begin' })).status, 200);
    const { keys } = await published(company);
    assert.equal(keys.length, 2);
    assert.ok((await signIn(company)).code, 'the first key signs until the rotation is finished');
    await trust();
    const finished = await patch(company, { keyRotation: 'finish' });
    assert.deepEqual(finished.body.oidc.keyIds, [keys[1].kid]);
    assert.ok((await signIn(company)).code, 'the second key signs');
  });

  test('is refused with a key that the identity provider does not know', async () => {
    const { company } = await companyAtProvider();
    await patch(company, { keyRotation: 'begin' });
    await patch(company, { keyRotation: 'finish' });
    const { code, error } = await signIn(company);
    assert.deepEqual([code, error === null], [null, false]);
  });

  test('sends an assertion for the issuer that lives a minute, and no secret', async () => {
    const company = await newCompany(latchkey, { issuer: upstream.issuer, ...SIGNED });
    await company.change({ status: 'enabled', justInTime: true });
    const { connectionId } = company;
    await signInThrough(latchkey, upstream, { connectionId, claims: { sub: crypto.randomUUID() } });
    const sent = upstream.redeemed.at(-1);
    assert.equal(sent?.get('client_secret'), null);
    const assertion = sent?.get('client_assertion') ?? '';
    const { alg, kid } = decodeProtectedHeader(assertion);
    assert.deepEqual([alg, kid], ['RS256', (await connectionOf(company)).oidc.keyIds[0]]);
    const { iss, sub, aud, iat = 0, exp = 0, jti } = decodeJwt(assertion);
    assert.deepEqual([iss, sub, aud, exp - iat], ['latchkey', 'latchkey', upstream.issuer, 60]);
    assert.ok(jti);
  });

  test('publishes no private key, and stores them sealed, apart from the secret', async () => {
    const company = await newCompany(latchkey, SIGNED);
    const shown = await connectionOf(company);
    const { keys } = await published(company);
    for (const text of [JSON.stringify(shown), JSON.stringify(keys)])
      assert.doesNotMatch(text, /PRIVATE KEY|"d":|"p":|"q":/);
    assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
    const { rows } = await latchkey.system.pool.query(
      'select secret_sealed, keys_sealed from organization_connections where id = $1',
      [company.connectionId],
    );
    assert.equal(rows[0].secret_sealed, null);
    assert.doesNotMatch(rows[0].keys_sealed, /PRIVATE/);
    const other = await newCompany(latchkey, SIGNED);
    assert.notEqual((await published(other)).keys[0].kid, keys[0].kid);
  });

  test('takes the place of a secret, and gives it back', async () => {
    const company = await newCompany(latchkey, { clientSecret: 'secret' });
    const before = (await connectionOf(company)).oidc;
    assert.deepEqual([before.clientAuthentication, before.jwksUrl, before.hasSecret], ['client_secret', null, true]);
    const signed = (await patch(company, SIGNED)).body.oidc;
    assert.deepEqual(
      [signed.clientAuthentication, signed.keyIds.length, signed.hasSecret],
      ['private_key_jwt', 1, false],
    );
    const again = (await patch(company, SIGNED)).body.oidc;
    assert.deepEqual(again.keyIds, signed.keyIds);
    const back = (await patch(company, { clientAuthentication: 'client_secret', clientSecret: 'other' })).body.oidc;
    assert.deepEqual([back.keyIds, back.hasSecret, back.jwksUrl], [[], true, null]);
    assert.deepEqual(await (await fetch(signed.jwksUrl)).json(), { keys: [] });
  });

  test('has either a secret or a key, and rotates in two steps', async () => {
    const company = await newCompany(latchkey, SIGNED);
    const secret = await newCompany(latchkey);
    for (const [whose, oidc] of [
      [company, { clientSecret: 'secret' }],
      [company, { ...SIGNED, clientSecret: 'secret' }],
      [company, { keyRotation: 'finish' }],
      [secret, { keyRotation: 'begin' }],
      [secret, { keyRotation: 'finish' }],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: names the change that fails
      expectProblem(await patch(whose, oidc), 400, 'VALIDATION_FAILED');
    }
    await patch(company, { keyRotation: 'begin' });
    expectProblem(await patch(company, { keyRotation: 'begin' }), 400, 'VALIDATION_FAILED');
    const both = { name: 'IdP', oidc: { issuer: 'https://a.example', clientId: 'a', clientSecret: 's', ...SIGNED } };
    expectProblem(await company.call('/connections', 'POST', both), 400, 'VALIDATION_FAILED');
  });

  test('two rotations that begin at once add one key', async () => {
    const company = await newCompany(latchkey, SIGNED);
    const begun = await Promise.all(Array.from({ length: 4 }, () => patch(company, { keyRotation: 'begin' })));
    assert.deepEqual(begun.map(({ status }) => status).sort(), [200, 400, 400, 400]);
    assert.equal((await published(company)).keys.length, 2);
  });

  test('publishes the keys of its own project and environment alone', async () => {
    const company = await newCompany(latchkey, SIGNED);
    const { jwksUrl } = (await connectionOf(company)).oidc;
    const { test: here, production } = latchkey.system.config.addresses;
    const [, second] = latchkey.demo.projects;
    for (const url of [
      jwksUrl.replace(here.auth, production.auth),
      jwksUrl.replace(/prj_\w+/, second?.id),
      jwksUrl.replace(/con_\w+/, `con_${'0'.repeat(26)}`),
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: names the address that fails
      assert.equal((await fetch(url)).status, 404, url);
    }
  });
});
