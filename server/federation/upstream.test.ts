import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, exportPKCS8, generateKeyPair } from 'jose';
import { createProvider } from '#identity-providers';
import {
  changeSettings,
  expectProblem,
  managementToken,
  newEmail,
  PKCE,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Fault, type Issuer, startIssuer } from '#tests/issuer.ts';

const REDIRECT = 'http://localhost:5173/callback';
const BASE = '/v1/auth/login/social';

let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
  const appleKey = await exportPKCS8((await generateKeyPair('ES256', { extractable: true })).privateKey);
  await latchkey.inProject(async (tx) => {
    const options = { issuer: upstream.issuer };
    await createProvider(tx, { key: 'corporate', preset: 'oidc', clientId: 'shop', clientSecret: 'secret', options });
    await createProvider(tx, {
      key: 'linkedin',
      preset: 'linkedin',
      clientId: 'shop',
      clientSecret: 'secret',
      options,
    });
    await createProvider(tx, {
      key: 'apple',
      preset: 'apple',
      clientId: 'com.example.shop',
      clientSecret: appleKey,
      options: { ...options, teamId: 'TEAM', keyId: 'KEY' },
    });
  });
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));
afterEach(() => {
  upstream.fault = null;
  upstream.claims = {};
});

type Left = { cookie: string; location: string };

/** Starts a sign-in at a provider. */
async function leave(provider = 'corporate', parameters: Record<string, string> = {}): Promise<Left> {
  const { clientId } = latchkey.demo.environments.test;
  const query = new URLSearchParams({
    clientId,
    redirectUri: REDIRECT,
    state: 'mine',
    codeChallenge: PKCE.codeChallenge,
    ...parameters,
  });
  const response = await latchkey.auth(`${BASE}/${provider}/start?${query}`);
  assert.equal(response.status, 303, response.text);
  const cookie = response.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  return { cookie: cookie.join('; '), location: response.headers.get('location') ?? '' };
}

/** Returns from the provider. */
function comeBack({ cookie }: Pick<Left, 'cookie'>, parameters: Record<string, string>, provider = 'corporate') {
  return latchkey.auth(`${BASE}/${provider}/callback?${new URLSearchParams(parameters)}`, { headers: { cookie } });
}

/** The parameters that the application receives at its redirect address. */
function told(response: Awaited<ReturnType<typeof comeBack>>): Record<string, string> {
  const location = response.headers.get('location') ?? '';
  assert.ok(location.startsWith(REDIRECT), response.text);
  return Object.fromEntries(new URL(location).searchParams);
}

const exchange = (code: string | undefined) =>
  latchkey.auth(`${BASE}/exchange`, { body: { code, codeVerifier: PKCE.codeVerifier } });

/**
 * Signs in from start to end.
 * @returns the parameters that the application receives
 */
async function visit(claims: Issuer['claims'] = {}, provider = 'corporate'): Promise<Record<string, string>> {
  upstream.claims = claims;
  const left = await leave(provider);
  return told(await comeBack(left, upstream.approve(left.location), provider));
}

/** An administrator changes a provider. */
async function change(key: string, body: Record<string, unknown>): Promise<void> {
  const token = await managementToken(latchkey);
  const list = await latchkey.api('/v1/admin/identity-providers', { token });
  const { id } = list.body.items.find((item: { key: string }) => item.key === key);
  const response = await latchkey.api(`/v1/admin/identity-providers/${id}`, { token, method: 'PATCH', body });
  assert.equal(response.status, 200, response.text);
}

