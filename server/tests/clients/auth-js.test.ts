import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication, type NewApplication } from '#applications';
import { rotateKeysNow } from '#keys';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';

/** Imported by name at run time: its types include those of browsers, which the server's compilation must not see. */
const AUTH_JS = ['@auth', 'core'].join('/');
const ORIGIN = 'http://localhost:5199';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'rotates the keys of the installation' });
});
after(() => latchkey.stop());

type Program = (path: string, body?: URLSearchParams) => Promise<Response>;

/**
 * Auth.js as an application configures it, with one browser's cookies.
 * @param options of the provider, besides the issuer, client id and secret
 */
async function program(values: Partial<NewApplication>, options: object): Promise<Program> {
  const { Auth } = await import(AUTH_JS);
  const redirectUris = [`${ORIGIN}/auth/callback/latchkey`];
  const { clientId, secret } = await latchkey.inProject((tx) =>
    createApplication(tx, { kind: 'web', name: 'Next', redirectUris, ...values }),
  );
  const issuer = latchkey.system.config.addresses.test.auth;
  const provider = { id: 'latchkey', name: 'Latchkey', type: 'oidc', issuer, clientId, clientSecret: secret };
  const settings = {
    secret: 'a secret of the tests',
    trustHost: true,
    basePath: '/auth',
    providers: [{ ...provider, ...options }],
    logger: { error: () => undefined, warn: () => undefined, debug: () => undefined },
  };
  const jar = new Map<string, string>();
  return async (path, body) => {
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
    const request = new Request(`${ORIGIN}${path}`, { headers, ...(body && { method: 'POST', body }) });
    const response = await Auth(request, settings);
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  };
}

const userOf = async (call: Program) => Object(await (await call('/auth/session')).json()).user;

async function post(call: Program, path: string): Promise<Response> {
  const { csrfToken } = Object(await (await call('/auth/csrf')).json());
  return call(path, new URLSearchParams({ csrfToken, callbackUrl: `${ORIGIN}/` }));
}

/** Signs a new person in through the hosted pages, and expects the program to know them. */
async function expectSignIn(call: Program): Promise<void> {
  const left = await post(call, '/auth/signin/latchkey');
  const person = await register(latchkey, { profile: { displayName: 'Ada' } });
  const browser = browserOf(latchkey);
  const page = await browser.open(left.headers.get('location') ?? '');
  const back = await browser.submit(page, { identifier: person.email, password: PASSWORD });
  const finished = await call(back.url.slice(ORIGIN.length));
  assert.equal(finished.headers.get('location'), `${ORIGIN}/`);
  const user = await userOf(call);
  assert.deepEqual([user.name, user.email], ['Ada', person.email]);
}

describe('Auth.js', () => {
  test('signs in with nothing but the issuer, client id and secret, and signs out', async () => {
    // By default it reads the ID token only.
    const call = await program({ idTokenClaims: 'scopes' }, {});
    await expectSignIn(call);
    await post(call, '/auth/signout');
    assert.equal(await userOf(call), undefined);
  });

  test('reads user info if it is configured to', async () => {
    const call = await program({}, { idToken: false });
    await expectSignIn(call);
  });

  test('continues after a rotation of the keys', async () => {
    const call = await program({ idTokenClaims: 'scopes' }, {});
    await expectSignIn(call);
    await rotateKeysNow(latchkey.system, 'test', []);
    await expectSignIn(call);
  });
});
