import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import {
  admin,
  grantOf,
  machineToken,
  newApi,
  newApplication,
  newMachine,
  READ,
  REFUND,
  type TestApplication,
  tokensFor,
} from '#tests/apis.ts';
import { expectProblem, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const refresh = (configuration: client.Configuration, token = '', parameters: Record<string, string> = {}) =>
  client.refreshTokenGrant(configuration, token, parameters);

describe('the token of a machine', () => {
  test('has the scopes it was granted for itself, and opens nothing of Latchkey', async () => {
    const api = await newApi(latchkey, { scopes: [READ, REFUND, { name: 'members:read', description: '' }] });
    const machine = await newMachine(latchkey, api, 'orders:read', 'members:read');
    const all = await machineToken(latchkey, machine, { resource: api.identifier });
    assert.deepEqual([all.status, all.body.scope], [200, 'orders:read members:read']);
    const claims = decodeJwt(all.body.access_token);
    assert.deepEqual(
      [claims.aud, claims.sub, claims['client_id'], claims['project_id'], claims['projectId']],
      [api.identifier, machine.clientId, machine.clientId, latchkey.demo.projects[0]?.id, undefined],
    );
    expectProblem(await latchkey.api('/v1/admin/members', { token: all.body.access_token }), 403, 'WRONG_TOKEN_KIND');
    const some = await machineToken(latchkey, machine, { resource: api.identifier, scope: 'orders:read' });
    assert.equal(some.body.scope, 'orders:read');
    for (const scope of ['orders:refund', 'orders:read openid', 'applications:write']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const refused = await machineToken(latchkey, machine, { resource: api.identifier, scope });
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope'], scope);
    }
  });

  test('is for its only API when it names none and has no permissions; else for the API host', async () => {
    const api = await newApi(latchkey, { accessTokenSeconds: 90 });
    const machine = await newMachine(latchkey, api, 'orders:read');
    const { body } = await machineToken(latchkey, machine);
    assert.deepEqual([decodeJwt(body.access_token).aud, body.expires_in], [api.identifier, 90]);
    await admin(latchkey, `applications/${machine.id}`, { method: 'PATCH', body: { permissions: ['members:read'] } });
    const unnamed = await machineToken(latchkey, machine);
    assert.equal(unnamed.body.error, 'invalid_request', 'the context of a management token is missing');
    const { workspaceId, projects } = latchkey.demo;
    const context = { workspaceId, projectId: projects[0]?.id ?? '', environment: 'test' };
    const management = await machineToken(latchkey, machine, context);
    assert.equal(decodeJwt(management.body.access_token).aud, latchkey.system.config.addresses.test.api);
    assert.equal(management.body.scope, 'members:read');
  });

  test('is refused for an API that is unknown, not granted, or named beside another', async () => {
    const [api, other] = [await newApi(latchkey), await newApi(latchkey)];
    const machine = await newMachine(latchkey, api, 'orders:read');
    for (const resource of [other.identifier, 'https://unknown.example', 'relative']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { status, body } = await machineToken(latchkey, machine, { resource });
      assert.deepEqual([status, body.error], [400, 'invalid_target'], resource);
    }
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: machine.clientId,
      client_secret: machine.secret ?? '',
    });
    for (const { identifier } of [api, other]) body.append('resource', identifier);
    assert.equal((await latchkey.auth('/connect/token', { body })).body.error, 'invalid_target');
  });
});