describe('an invalid response', () => {
  const faults: Fault[] = [
    'other audience',
    'other nonce',
    'no nonce',
    'expired',
    'other issuer',
    'other key',
    'alg none',
    'no id token',
    'token endpoint down',
    'redirected token endpoint',
  ];
  for (const fault of faults)
    test(`OA-10 signs nobody in, and the application gets an error: ${fault}`, async () => {
      upstream.fault = fault;
      const { code, error, state } = await visit({ sub: crypto.randomUUID() });
      assert.deepEqual([code, error, state], [undefined, 'server_error', 'mine']);
    });

  test('mix-up: a response without the name of an issuer that always sends it, or with another (RFC 9207)', async () => {
    for (const iss of [undefined, 'https://evil.example']) {
      // biome-ignore lint/performance/noAwaitInLoops: one sign-in after the other
      const left = await leave();
      const { iss: _named, ...rest } = upstream.approve(left.location);
      assert.equal(told(await comeBack(left, { ...rest, ...(iss && { iss }) }))['error'], 'server_error', iss);
    }
  });

  test('a state that is missing, changed, from another browser or used before is refused', async () => {
    const left = await leave();
    const back = upstream.approve(left.location);
    const stranger = await leave();
    const { state, ...stateless } = back;
    for (const [from, parameters] of [
      [left, stateless],
      [left, { ...back, state: `${state?.slice(0, -1)}${state?.endsWith('A') ? 'B' : 'A'}` }],
      [left, { ...back, state: 'lku_aaaaaaaa_no-such-state' }],
      [{ cookie: '' }, { ...back }],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one try after the other
      expectProblem(await comeBack(from, parameters), 400, 'INVALID_TOKEN');
    }
    assert.notEqual(left.cookie, stranger.cookie);
    const again = await leave();
    const genuine = upstream.approve(again.location);
    assert.ok(told(await comeBack(again, genuine))['code']);
    expectProblem(await comeBack(again, genuine), 400, 'INVALID_TOKEN');
  });

  test('only one of ten parallel returns with the same state continues', async () => {
    const left = await leave();
    const back = upstream.approve(left.location);
    const responses = await Promise.all(Array.from({ length: 10 }, () => comeBack(left, back)));
    assert.equal(responses.filter(({ status }) => status === 303).length, 1);
  });

  test('PKCE: the verifier fits the challenge, and differs each time', async () => {
    await visit({ sub: crypto.randomUUID() });
    await visit({ sub: crypto.randomUUID() });
    const [first, second] = upstream.redeemed.slice(-2);
    const made = createHash('sha256')
      .update(second?.get('code_verifier') ?? '')
      .digest('base64url');
    assert.equal(upstream.asked.at(-1)?.get('code_challenge'), made);
    assert.equal(upstream.asked.at(-1)?.get('code_challenge_method'), 'S256');
    assert.notEqual(first?.get('code_verifier'), second?.get('code_verifier'));
  });

  test('a refusal by the provider is reported with the application’s state, and no code is redeemed', async () => {
    const left = await leave();
    const { code: _code, ...back } = upstream.approve(left.location);
    const before = upstream.redeemed.length;
    const denied = await comeBack(left, { ...back, error: 'access_denied', error_description: 'No, thank you.' });
    assert.deepEqual(told(denied), { error: 'access_denied', error_description: 'No, thank you.', state: 'mine' });
    assert.equal(upstream.redeemed.length, before);
  });
});

test('AU-8 the address of a document is no issuer: the document must be that of the issuer it names', async () => {
  const { issuer } = upstream;
  for (const [configured, result] of [
    [`${issuer}/.well-known/openid-configuration`, true],
    [`${issuer}/.well-known/openid-configuration?of=another`, false],
    [`${issuer}/evil/.well-known/openid-configuration`, false],
  ] as const) {
    // biome-ignore lint/performance/noAwaitInLoops: one configuration after the other
    await change('corporate', { options: { issuer: configured }, clientSecret: 'secret' });
    const { clientId } = latchkey.demo.environments.test;
    const query = new URLSearchParams({ clientId, redirectUri: REDIRECT, codeChallenge: PKCE.codeChallenge });
    const response = await latchkey.auth(`${BASE}/corporate/start?${query}`);
    assert.equal(response.status, result ? 303 : 503, configured);
  }
  await change('corporate', { options: { issuer } });
});

describe('while the browser is away', () => {
  test('a disabled provider lets nobody in, nor does a project without social sign-in', async () => {
    const left = await leave();
    await change('corporate', { enabled: false });
    const { code, error } = told(await comeBack(left, upstream.approve(left.location)));
    assert.deepEqual([code, error], [undefined, 'access_denied']);
    const query = new URLSearchParams({
      clientId: latchkey.demo.environments.test.clientId,
      redirectUri: REDIRECT,
      codeChallenge: PKCE.codeChallenge,
    });
    expectProblem(await latchkey.auth(`${BASE}/corporate/start?${query}`), 404, 'NOT_FOUND');
    await change('corporate', { enabled: true });
    const again = await leave();
    await changeSettings(latchkey, { signInMethods: ['password'] });
    const off = told(await comeBack(again, upstream.approve(again.location)));
    await changeSettings(latchkey, { signInMethods: ['password', 'social', 'passkey', 'magic_link', 'email_code'] });
    assert.deepEqual([off['code'], off['error']], [undefined, 'access_denied']);
  });
});

describe('an account', () => {
  test('AU-8 is created once if its person signs in for the first time twice at once', async () => {
    const claims = { sub: crypto.randomUUID(), email: newEmail(), email_verified: true };
    const codes = [await visit(claims), await visit(claims), await visit(claims)].map(({ code }) => code);
    const responses = await Promise.all(codes.map(exchange));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200],
      responses.map(({ text }) => text).join(),
    );
    assert.equal(new Set(responses.map(({ body }) => body.session.userId)).size, 1);
  });

  test('AU-8 is a different one for the same subject of another issuer', async () => {
    const sub = crypto.randomUUID();
    const other = await startIssuer();
    await latchkey.inProject((tx) =>
      createProvider(tx, {
        key: 'other',
        preset: 'oidc',
        clientId: 'shop',
        clientSecret: 'secret',
        options: { issuer: other.issuer },
      }),
    );
    const mine = await exchange((await visit({ sub }))['code']);
    other.claims = { sub };
    const left = await leave('other');
    const theirs = await exchange(told(await comeBack(left, other.approve(left.location), 'other'))['code']);
    await other.stop();
    assert.equal(theirs.status, 200, theirs.text);
    assert.notEqual(mine.body.session.userId, theirs.body.session.userId);
  });

  test('AU-8 gets an address only if the provider says it is verified, and is trusted with it', async () => {
    const emailOf = async (claims: Issuer['claims']) => {
      const { body, text } = await exchange((await visit({ sub: crypto.randomUUID(), ...claims }))['code']);
      assert.ok(body.access_token, text);
      return (await latchkey.api('/v1/me/profile', { token: body.access_token })).body.email;
    };
    const email = newEmail();
    assert.equal(await emailOf({ email }), null);
    assert.equal(await emailOf({ email, email_verified: false }), null);
    assert.equal(await emailOf({ email, email_verified: 'yes' }), null);
    await change('corporate', { options: { issuer: upstream.issuer, trustEmail: false } });
    assert.equal(await emailOf({ email, email_verified: true }), null);
    await change('corporate', { options: { issuer: upstream.issuer } });
    assert.equal(await emailOf({ email, email_verified: true }), email);
  });
});

