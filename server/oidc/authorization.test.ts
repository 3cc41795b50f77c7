import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { createApplication, type NewApplication } from '#applications';
import { permissionKeys } from '#permissions';
import {
  changeSettings,
  expectProblem,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Browser, browserOf, type CodeFlow, codeFlow, returned, signInOn, userInfoOf } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const signIn = (flow: CodeFlow, person: { email: string }, browser?: Browser) =>
  signInOn(latchkey, flow, person, browser);

function application(values: Partial<NewApplication>) {
  return latchkey.inProject((tx) =>
    createApplication(tx, { kind: 'spa', name: 'Test application', redirectUris: [REDIRECT], ...values }),
  );
}

async function authorize(parameters: Record<string, string>) {
  const { url } = await codeFlow(latchkey, parameters);
  return latchkey.auth(url.slice(new URL(url).origin.length), { headers: { accept: 'application/json' } });
}

describe('the authorization code flow', () => {
  test('OA-1 a redirect address is compared as an exact string, and a wrong one never gets a response', async () => {
    for (const wrong of [
      `${REDIRECT}/`,
      `${REDIRECT}?x=1`,
      'http://localhost:5174/callback',
      'http://localhost:5173/CALLBACK',
      'https://evil.example/callback',
      'http://localhost:5173/callback#x',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await authorize({ redirect_uri: wrong });
      assert.deepEqual([response.status, response.headers.get('location')], [400, null], wrong);
    }
  });

  test('OA-1 the page names the wrong address as text, and leads to the settings of the application', async () => {
    const wrong = 'http://localhost:5174/callback?<b>';
    const page = await browserOf(latchkey).open((await codeFlow(latchkey, { redirect_uri: wrong })).url);
    assert.equal(page.status, 400);
    assert.ok(page.text.includes(`<code class="value">${wrong.replace('<b>', '&lt;b&gt;')}</code>`), page.text);
    assert.ok(!page.text.includes(`href="${wrong.slice(0, 20)}`));
    const { workspaceId, projects } = latchkey.demo;
    const place = `${latchkey.system.config.addresses.console}/console/${workspaceId}/${projects[0]?.id}/test/applications/app_`;
    assert.ok(page.text.includes(`href="${place}`), page.text);
  });

  test('OA-1 only the port of a native application’s loopback address may vary', async () => {
    const { clientId } = await application({ kind: 'native', redirectUris: ['http://127.0.0.1/cb'] });
    const at = (redirectUri: string) => codeFlow(latchkey, {}, { clientId, redirectUri });
    const browser = browserOf(latchkey);
    assert.match((await browser.open((await at('http://127.0.0.1:51004/cb')).url)).url, /\/sign-in\//);
    for (const wrong of ['http://127.0.0.1:51004/other', 'http://localhost:51004/cb']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await browser.open((await at(wrong)).url)).status, 400, wrong);
    }
  });

  test('OA-2 a code works once, and its replay ends the tokens issued for it', async () => {
    const flow = await codeFlow(latchkey, { scope: 'openid' });
    const back = await signIn(flow, await register(latchkey));
    const tokens = await flow.finish(back);
    await assert.rejects(flow.finish(back), { error: 'invalid_grant' });
    await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
    await assert.rejects(client.fetchUserInfo(flow.configuration, tokens.access_token, client.skipSubjectCheck));
  });

  test('OA-2 a code lives as long as the project says', async () => {
    const lifetimes = async () => {
      const began = Date.now();
      await signIn(await codeFlow(latchkey), await register(latchkey));
      const { rows } = await latchkey.system.pool.query(
        `select expires_at from oidc_records where model = 'AuthorizationCode' and payload->>'clientId' = $1
         order by expires_at desc limit 1`,
        [latchkey.demo.environments.test.clientId],
      );
      return (rows[0].expires_at.getTime() - began) / 1000;
    };
    const near = (seconds: number, wanted: number) => assert.ok(Math.abs(seconds - wanted) < 60, `${seconds}`);
    near(await lifetimes(), 60);
    await changeSettings(latchkey, { authorizationCodeSeconds: 300 });
    near(await lifetimes(), 300);
    await changeSettings(latchkey, { authorizationCodeSeconds: 60 });
  });

  test('OA-4 other response types and the password grant are refused', async () => {
    for (const type of ['token', 'id_token', 'code token', 'none']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await authorize({ response_type: type });
      const error = returned(response.headers.get('location') ?? REDIRECT)['error'] ?? response.body.error;
      assert.ok(
        ['unsupported_response_type', 'unauthorized_client', 'invalid_request'].includes(error),
        `${type}: ${error}`,
      );
    }
    const body = new URLSearchParams({
      grant_type: 'password',
      username: 'x',
      password: 'y',
      client_id: latchkey.demo.environments.test.clientId,
    });
    assert.equal((await latchkey.auth('/connect/token', { body })).body.error, 'unsupported_grant_type');
  });

  test('OA-5 every response to the application names the issuer, errors too', async () => {
    const issuer = latchkey.system.config.addresses.test.auth;
    const flow = await codeFlow(latchkey);
    assert.equal(returned((await signIn(flow, await register(latchkey))).url)['iss'], issuer);
    const refused = await authorize({ prompt: 'none' });
    const { iss, error, state } = returned(refused.headers.get('location') ?? '');
    assert.deepEqual([iss, error], [issuer, 'login_required']);
    assert.ok(state);
  });

  test('request objects are refused, as announced', async () => {
    for (const name of ['request', 'request_uri']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await authorize({ [name]: name === 'request' ? 'e30.e30.' : 'https://evil.example/ro' });
      const error = returned(response.headers.get('location') ?? REDIRECT)['error'] ?? response.body.error;
      assert.match(error, /request/, name);
    }
  });

  test('a signed-in browser is not asked again, unless the application requires it', async () => {
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    await (async () => {
      const flow = await codeFlow(latchkey);
      await flow.finish(await signIn(flow, person, browser));
    })();
    const silent = await codeFlow(latchkey, { prompt: 'none' });
    const again = (await silent.finish(await browser.open(silent.url))).claims();
    assert.equal(again?.sub, person.session.userId);
    const asked = await codeFlow(latchkey, { prompt: 'login' });
    const page = await browser.open(asked.url);
    assert.match(page.text, /Confirm it is you/);
    const fresh = (
      await asked.finish(await browser.submit(page, { identifier: person.email, password: PASSWORD }))
    ).claims();
    assert.ok((fresh?.auth_time ?? 0) >= (again?.auth_time ?? 0));
    const old = await codeFlow(latchkey, { max_age: '0' });
    assert.match((await browser.open(old.url)).url, /\/sign-in\//);
  });

  test('select_account lets the person continue, or switch accounts', async () => {
    const [first, second] = [await register(latchkey), await register(latchkey)];
    const browser = browserOf(latchkey);
    const begun = await codeFlow(latchkey);
    await begun.finish(await signIn(begun, first, browser));
    const same = await codeFlow(latchkey, { prompt: 'select_account' });
    const picker = await browser.open(same.url);
    assert.match(picker.text, /Continue as/);
    const kept = await browser.submit(picker, { as: 'current' });
    assert.equal((await same.finish(kept)).claims()?.sub, first.session.userId);
    const other = await codeFlow(latchkey, { prompt: 'select_account' });
    const form = await browser.submit(await browser.open(other.url), { as: 'another' });
    const left = await browser.submit(form, { identifier: second.email, password: PASSWORD });
    // The previous person is signed out first: the library posts a form, with a button where there is no JavaScript.
    const back = left.url.startsWith(REDIRECT) ? left : await browser.submit(left, {});
    assert.equal((await other.finish(back)).claims()?.sub, second.session.userId);
  });

  test('prompt=create starts with the registration, also in a browser that is signed in', async () => {
    const browser = browserOf(latchkey);
    const begun = await codeFlow(latchkey);
    await begun.finish(await signIn(begun, await register(latchkey), browser));
    const flow = await codeFlow(latchkey, { prompt: 'create' });
    const form = await browser.open(flow.url);
    assert.match(form.url, /\/register$/);
    const member = await register(latchkey);
    // The page leads to the sign-in, for people who have an account.
    const page = await browser.open(form.url.replace(/\/register$/, ''));
    const left = await browser.submit(page, { identifier: member.email, password: PASSWORD });
    const back = left.url.startsWith(REDIRECT) ? left : await browser.submit(left, {});
    assert.equal((await flow.finish(back)).claims()?.sub, member.session.userId);
  });

  test('prompt=create starts with the sign-in where registration is closed', async () => {
    const { email } = await register(latchkey);
    await changeSettings(latchkey, { registration: 'closed' });
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, { prompt: 'create' });
    const page = await browser.open(flow.url);
    assert.doesNotMatch(page.url, /register/);
    const back = await browser.submit(page, { identifier: email, password: PASSWORD });
    await changeSettings(latchkey, { registration: 'open' });
    assert.ok((await flow.finish(back)).access_token);
  });

  test('a registration that closes while its form is open says so on the page of the sign-in', async () => {
    const browser = browserOf(latchkey);
    const form = await browser.open((await codeFlow(latchkey, { prompt: 'create' })).url);
    await changeSettings(latchkey, { registration: 'closed' });
    const refused = await browser.submit(form, { email: 'late@example.com', password: PASSWORD });
    await changeSettings(latchkey, { registration: 'open' });
    assert.doesNotMatch(refused.url, /register/);
    assert.match(refused.text, /role="alert"/);
  });

  test('id_token_hint of another user asks for a sign-in', async () => {
    const browser = browserOf(latchkey);
    const [first, second] = [await codeFlow(latchkey), await codeFlow(latchkey)];
    const { id_token: hint } = await first.finish(await signIn(first, await register(latchkey)));
    await second.finish(await signIn(second, await register(latchkey), browser));
    const flow = await codeFlow(latchkey, { prompt: 'none', id_token_hint: hint ?? '' });
    assert.equal(returned((await browser.open(flow.url)).url)['error'], 'login_required');
  });

  test('a cancellation returns access_denied to the application', async () => {
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const back = await browser.submit(await browser.open(flow.url), {}, '/cancel');
    assert.equal(returned(back.url)['error'], 'access_denied');
  });

  test('id tokens are RS256 by default, access tokens useless on the API host', async () => {
    const flow = await codeFlow(latchkey, { scope: 'openid email roles permissions' });
    const { owner } = latchkey.demo.environments.test;
    const browser = browserOf(latchkey);
    const page = await browser.open(flow.url);
    const tokens = await flow.finish(await browser.submit(page, { identifier: owner.email, password: owner.password }));
    assert.equal(decodeProtectedHeader(tokens.id_token ?? '').alg, 'RS256');
    const claims = await userInfoOf(flow, tokens);
    assert.deepEqual([claims['roles'], claims['permissions']], [['owner'], permissionKeys(latchkey.system)]);
    assert.equal(claims['workspace_id'], latchkey.demo.workspaceId);
    assert.equal(claims['project_id'], latchkey.demo.projects[0]?.id);
    expectProblem(await latchkey.api('/v1/me/context', { token: tokens.access_token }), 403, 'WRONG_TOKEN_KIND');
  });
});

