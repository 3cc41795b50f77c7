import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';
import { createApplication } from '#applications';
import { signingKeys } from '#keys';
import {
  changeSettings,
  eventsOf,
  eventually,
  expectProblem,
  lastMessage,
  managementToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';
import {
  ACCESS_TOKEN,
  type Application,
  addApis,
  addBackEnd,
  addShop,
  exchange,
  expectRefusal,
  ORDERS,
  REDIRECT,
  STOCK,
  signedIn,
  signedInForOrders,
} from '#tests/token-exchange.ts';

let latchkey: TestLatchkey;
let admin: string;
before(async () => {
  latchkey = await startTestLatchkey();
  admin = await managementToken(latchkey);
  await addApis(latchkey);
});
after(() => latchkey.stop());

const web = (more?: Record<string, unknown>) => addShop(latchkey, more);
const backEnd = (more?: Record<string, unknown>) => addBackEnd(latchkey, more);
const forOrders = (application: Application, scope?: string) => signedInForOrders(latchkey, application, scope);
const exchanged = (application: Application, subject: string, more?: Record<string, string | undefined>) =>
  exchange(latchkey, application, subject, more);
const changed = (id: string, body: Record<string, unknown>) =>
  latchkey.api(`/v1/admin/applications/${id}`, { token: admin, method: 'PATCH', body });

/** How many mails say that an application acts for a person. */
async function mailsAbout(email: string): Promise<number> {
  const { body } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(email)}`);
  return body.items.filter(({ subject }: { subject: string }) => / acts for you /.test(subject)).length;
}

const issuer = () => latchkey.system.config.addresses.test.auth;

/** Verifies a token as a resource server does. */
async function verified(token: string, audience = STOCK) {
  const keys = createRemoteJWKSet(new URL(`${issuer()}/connect/jwks`));
  const { payload } = await jwtVerify(token, keys, {
    issuer: issuer(),
    audience,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  });
  return payload;
}

describe('delegation', () => {
  test('an application exchanges a token of a person for one of a resource server that names it as actor', async () => {
    const [shop, orders] = [await web(), await backEnd()];
    const { person, tokens } = await forOrders(shop);
    const { status, body, text } = await exchanged(orders, tokens.access_token);
    assert.equal(status, 200, text);
    assert.deepEqual(
      { type: body.token_type, issued: body.issued_token_type, scope: body.scope, refresh: body.refresh_token },
      { type: 'Bearer', issued: ACCESS_TOKEN, scope: 'openid profile', refresh: undefined },
    );
    const claims = await verified(body.access_token);
    assert.deepEqual(claims['act'], { sub: orders.clientId });
    assert.equal(claims.sub, person.session.userId);
    assert.equal(claims['client_id'], orders.clientId);
    assert.deepEqual(claims['permissions'], []);
    assert.ok((claims.exp ?? 0) <= (decodeJwt(tokens.access_token).exp ?? 0), 'not longer than the exchanged token');
  });

  test('accepts an opaque token, `audience` for `resource`, and fewer scopes', async () => {
    const [shop, orders] = [await web(), await backEnd()];
    const { tokens } = await signedIn(latchkey, shop, { scope: 'openid profile email' });
    const { body, text } = await exchanged(orders, tokens.access_token, {
      resource: undefined,
      audience: STOCK,
      scope: 'email',
    });
    assert.equal(body.scope, 'email', text);
    assert.equal((await verified(body.access_token))['scope'], 'email');
  });

  test('notifies the person once per session, and each use is in the event log', async () => {
    const [shop, orders] = [await web(), await backEnd({ name: 'Order desk' })];
    const { person, tokens } = await forOrders(shop);
    const responses = await Promise.all([1, 2, 3].map(() => exchanged(orders, tokens.access_token)));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200],
    );
    const mail = await eventually(async () => {
      const found = await lastMessage(latchkey, person.email);
      assert.match(found.subject, /^Order desk acts for you/);
      return found;
    });
    assert.match(mail.text, /under applications/);
    assert.equal(await mailsAbout(person.email), 1);
    const types = await eventsOf(latchkey, person.session.userId);
    assert.equal(types.filter((type) => type === 'user.delegated').length, 3);
    const event = await latchkey.system.pool.query(
      `select actor, data from events where type = 'user.delegated' and data->>'userId' = $1 limit 1`,
      [person.session.userId],
    );
    assert.deepEqual(event.rows[0], {
      actor: { kind: 'management', applicationId: orders.id },
      data: {
        userId: person.session.userId,
        applicationId: orders.id,
        issuedTo: shop.id,
        resource: STOCK,
        scopes: ['openid', 'profile'],
      },
    });
  });

  test('sends no mail if the project disabled the notices', async () => {
    await changeSettings(latchkey, { delegationNotices: false });
    const [shop, orders] = [await web(), await backEnd()];
    const { person, tokens } = await forOrders(shop);
    assert.equal((await exchanged(orders, tokens.access_token)).status, 200);
    assert.equal(await mailsAbout(person.email), 0);
    await changeSettings(latchkey, { delegationNotices: true });
  });

  test('names every application of a chain, at most three', async () => {
    const shop = await web();
    const row = [await backEnd(), await backEnd(), await backEnd()];
    let { access_token: token } = (await forOrders(shop)).tokens;
    for (const application of row) {
      // biome-ignore lint/performance/noAwaitInLoops: each exchanges the token of the one before
      const { body, text } = await exchanged(application, token);
      assert.ok(body.access_token, text);
      token = body.access_token;
    }
    const [first, second, third] = row.map(({ clientId }) => clientId);
    const { act } = await verified(token);
    assert.deepEqual(act, { sub: third, act: { sub: second, act: { sub: first } } });
    expectRefusal(await exchanged(await backEnd(), token), 'invalid_request');
  });

  test('contains no claims that the exchanged token lacks', async () => {
    const [partner, orders, next] = [await web({ firstParty: false }), await backEnd(), await backEnd()];
    const person = await register(latchkey);
    const flow = await codeFlow(latchkey, { resource: ORDERS, scope: 'openid' }, partner);
    const browser = browserOf(latchkey);
    const asked = await signInOn(latchkey, flow, person, browser);
    const { access_token: token } = await flow.finish(await browser.submit(asked, { decision: 'allow' }));
    const { body } = await exchanged(orders, token);
    const { body: again } = await exchanged(next, body.access_token);
    for (const issued of [body, again]) {
      // biome-ignore lint/performance/noAwaitInLoops: two tokens
      const claims = await verified(issued.access_token);
      assert.deepEqual([claims['roles'], claims['permissions']], [undefined, undefined]);
    }
  });

  test('a delegated token opens nothing of Latchkey', async () => {
    const [shop, orders] = [await web(), await backEnd()];
    const { flow, tokens } = await forOrders(shop);
    const { body } = await exchanged(orders, tokens.access_token);
    const token = body.access_token;
    expectProblem(await latchkey.api('/v1/me/profile', { token }), 403, 'WRONG_TOKEN_KIND');
    const { workspaceId, projects } = latchkey.demo;
    const target = { workspaceId, projectId: projects[0]?.id, environment: 'test' };
    const switched = await latchkey.auth('/v1/sessions/switch-context', { token, body: target });
    expectProblem(switched, 403, 'WRONG_TOKEN_KIND');
    await assert.rejects(client.fetchUserInfo(flow.configuration, token, client.skipSubjectCheck));
  });

  test('the application is among those that act for the person, who ends it', async () => {
    const [shop, orders, next] = [await web(), await backEnd(), await backEnd()];
    const { person, tokens } = await forOrders(shop);
    const { body } = await exchanged(orders, tokens.access_token);
    const { access_token: token } = person;
    const used = '/v1/me/security/applications';
    // The person's own session is another than that of the hosted pages.
    const listed = await latchkey.api(used, { token });
    assert.ok(listed.body.items.some(({ clientId }: Application) => clientId === orders.clientId));
    assert.equal((await latchkey.api(`${used}/${orders.clientId}`, { token, method: 'DELETE' })).status, 204);
    expectRefusal(await exchanged(next, body.access_token), 'invalid_request');
  });

  test('the end of the grant of the exchanged token ends everything derived from it, along the chain', async () => {
    const [shop, orders, next] = [await web(), await backEnd(), await backEnd()];
    const { person, tokens } = await forOrders(shop);
    const { body: one } = await exchanged(orders, tokens.access_token);
    const { body: two } = await exchanged(next, one.access_token);
    const path = `/v1/me/security/applications/${shop.clientId}`;
    assert.equal((await latchkey.api(path, { token: person.access_token, method: 'DELETE' })).status, 204);
    for (const token of [tokens.access_token, one.access_token, two.access_token]) {
      // biome-ignore lint/performance/noAwaitInLoops: three tokens
      expectRefusal(await exchanged(orders, token), 'invalid_request');
    }
    const { rows } = await latchkey.system.pool.query(
      `select count(*) from oidc_records where model = 'Grant' and payload->>'accountId' = $1`,
      [person.session.userId],
    );
    assert.equal(Number(rows[0].count), 0);
  });

  test('an exchange that runs while the session ends leaves no grant behind', async () => {
    const [shop, orders] = [await web(), await backEnd()];
    const { person, tokens } = await forOrders(shop);
    const ending = latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } });
    const racing = Array.from({ length: 6 }, () => exchanged(orders, tokens.access_token));
    await Promise.all([ending, ...racing]);
    expectRefusal(await exchanged(orders, tokens.access_token), 'invalid_request');
    const { rows } = await latchkey.system.pool.query(
      `select count(*) from oidc_records where model = 'Grant' and payload->>'accountId' = $1`,
      [person.session.userId],
    );
    assert.equal(Number(rows[0].count), 0);
  });
});

describe('a subject_token is refused', () => {
  let shop: Application;
  let orders: Application;
  before(async () => {
    shop = await web();
    orders = await backEnd();
  });

  test('that is a refresh token, an ID token, a session token, a management token, or no token', async () => {
    const { person, tokens } = await forOrders(shop);
    for (const token of [tokens.refresh_token, tokens.id_token, person.access_token, admin, 'x', 'a.b.c', '']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectRefusal(await exchanged(orders, token ?? ''), 'invalid_request');
    }
  });

  test('that is unsigned, signed with another key, of another type, or expired', async () => {
    const { tokens } = await forOrders(shop);
    const claims = decodeJwt(tokens.access_token);
    const { privateKey, id } = await signingKeys(latchkey.system, 'test').signer('ES256');
    const other = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    const signed = (key: typeof privateKey, typ: string, payload = claims) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: id, typ }).sign(key);
    const own = await signed(privateKey, 'at+jwt');
    assert.equal((await exchanged(orders, own)).status, 200, 'the same claims, signed as they should be');
    const forged = [
      new UnsecuredJWT(claims).encode(),
      await signed(other.privateKey, 'at+jwt'),
      await signed(privateKey, 'JWT'),
      await signed(privateKey, 'at+jwt', { ...claims, iss: 'https://other.example' }),
      await signed(privateKey, 'at+jwt', { ...claims, exp: 1 }),
      await signed(privateKey, 'at+jwt', { ...claims, jti: 'x.y' }),
      await signed(privateKey, 'at+jwt', { ...claims, client_id: orders.clientId }),
      await signed(privateKey, 'at+jwt', { ...claims, cnf: { jkt: 'x' } }),
    ];
    for (const token of forged) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectRefusal(await exchanged(orders, token), 'invalid_request');
    }
  });

  test('of another project of the workspace', async () => {
    const { workspaceId, projects } = latchkey.demo;
    const [, other] = projects;
    assert.ok(other);
    const person = await register(latchkey, { workspaceId, projectId: other.id });
    const shopThere = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'spa', name: 'Elsewhere', redirectUris: [REDIRECT] }),
      { projectId: other.id },
    );
    const flow = await codeFlow(latchkey, {}, { clientId: shopThere.clientId });
    const { access_token: token } = await flow.finish(await signInOn(latchkey, flow, person));
    expectRefusal(await exchanged(orders, token), 'invalid_request');
  });

  test('of an application that was disabled since, also when it is enabled again', async () => {
    const own = await web();
    const [jwt, opaque] = [await forOrders(own), await signedIn(latchkey, own)];
    await changed(own.id, { enabled: false });
    expectRefusal(await exchanged(orders, jwt.tokens.access_token), 'invalid_request');
    await changed(own.id, { enabled: true });
    for (const { tokens } of [jwt, opaque]) {
      // biome-ignore lint/performance/noAwaitInLoops: two tokens
      expectRefusal(await exchanged(orders, tokens.access_token), 'invalid_request');
    }
  });

  test('of a member who was blocked', async () => {
    const { person, tokens } = await forOrders(shop);
    const { body } = await latchkey.api(`/v1/admin/members?q=${person.email}`, { token: admin });
    const path = `/v1/admin/members/${body.items[0].id}/block`;
    assert.equal((await latchkey.api(path, { token: admin, method: 'POST' })).status, 200);
    expectRefusal(await exchanged(orders, tokens.access_token), 'invalid_request');
  });

  test('for more scopes, another resource, no resource, or two', async () => {
    const { tokens } = await forOrders(shop, 'openid');
    const { access_token: token } = tokens;
    expectRefusal(await exchanged(orders, token, { scope: 'openid email' }), 'invalid_scope');
    expectRefusal(await exchanged(orders, token, { resource: 'https://other.example' }), 'invalid_target');
    const { api } = latchkey.system.config.addresses.test;
    expectRefusal(await exchanged(orders, token, { resource: api }), 'invalid_target');
    expectRefusal(await exchanged(orders, token, { resource: undefined }), 'invalid_target');
    expectRefusal(await exchanged(orders, token, { audience: STOCK }), 'invalid_target');
  });

  test('with parameters of the wrong kind', async () => {
    const { access_token: token } = (await forOrders(shop)).tokens;
    for (const wrong of [
      { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' },
      { subject_token_type: undefined },
      { subject_token: undefined },
      { actor_token: token, actor_token_type: ACCESS_TOKEN },
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectRefusal(await exchanged(orders, token, wrong), 'invalid_request');
    }
  });
});
