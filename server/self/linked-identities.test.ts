import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { createProvider } from '#identity-providers';
import type { Scope } from '#platform/ctx.ts';
import {
  eventsOf,
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  PASSWORD,
  PKCE,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { createTenant } from '#tests/tenants.ts';

const REDIRECT = 'http://localhost:5173/callback';
const PATH = '/v1/me/linked-identities';

const clock = new TestClock();
let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey({ clock }), startIssuer()]);
  await latchkey.inProject(async (tx) => {
    const provider = {
      preset: 'oidc' as const,
      clientId: 'shop',
      clientSecret: 'secret',
      options: { issuer: upstream.issuer },
    };
    await createProvider(tx, { ...provider, key: 'employer' });
    await createProvider(tx, { ...provider, key: 'home' });
  });
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const list = async (token: string) => (await latchkey.api(PATH, { token })).body.items;
const link = (token: string, code: string | undefined) => latchkey.api(PATH, { token, body: { code } });
const linkByToken = (token: string, linkToken: string) => latchkey.api(PATH, { token, body: { linkToken } });
const unlink = (token: string, id: string) => latchkey.api(`${PATH}/${id}`, { token, method: 'DELETE' });
const exchange = (code: string | undefined) =>
  latchkey.auth('/v1/auth/login/social/exchange', { body: { code, codeVerifier: PKCE.codeVerifier } });
const clientId = () => latchkey.demo.environments.test.clientId;

/** Starts linking. */
const begin = (token: string, provider = 'employer', more: Record<string, string> = {}) =>
  latchkey.api(PATH, { token, body: { provider, clientId: clientId(), redirectUri: REDIRECT, ...more } });

/**
 * Goes to the provider and comes back.
 * @param url of the start page
 * @returns the code at the redirect address
 */
async function visit(url: string, claims: Issuer['claims']): Promise<string> {
  upstream.claims = claims;
  const start = new URL(url, latchkey.system.config.addresses.test.auth);
  const left = await latchkey.auth(start.pathname + start.search);
  const cookie = left.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const query = new URLSearchParams(upstream.approve(left.headers.get('location') ?? ''));
  const callback = `${start.pathname.replace(/start$/, 'callback')}?${query}`;
  const back = await latchkey.auth(callback, { headers: { cookie: cookie.join('; ') } });
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code');
  assert.ok(code, back.headers.get('location') ?? back.text);
  return code;
}

const startPath = (provider: string) =>
  `/v1/auth/login/social/${provider}/start?${new URLSearchParams({ clientId: clientId(), redirectUri: REDIRECT, codeChallenge: PKCE.codeChallenge })}`;

/** A person who has only an account at the provider. */
async function comer(provider = 'employer') {
  const response = await exchange(await visit(startPath(provider), { sub: crypto.randomUUID() }));
  assert.equal(response.status, 200, response.text);
  return response.body;
}