describe('differences between providers', () => {
  test('LinkedIn sends no nonce in its ID token and accepts no verifier from a client with a secret', async () => {
    upstream.fault = 'no nonce';
    const { code } = await visit({ sub: crypto.randomUUID() }, 'linkedin');
    assert.equal((await exchange(code)).status, 200);
    assert.equal(upstream.asked.at(-1)?.get('code_challenge'), null);
    assert.equal(upstream.redeemed.at(-1)?.get('code_verifier'), null);
  });

  test('the standard claims fill the profile of a new person; invalid ones are left out', async () => {
    const claims = {
      name: 'Grace Hopper',
      given_name: 'Grace',
      middle_name: 'Brewster',
      nickname: 'Amazing\nGrace',
      gender: 'female',
      profile: `https://social.example/${'g'.repeat(500)}`,
      website: 'javascript:alert(1)',
    };
    const signedIn = await exchange((await visit({ sub: crypto.randomUUID(), ...claims })).code);
    const { body } = await latchkey.api('/v1/me/profile', { token: signedIn.body.access_token });
    assert.deepEqual(
      [body.displayName, body.givenName, body.middleName, body.gender, body.profile],
      ['Grace Hopper', 'Grace', 'Brewster', 'female', claims.profile],
    );
    assert.deepEqual([body.familyName, body.nickname, body.website], [null, null, null]);
  });

  test('a later sign-in at a provider leaves the profile as the person has it', async () => {
    const sub = crypto.randomUUID();
    const first = await exchange((await visit({ sub, nickname: 'Grace', website: 'https://grace.example' })).code);
    const change = { token: first.body.access_token, method: 'PATCH', body: { nickname: null } };
    assert.equal((await latchkey.api('/v1/me/profile', change)).status, 200);
    const again = await exchange((await visit({ sub, nickname: 'Amazing', gender: 'female' })).code);
    const { body } = await latchkey.api('/v1/me/profile', { token: again.body.access_token });
    assert.deepEqual([body.nickname, body.gender, body.website], [null, null, 'https://grace.example']);
  });

  test('Apple posts its response as a form, with the name beside the ID token only the first time', async () => {
    const left = await leave('apple');
    const asked = new URL(left.location).searchParams;
    assert.equal(asked.get('response_mode'), 'form_post');
    upstream.claims = { sub: crypto.randomUUID(), email: newEmail(), email_verified: 'true' };
    const form = new URLSearchParams({
      ...upstream.approve(left.location),
      user: JSON.stringify({ name: { firstName: 'Grace', lastName: 'Hopper' }, email: 'forged@example.com' }),
    });
    const posted = await latchkey.auth(`${BASE}/apple/callback`, {
      body: form,
      headers: { origin: 'https://appleid.apple.com' },
    });
    assert.equal(posted.status, 303, posted.text);
    const next = posted.headers.get('location') ?? '';
    const back = await latchkey.auth(next, { headers: { cookie: left.cookie } });
    const signedIn = await exchange(told(back)['code']);
    assert.equal(signedIn.status, 200, signedIn.text);
    const { body } = await latchkey.api('/v1/me/profile', { token: signedIn.body.access_token });
    assert.deepEqual([body.givenName, body.familyName], ['Grace', 'Hopper']);
    assert.equal(body.email, upstream.claims['email']);
    const secret = upstream.redeemed.at(-1)?.get('client_secret') ?? '';
    assert.deepEqual(decodeProtectedHeader(secret), { alg: 'ES256', kid: 'KEY' });
    const { iss, sub, aud } = decodeJwt(secret);
    assert.deepEqual([iss, sub, aud], ['TEAM', 'com.example.shop', 'https://appleid.apple.com']);
  });
});

