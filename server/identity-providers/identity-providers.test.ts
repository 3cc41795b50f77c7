import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type GitHub, startGitHub } from '#tests/github.ts';
import {
  expectProblem,
  managementToken,
  PKCE,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { presetNames, presets } from './presets.ts';

const PATH = '/v1/admin/identity-providers';
const REDIRECT = 'http://localhost:5173/callback';

let latchkey: TestLatchkey;
let upstream: Issuer;
let github: GitHub;
let token: string;
before(async () => {
  [latchkey, upstream, github] = await Promise.all([startTestLatchkey(), startIssuer(), startGitHub()]);
  token = await managementToken(latchkey);
});
after(() => Promise.all([latchkey.stop(), upstream.stop(), github.stop()]));

let made = 0;
const add = (body: Record<string, unknown>) => {
  made += 1;
  return latchkey.api(PATH, { token, body: { key: `p${made}`, clientId: 'client', clientSecret: 'secret', ...body } });
};
const testOf = async (id: string) => (await latchkey.api(`${PATH}/${id}/test`, { token, method: 'POST' })).body;
const start = (key: string) => {
  const { clientId } = latchkey.demo.environments.test;
  return `/v1/auth/login/social/${key}/start?${new URLSearchParams({ clientId, redirectUri: REDIRECT, codeChallenge: PKCE.codeChallenge })}`;
};

/**
 * Signs a user in through a provider like GitHub.
 * @returns the account's subject and issuer here, and its user
 */
async function signInThrough(key: string, id: number) {
  github.person = { id, login: 'somebody', name: 'Somebody', emails: [] };
  const back = await github.visit(latchkey.system.config.addresses.test.auth + start(key));
  const code = new URL(back).searchParams.get('code');
  const response = await latchkey.auth('/v1/auth/login/social/exchange', {
    body: { code, codeVerifier: PKCE.codeVerifier },
  });
  assert.equal(response.status, 200, response.text);
  const { body } = await latchkey.api('/v1/me/linked-identities', { token: response.body.access_token });
  return { userId: response.body.session.userId, issuer: body.items[0].issuer, subject: body.items[0].subject };
}

describe('identity providers', () => {
  test('are added, read, listed, changed and removed; the secret is never shown, and is stored encrypted', async () => {
    const secret = 'a very secret secret';
    const added = await add({ preset: 'github', clientSecret: secret });
    assert.equal(added.status, 201, added.text);
    const { id, key, callbackUrl, hasSecret, name, enabled } = added.body;
    assert.deepEqual([hasSecret, name, enabled], [true, 'GitHub', true]);
    const { auth } = latchkey.system.config.addresses.test;
    assert.equal(callbackUrl, `${auth}/v1/auth/login/social/${key}/callback`);
    assert.deepEqual(added.body.callbackUrls, [callbackUrl]);
    const read = await latchkey.api(`${PATH}/${id}`, { token });
    const listed = await latchkey.api(PATH, { token });
    const changed = await latchkey.api(`${PATH}/${id}`, { token, method: 'PATCH', body: { name: 'Hub' } });
    assert.deepEqual([changed.body.name, changed.body.hasSecret], ['Hub', true]);
    for (const { text } of [added, read, listed, changed]) assert.ok(!text.includes(secret));
    const { rows } = await latchkey.system.pool.query('select * from identity_providers where id = $1', [id]);
    assert.ok(!JSON.stringify(rows).includes(secret));
    const { rows: events } = await latchkey.system.pool.query(
      `select type, data from events where data->>'providerId' = $1 order by id`,
      [id],
    );
    assert.ok(!JSON.stringify(events).includes(secret));
    assert.equal((await latchkey.api(`${PATH}/${id}`, { token, method: 'DELETE' })).status, 204);
    expectProblem(await latchkey.api(`${PATH}/${id}`, { token }), 404, 'NOT_FOUND');
    expectProblem(await latchkey.auth(start(key)), 404, 'NOT_FOUND');
  });

  test('BI-1 are refused with the field: what a preset needs, unknown fields, invalid addresses', async () => {
    const pointers = async (body: Record<string, unknown>) => {
      const response = await add(body);
      expectProblem(response, 400, 'VALIDATION_FAILED');
      return response.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    };
    assert.deepEqual(await pointers({ preset: 'oidc' }), ['/body/options/issuer']);
    assert.deepEqual(await pointers({ preset: 'apple' }), ['/body/options/teamId', '/body/options/keyId']);
    await pointers({ preset: 'oidc', options: { issuer: 'javascript:alert(1)' } });
    await pointers({ preset: 'unknown' });
    await pointers({ preset: 'github', secret: 'x' });
    await pointers({ preset: 'github', key: 'Not A Key' });
    const { body } = await add({ preset: 'github' });
    expectProblem(await add({ preset: 'gitlab', key: body.key }), 409, 'ALREADY_EXISTS');
    const path = `${PATH}/${body.id}`;
    expectProblem(await latchkey.api(path, { token, method: 'PATCH', body: {} }), 400, 'VALIDATION_FAILED');
    expectProblem(await latchkey.api(path, { token, method: 'PATCH', body: { key: 'new' } }), 400, 'VALIDATION_FAILED');
  });

  test('BI-2 the list is read in pages, newest first; forged cursors are refused', async () => {
    const ids = [(await add({ preset: 'gitlab' })).body.id, (await add({ preset: 'google' })).body.id];
    const first = await latchkey.api(`${PATH}?limit=1`, { token });
    const second = await latchkey.api(`${PATH}?limit=1&cursor=${first.body.nextCursor}`, { token });
    assert.deepEqual([first.body.items[0].id, second.body.items[0].id], ids.reverse());
    expectProblem(await latchkey.api(`${PATH}?cursor=forged`, { token }), 400, 'INVALID_CURSOR');
  });

  test('BI-3 belong to their project: readers cannot change them, customers cannot see them, other environments do not have them', async () => {
    const { body } = await add({ preset: 'github' });
    const reader = await managementToken(latchkey, 'providers:read');
    assert.equal((await latchkey.api(`${PATH}/${body.id}`, { token: reader })).status, 200);
    for (const method of ['PATCH', 'DELETE'] as const) {
      const call = { token: reader, method, ...(method === 'PATCH' && { body: { name: 'Mine' } }) };
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await latchkey.api(`${PATH}/${body.id}`, call), 403, 'AUTHORIZATION_DENIED');
    }
    const customer = await register(latchkey);
    expectProblem(await latchkey.api(PATH, { token: customer.access_token }), 403, 'AUTHORIZATION_DENIED');
    const foreign = await managementToken(latchkey, undefined, 'production');
    expectProblem(await latchkey.api(`${PATH}/${body.id}`, { token: foreign }, 'production'), 404, 'NOT_FOUND');
  });
});

