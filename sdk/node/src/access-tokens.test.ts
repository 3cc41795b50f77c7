import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { machineToken, newApi, newApplication, newMachine, type TestApi } from '../../../server/tests/apis.ts';
import { managementToken, register, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { InvalidTokenError, introspection, liveSession, tokenVerifier, type Verifier } from './index.ts';

let latchkey: TestLatchkey;
let api: TestApi;
let issuer: string;
let apiUrl: string;
let projectId: string;
before(async () => {
  latchkey = await startTestLatchkey();
  ({ auth: issuer, api: apiUrl } = latchkey.system.config.addresses.test);
  projectId = latchkey.demo.projects[0]?.id ?? '';
  api = await newApi(latchkey);
});
after(() => latchkey.stop());

const ofApi = (more: object = {}): Verifier => tokenVerifier({ issuer, audience: api.identifier, projectId, ...more });
const ofSessions = (more: object = {}): Verifier => tokenVerifier({ issuer, audience: apiUrl, projectId, ...more });

async function tokenOfMachine(): Promise<string> {
  const machine = await newMachine(latchkey, api, 'orders:read');
  return (await machineToken(latchkey, machine, { resource: api.identifier })).body.access_token;
}

describe('a token verifier', () => {
  test('gives the content of a machine’s token and of a person’s session token', async () => {
    const machine = await newMachine(latchkey, api, 'orders:read');
    const { body } = await machineToken(latchkey, machine, { resource: api.identifier });
    const { claims: _machine, expiresAt, ...ofMachine } = await ofApi()(body.access_token);
    assert.deepEqual(ofMachine, {
      kind: 'machine',
      subject: machine.clientId,
      clientId: machine.clientId,
      scopes: ['orders:read'],
      permissions: [],
      roles: [],
    });
    assert.ok(expiresAt > new Date());
    const { access_token, session } = await register(latchkey);
    const { kind, subject, sessionId } = await ofSessions()(access_token);
    assert.deepEqual({ kind, subject, sessionId }, { kind: 'person', subject: session.userId, sessionId: session.id });
    const management = await ofSessions()(await managementToken(latchkey));
    assert.equal(management.kind, 'machine', 'a management token is not taken for a person');
  });

  test('refuses tokens for another audience, project, issuer and environment', async () => {
    const token = await tokenOfMachine();
    const production = latchkey.system.config.addresses.production;
    const others = [
      { audience: 'https://other.example' },
      { projectId: 'prj_01kaz3w9hqf8p9n2m400000001' },
      { issuer: production.auth },
    ];
    await Promise.all(
      others.map((other) => assert.rejects(ofApi(other)(token), InvalidTokenError, JSON.stringify(other))),
    );
    await assert.rejects(ofSessions()(token), InvalidTokenError, 'for the API, not for sessions');
    const inProduction = await managementToken(latchkey, undefined, 'production');
    await assert.rejects(ofSessions()(inProduction), InvalidTokenError, 'production');
  });

  test('refuses forged tokens, other algorithms and other types', async () => {
    const token = await tokenOfMachine();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const sign = (more: object, kidOf: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: kidOf, ...more }).sign(privateKey);
    const forged = {
      'changed content': `${header}.${encode({ ...claims, scope: 'orders:refund' })}.${signature}`,
      'no signature': `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      'a shared secret': `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}.${signature}`,
      'another key by the same id': await sign({}, kid),
      'an unknown key': await sign({}, 'unknown'),
      'its own key': await sign({ jwk: await exportJWK(publicKey) }, kid),
      'another type': `${encode({ alg: 'ES256', typ: 'JWT', kid })}.${payload}.${signature}`,
      'no token': 'no.token.here',
      nothing: '',
    };
    const verify = ofApi();
    await Promise.all(
      Object.entries(forged).map(([name, text]) => assert.rejects(verify(text), InvalidTokenError, name)),
    );
  });
});

describe('an expired token, and keys that are away', () => {
  test('refuses a token from its expiry on, beside the tolerated difference of clocks', async (t) => {
    const token = await tokenOfMachine();
    const verify = ofApi({ clockToleranceSeconds: 10 });
    const { expiresAt } = await verify(token);
    t.mock.timers.enable({ apis: ['Date'], now: expiresAt.getTime() + 9_000 });
    assert.ok(await verify(token));
    t.mock.timers.setTime(expiresAt.getTime() + 11_000);
    await assert.rejects(verify(token), InvalidTokenError);
  });

  test('does not call a token invalid when the keys cannot be read', async () => {
    const verify = ofApi({ issuer: 'http://127.0.0.1:9' });
    await assert.rejects(verify(await tokenOfMachine()), (error) => !(error instanceof InvalidTokenError));
  });
});

describe('an ended session or application', () => {
  test('ends session tokens at once where liveSession is asked, else they hold until they expire', async () => {
    const { access_token: token } = await register(latchkey);
    const live = ofSessions({ isLive: liveSession(apiUrl) });
    assert.equal((await live(token)).kind, 'person');
    assert.equal((await latchkey.auth('/v1/sessions/logout', { token, body: {} })).status, 204);
    await assert.rejects(live(token), InvalidTokenError);
    assert.equal((await ofSessions()(token)).kind, 'person');
  });

  test('ends OpenID Connect tokens at once where introspection is asked', async () => {
    const asking = await newApplication(latchkey);
    const client = { issuer, clientId: asking.clientId, clientSecret: asking.secret ?? '' };
    const live = ofApi({ isLive: introspection(client) });
    const machine = await newMachine(latchkey, api, 'orders:read');
    const { body } = await machineToken(latchkey, machine, { resource: api.identifier });
    assert.equal((await live(body.access_token)).subject, machine.clientId);
    const revoked = await latchkey.auth('/connect/revoke', {
      body: new URLSearchParams({
        token: body.access_token,
        client_id: machine.clientId,
        client_secret: machine.secret ?? '',
      }),
    });
    assert.equal(revoked.status, 200);
    await assert.rejects(live(body.access_token), InvalidTokenError);
    const wrong = ofApi({ isLive: introspection({ ...client, clientSecret: 'wrong' }) });
    await assert.rejects(wrong(await tokenOfMachine()), (error) => !(error instanceof InvalidTokenError));
  });
});