describe('introspection and revocation of a JWT', () => {
  const introspect = async ({ clientId, secret }: TestApplication, token: string) => {
    const body = new URLSearchParams({ token, client_id: clientId, client_secret: secret ?? '' });
    return (await latchkey.auth('/connect/introspect', { body })).body;
  };
  const revoke = ({ clientId, secret }: TestApplication, token: string) =>
    latchkey.auth('/connect/revoke', {
      body: new URLSearchParams({ token, client_id: clientId, client_secret: secret ?? '' }),
    });

  test('return the content of a valid token, and nothing after it was revoked', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { apis: [grantOf(api, 'orders:read')] });
    const person = await register(latchkey);
    const asked = { resource: api.identifier, scope: 'openid orders:read' };
    const { configuration, tokens } = await tokensFor(latchkey, application, person, { parameters: asked });
    const said = await introspect(application, tokens.access_token);
    assert.deepEqual(
      [said.active, said.aud, said.scope, said.sub, said.token_type],
      [true, api.identifier, 'openid orders:read', person.session.userId, 'Bearer'],
    );
    const partner = await newApplication(latchkey);
    assert.equal((await introspect(partner, tokens.access_token)).active, true, 'for an API of the project');
    assert.equal((await revoke(partner, tokens.access_token)).status, 400, 'which may not revoke it');
    assert.equal((await introspect(application, tokens.access_token)).active, true);
    assert.equal((await revoke(application, tokens.access_token)).status, 200);
    assert.deepEqual(await introspect(application, tokens.access_token), { active: false });
    await assert.rejects(refresh(configuration, tokens.refresh_token), { error: 'invalid_grant' });
  });

  test('a token is inactive once its session, API, client or time has ended', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { apis: [grantOf(api)] });
    const person = await register(latchkey);
    const asking = await newApplication(latchkey);
    const token = async () => {
      const { tokens } = await tokensFor(latchkey, application, person, { parameters: { resource: api.identifier } });
      assert.equal((await introspect(asking, tokens.access_token)).active, true);
      return tokens.access_token;
    };
    const ofSession = await token();
    const everywhere = { token: person.access_token, body: { everywhere: true } };
    assert.equal((await latchkey.auth('/v1/sessions/logout', everywhere)).status, 204);
    assert.deepEqual(await introspect(asking, ofSession), { active: false });
    const ofApi = await token();
    await admin(latchkey, `applications/${application.id}`, { method: 'PATCH', body: { apis: [] } });
    assert.deepEqual(await introspect(asking, ofApi), { active: false });
    await admin(latchkey, `applications/${application.id}`, { method: 'PATCH', body: { apis: [grantOf(api)] } });
    const ofClient = await token();
    await admin(latchkey, `applications/${application.id}`, { method: 'PATCH', body: { enabled: false } });
    assert.deepEqual(await introspect(asking, ofClient), { active: false });
    await admin(latchkey, `applications/${application.id}`, { method: 'PATCH', body: { enabled: true } });
    assert.deepEqual(await introspect(asking, ofClient), { active: false });
  });

  test('work for the token of a machine, too; a session’s token and a forged one are unknown', async () => {
    const api = await newApi(latchkey);
    const machine = await newApplication(latchkey, {
      kind: 'management',
      redirectUris: [],
      apis: [{ identifier: api.identifier, machineScopes: ['orders:read'] }],
    });
    const { body } = await machineToken(latchkey, machine, { resource: api.identifier });
    const said = await introspect(machine, body.access_token);
    assert.deepEqual([said.active, said.scope, said.client_id], [true, 'orders:read', machine.clientId]);
    const person = await register(latchkey);
    const [head, , signature] = body.access_token.split('.');
    const claims = { ...decodeJwt(body.access_token), scope: 'orders:refund' };
    const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    const others = [person.access_token, forged, `${head}..`].map((other) => introspect(machine, other));
    assert.deepEqual(await Promise.all(others), [{ active: false }, { active: false }, { active: false }]);
    assert.equal((await revoke(machine, body.access_token)).status, 200);
    assert.deepEqual(await introspect(machine, body.access_token), { active: false });
  });

  test('a client that does not authenticate learns nothing', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { apis: [grantOf(api)] });
    const { tokens } = await tokensFor(latchkey, application, await register(latchkey), {
      parameters: { resource: api.identifier },
    });
    const wrong = await introspect({ ...application, secret: 'wrong' }, tokens.access_token);
    assert.equal(wrong.error, 'invalid_client');
    assert.equal((await revoke({ ...application, secret: 'wrong' }, tokens.access_token)).status, 401);
    assert.equal((await introspect(application, tokens.access_token)).active, true);
  });
});