describe('POST /v1/me/linked-identities', () => {
  test('AU-7 links what the same person started, notifies them, and writes events', async () => {
    const person = await register(latchkey);
    const token = person.access_token;
    const code = await visit((await begin(token)).body.url, { sub: 'one', email: 'ada@employer.example' });
    const linked = await link(token, code);
    assert.equal(linked.status, 201, linked.text);
    const { id, linkedAt, ...identity } = linked.body;
    assert.deepEqual(identity, {
      provider: 'employer',
      issuer: upstream.issuer,
      subject: 'one',
      email: 'ada@employer.example',
    });
    assert.deepEqual(await list(token), [linked.body]);
    assert.match((await lastMessage(latchkey, person.email)).text, /provider was linked to your account/);
    const signedIn = await exchange(await visit(startPath('employer'), { sub: 'one' }));
    assert.equal(signedIn.body.session.userId, person.session.userId);
    assert.equal((await unlink(token, id)).status, 204);
    assert.match((await lastMessage(latchkey, person.email)).text, /provider was removed from your account/);
    const events = await eventsOf(latchkey, person.session.userId);
    assert.deepEqual(
      events.filter((type) => type.startsWith('identity.')),
      ['identity.linked', 'identity.unlinked'],
    );
    assert.ok(linkedAt);
  });

  test('AU-8 a linking code cannot sign in; it works once, only for the person who started', async () => {
    const [person, stranger] = [await register(latchkey), await register(latchkey)];
    const code = await visit((await begin(person.access_token)).body.url, { sub: crypto.randomUUID() });
    expectProblem(await exchange(code), 400, 'INVALID_TOKEN');
    expectProblem(await link(stranger.access_token, code), 400, 'INVALID_TOKEN');
    const responses = await Promise.all(Array.from({ length: 10 }, () => link(person.access_token, code)));
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    const toSignIn = await visit(startPath('employer'), { sub: crypto.randomUUID() });
    expectProblem(await link(person.access_token, toSignIn), 400, 'INVALID_TOKEN');
  });

  test('AU-8 409 ALREADY_EXISTS for a provider account that is already linked', async () => {
    const sub = crypto.randomUUID();
    const first = await exchange(await visit(startPath('employer'), { sub }));
    const person = await register(latchkey);
    const code = await visit((await begin(person.access_token)).body.url, { sub });
    expectProblem(await link(person.access_token, code), 409, 'ALREADY_EXISTS');
    assert.equal((await list(first.body.access_token)).length, 1);
    assert.deepEqual(await list(person.access_token), []);
  });

  test('link_required demands a proof of the account: its token opens nothing by itself', async () => {
    const email = newEmail();
    const owner = await prove(latchkey, await register(latchkey, { email }));
    const claims = { sub: crypto.randomUUID(), email, email_verified: true };
    const asked = await exchange(await visit(startPath('employer'), claims));
    assert.deepEqual(Object.keys(asked.body).sort(), ['expiresIn', 'hint', 'linkToken', 'status']);
    assert.ok(!asked.body.hint.includes(email.split('@')[0]));
    expectProblem(await exchange(asked.body.linkToken), 400, 'INVALID_TOKEN');
    clock.advance(601_000);
    const fresh = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    expectProblem(await linkByToken(fresh.body.access_token, asked.body.linkToken), 400, 'INVALID_TOKEN');
    const again = await exchange(await visit(startPath('employer'), claims));
    assert.equal((await linkByToken(fresh.body.access_token, again.body.linkToken)).status, 201);
    const back = await exchange(await visit(startPath('employer'), claims));
    assert.equal(back.body.session.userId, owner.session.userId);
  });

  test('OA-1 the redirect address must belong to an enabled application of this workspace, project and environment', async () => {
    const { access_token: token } = await register(latchkey);
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const redirectUri = 'http://localhost:5199/cb';
    const make = (scope: Partial<Scope>) =>
      latchkey.inProject(
        (tx) => createApplication(tx, { kind: 'spa', name: 'Other', redirectUris: [redirectUri] }),
        scope,
      );
    const { scope: elsewhere } = await createTenant(latchkey, 'elsewhere');
    for (const scope of [{ projectId: second.id }, elsewhere, { environment: 'production' } as const]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { clientId: foreign } = await make(scope);
      expectProblem(await begin(token, 'employer', { clientId: foreign, redirectUri }), 400, 'VALIDATION_FAILED');
    }
    const own = await make({});
    assert.equal((await begin(token, 'employer', { clientId: own.clientId, redirectUri })).status, 200);
    const management = await managementToken(latchkey);
    const off = await latchkey.api(`/v1/admin/applications/${own.id}`, {
      token: management,
      method: 'PATCH',
      body: { enabled: false },
    });
    assert.equal(off.status, 200, off.text);
    expectProblem(await begin(token, 'employer', { clientId: own.clientId, redirectUri }), 400, 'VALIDATION_FAILED');
    expectProblem(await begin(token, 'employer', { redirectUri: `${REDIRECT}/x` }), 400, 'VALIDATION_FAILED');
    expectProblem(await begin(token, 'nobody'), 404, 'NOT_FOUND');
  });

  test('SE-4 needs a sign-in within the last ten minutes, like unlinking', async () => {
    const person = await register(latchkey);
    const token = person.access_token;
    const linked = await link(token, await visit((await begin(token)).body.url, { sub: crypto.randomUUID() }));
    clock.advance(601_000);
    expectProblem(await begin(token), 401, 'REAUTHENTICATION_REQUIRED');
    expectProblem(await unlink(token, linked.body.id), 401, 'REAUTHENTICATION_REQUIRED');
  });
});

describe('DELETE /v1/me/linked-identities/{id}', () => {
  test('409 LAST_SIGN_IN_METHOD for the last one, also when two are removed at once', async () => {
    const { access_token: token } = await comer();
    await link(token, await visit((await begin(token)).body.url, { sub: crypto.randomUUID() }));
    const ids = (await list(token)).map(({ id }: { id: string }) => id);
    const responses = await Promise.all(ids.map((id: string) => unlink(token, id)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 409]);
    assert.equal((await list(token)).length, 1);
  });

  test('an account at a disabled provider does not count as a remaining sign-in method', async () => {
    const { access_token: token } = await comer('employer');
    await link(token, await visit((await begin(token, 'home')).body.url, { sub: crypto.randomUUID() }));
    const [{ id: home }, { id: employer }] = await list(token);
    const management = await managementToken(latchkey);
    const { body } = await latchkey.api('/v1/admin/identity-providers', { token: management });
    const provider = body.items.find(({ key }: { key: string }) => key === 'home');
    const set = (enabled: boolean) =>
      latchkey.api(`/v1/admin/identity-providers/${provider.id}`, {
        token: management,
        method: 'PATCH',
        body: { enabled },
      });
    await set(false);
    expectProblem(await unlink(token, employer), 409, 'LAST_SIGN_IN_METHOD');
    await set(true);
    assert.equal((await unlink(token, employer)).status, 204);
    expectProblem(await unlink(token, home), 409, 'LAST_SIGN_IN_METHOD');
  });

  test('the same 404 for another person’s and an unknown one', async () => {
    const [mine, theirs] = [await comer(), await comer()];
    const [{ id }] = await list(theirs.access_token);
    expectProblem(await unlink(mine.access_token, id), 404, 'NOT_FOUND');
    assert.equal((await list(theirs.access_token)).length, 1);
  });
});