describe('POST /v1/admin/identity-providers/{id}/test', () => {
  test('reports that it responds, or the fault', async () => {
    const good = await add({ preset: 'oidc', options: { issuer: upstream.issuer } });
    const response = await testOf(good.body.id);
    assert.deepEqual([response.ok, response.issuer], [true, upstream.issuer], response.detail);
    const wrong = await add({ preset: 'oidc', options: { issuer: `${upstream.issuer}/elsewhere` } });
    assert.equal((await testOf(wrong.body.id)).ok, false);
    const off = await add({ preset: 'oidc', options: { issuer: upstream.issuer }, enabled: false });
    assert.equal((await testOf(off.body.id)).ok, true, 'one that is to be switched on yet');
  });

  test('WH-2 nothing is sent to private addresses, by number or by name, unless they are allowed', async () => {
    for (const host of ['10.0.0.1', '169.254.169.254', '192.168.1.1', '[fd00::1]', '[::ffff:10.0.0.1]', '0.0.0.0']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body } = await add({ preset: 'oidc', options: { issuer: `http://${host}` } });
      const { ok, detail } = await testOf(body.id);
      assert.equal(ok, false, host);
      assert.match(detail, /not a public address/, host);
      expectProblem(await latchkey.auth(start(body.key)), 503, 'SERVICE_UNAVAILABLE');
    }
  });
});

describe('presets', () => {
  test('of OAuth providers send the browser to their own address, with state and PKCE', async () => {
    for (const name of presetNames) {
      const preset = presets[name];
      if (preset.protocol !== 'oauth2') continue;
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body } = await add({ preset: name });
      const location = new URL((await latchkey.auth(start(body.key))).headers.get('location') ?? '');
      assert.equal(location.origin + location.pathname, preset.authorizationEndpoint);
      assert.deepEqual(
        Object.fromEntries(
          ['client_id', 'redirect_uri', 'response_type', 'scope', 'code_challenge_method'].map((field) => [
            field,
            location.searchParams.get(field),
          ]),
        ),
        {
          client_id: 'client',
          redirect_uri: body.callbackUrl,
          response_type: 'code',
          scope: preset.scopes.join(' '),
          code_challenge_method: 'S256',
        },
      );
      assert.match(location.searchParams.get('state') ?? '', /^lku_/);
    }
  });

  test('of OpenID providers name an https issuer that needs at most a directory', () => {
    const issuers = presetNames.flatMap((name) => {
      const preset = presets[name];
      return preset.protocol === 'oidc' && preset.issuer !== null ? [preset.issuer.replace('{tenant}', 'common')] : [];
    });
    assert.equal(issuers.length, 5);
    for (const issuer of issuers) assert.equal(new URL(issuer).href.replace(/\/$/, ''), issuer);
  });

  test('AU-8 a self-hosted GitHub does not speak for the accounts of github.com', async () => {
    const own = await add({ preset: 'github', options: github.options });
    const { issuer, subject } = await signInThrough(own.body.key, 4711);
    assert.equal(subject, '4711');
    assert.notEqual(issuer, presets.github.issuer);
    assert.equal(issuer, new URL(github.options.userinfoEndpoint).origin);
    const again = await add({ preset: 'github', options: github.options });
    assert.equal((await signInThrough(again.body.key, 4711)).issuer, issuer);
  });
});