describe('the cookie that marks the browser', () => {
  const lineOf = async (at: TestLatchkey, headers: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      clientId: at.demo.environments.test.clientId,
      redirectUri: REDIRECT,
      codeChallenge: PKCE.codeChallenge,
    });
    const port = at.system.config.ports.test.auth;
    return new Promise<string>((resolve, reject) => {
      const call = request({ port, path: `${BASE}/corporate/start?${query}`, headers }, (response) => {
        response.resume();
        resolve(response.headers['set-cookie']?.[0] ?? '');
      });
      call.on('error', reject);
      call.end();
    });
  };

  test('SE-5 cannot be read by scripts and names its environment', async () => {
    const line = await lineOf(latchkey, { host: new URL(latchkey.system.config.addresses.test.auth).host });
    assert.match(line, /^latchkey-test-mark=/);
    assert.match(line, /; HttpOnly/);
    assert.match(line, /; SameSite=Lax/);
  });

  test('SE-5 is bound to the host if the host uses https', async () => {
    const secure = await startTestLatchkey({ settings: { LATCHKEY_TEST_AUTH_URL: 'https://auth.example.com' } });
    await secure.inProject((tx) =>
      createProvider(tx, {
        key: 'corporate',
        preset: 'oidc',
        clientId: 'shop',
        clientSecret: 'secret',
        options: { issuer: upstream.issuer },
      }),
    );
    const line = await lineOf(secure, { host: 'auth.example.com' });
    await secure.stop();
    assert.match(line, /^__Host-latchkey-test-mark=/);
    assert.match(line, /; Path=\/;/);
    assert.match(line, /; Secure/);
  });
});