describe('tokens', () => {
  test('a client refreshes with the scopes it asked for, `offline_access` included, and gets no scope that was not granted', async () => {
    const person = await register(latchkey);
    const flow = await codeFlow(latchkey, { scope: 'openid email offline_access' });
    const first = await flow.finish(await signIn(flow, person));
    const second = await client.refreshTokenGrant(flow.configuration, first.refresh_token ?? '', {
      scope: 'openid email offline_access',
    });
    const granted = 'openid email offline_access';
    assert.deepEqual([first.scope, second.scope], [granted, granted]);
    await assert.rejects(
      client.refreshTokenGrant(flow.configuration, second.refresh_token ?? '', { scope: 'openid email roles' }),
      { error: 'invalid_scope' },
    );
  });

  test('the ID token names the access token it came with, also after a refresh', async () => {
    const flow = await codeFlow(latchkey);
    const first = await flow.finish(await signIn(flow, await register(latchkey)));
    const second = await client.refreshTokenGrant(flow.configuration, first.refresh_token ?? '');
    for (const { id_token: token = '', access_token: access } of [first, second]) {
      const half = createHash('sha256').update(access).digest().subarray(0, 16);
      assert.equal(decodeJwt(token)['at_hash'], half.toString('base64url'));
    }
  });

  test('introspection and revocation', async () => {
    const { clientId, secret } = await application({ kind: 'web' });
    assert.ok(secret);
    const flow = await codeFlow(latchkey, {}, { clientId, secret });
    const tokens = await flow.finish(await signIn(flow, await register(latchkey)));
    const look = () => client.tokenIntrospection(flow.configuration, tokens.access_token);
    assert.equal((await look()).active, true);
    await client.tokenRevocation(flow.configuration, tokens.access_token);
    assert.equal((await look()).active, false);
  });

  test('a token is inactive outside its project', async () => {
    const flow = await codeFlow(latchkey);
    const tokens = await flow.finish(await signIn(flow, await register(latchkey)));
    const look = async (made: { clientId: string; secret: string | null }) => {
      const body = new URLSearchParams({
        token: tokens.access_token,
        client_id: made.clientId,
        client_secret: made.secret ?? '',
      });
      return (await latchkey.auth('/connect/introspect', { body })).body;
    };
    const [, helpdesk] = latchkey.demo.projects;
    const elsewhere = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'web', name: 'Other', redirectUris: [REDIRECT] }),
      { projectId: helpdesk?.id ?? 'prj_' },
    );
    assert.deepEqual(await look(elsewhere), { active: false });
    assert.equal((await look(await application({ kind: 'web' }))).active, true);
    const stranger = await application({ kind: 'spa' });
    assert.notEqual((await look(stranger)).active, true);
  });

  test('switch-context accepts an access token, and no other token of OIDC', async () => {
    const flow = await codeFlow(latchkey);
    const person = await register(latchkey);
    const tokens = await flow.finish(await signIn(flow, person));
    const target = {
      workspaceId: latchkey.demo.workspaceId,
      projectId: latchkey.demo.projects[0]?.id,
      environment: 'test',
    };
    const response = await latchkey.auth('/v1/sessions/switch-context', { token: tokens.access_token, body: target });
    assert.equal(response.status, 200, response.text);
    assert.equal(response.body.session.userId, person.session.userId);
    assert.equal((await latchkey.api('/v1/me/context', { token: response.body.access_token })).status, 200);
    const wrong = await latchkey.auth('/v1/sessions/switch-context', {
      token: tokens.refresh_token ?? '',
      body: target,
    });
    assert.equal(wrong.status, 401);
  });

  test('OA-8 a client authenticates with its key, binds tokens with DPoP and pushes its request', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    const { clientId } = await application({ kind: 'web', jwks: { keys: [jwk] }, profile: 'fapi2' });
    const issuer = new URL(latchkey.system.config.addresses.test.auth);
    const configuration = await client.discovery(
      issuer,
      clientId,
      { id_token_signed_response_alg: 'ES256', introspection_signed_response_alg: 'ES256' },
      client.PrivateKeyJwt(
        { key: privateKey, kid: 'one' },
        {
          [client.modifyAssertion]: (_header, payload) => {
            payload['aud'] = issuer.origin;
          },
        },
      ),
      { execute: [client.allowInsecureRequests] },
    );
    const verifier = client.randomPKCECodeVerifier();
    const nonce = client.randomNonce();
    const parameters = {
      redirect_uri: REDIRECT,
      scope: 'openid',
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const browser = browserOf(latchkey);
    const unpushed = await browser.open(client.buildAuthorizationUrl(configuration, parameters).href);
    assert.equal(returned(unpushed.url)['error'] ?? 'invalid_request', 'invalid_request');
    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair('ES256'));
    const url = await client.buildAuthorizationUrlWithPAR(configuration, parameters, { DPoP });
    const person = await register(latchkey);
    const back = await browser.submit(await browser.open(url.href), { identifier: person.email, password: PASSWORD });
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(back.url),
      { pkceCodeVerifier: verifier, expectedNonce: nonce, idTokenExpected: true },
      undefined,
      { DPoP },
    );
    assert.equal(tokens.token_type, 'dpop');
    const info = await client.fetchUserInfo(configuration, tokens.access_token, person.session.userId, { DPoP });
    assert.equal(info.sub, person.session.userId);
    await assert.rejects(client.fetchUserInfo(configuration, tokens.access_token, person.session.userId));
    const { active, cnf } = await client.tokenIntrospection(configuration, tokens.access_token);
    assert.deepEqual([active, Object.keys(Object(cnf))], [true, ['jkt']], 'in a response signed with ES256');
    const refresh = () => client.refreshTokenGrant(configuration, tokens.refresh_token ?? '', undefined, { DPoP });
    // A client whose response got lost refreshes with the same token again (FAPI 2.0 Security Profile §5.3.2.1).
    const refreshed = [await refresh(), await refresh()].map(({ refresh_token: token }) => token);
    assert.deepEqual(refreshed, [tokens.refresh_token, tokens.refresh_token]);
  });

  test('pairwise clients see subjects of their own', async () => {
    const person = await register(latchkey);
    const { clientId } = await application({ subjectType: 'pairwise' });
    const flow = await codeFlow(latchkey, {}, { clientId });
    const subject = (await flow.finish(await signIn(flow, person))).claims()?.sub;
    assert.ok(subject && subject !== person.session.userId);
    const again = await codeFlow(latchkey, {}, { clientId });
    assert.equal((await again.finish(await signIn(again, person))).claims()?.sub, subject);
  });
});
