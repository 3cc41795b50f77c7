import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { expectProblem, ownerToken, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { type Operator, teammate } from '#tests/operators.ts';
import { admin, type BackEnd, backEnd } from './authority.ts';

let latchkey: TestLatchkey;
/** A client that may manage members, and a weaker one that may manage applications. */
let stronger: BackEnd;
let weaker: BackEnd;
let developer: Operator;
let owner: ReturnType<typeof admin>;
before(async () => {
  latchkey = await startTestLatchkey();
  owner = admin(latchkey, await ownerToken(latchkey));
  [stronger, weaker, developer] = await Promise.all([
    backEnd(latchkey, ['members:write']),
    backEnd(latchkey, ['applications:read', 'applications:write']),
    teammate(latchkey, 'developer'),
  ]);
});
after(() => latchkey.stop());

/** Tries as the weaker client over the API, and as a developer in the console. */
async function refused(method: string, path: string, body: unknown, requiredPermission: string): Promise<void> {
  const call = { method, ...(body !== undefined && { body }) };
  const responses: TestResponse[] = [
    await latchkey.api(`/v1/admin/${path}`, { token: weaker.token, ...call }),
    ...(requiredPermission.startsWith('applications:') ? [] : [await developer.call(`/console/v1/${path}`, call)]),
  ];
  for (const response of responses) {
    expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    assert.equal(response.body.requiredPermission, requiredPermission, `${method} ${path}`);
  }
}

const jwks = async () => ({ keys: [await exportJWK((await generateKeyPair('ES256')).publicKey)] });

describe('managing applications does not allow escalation', () => {
  test('a stronger client cannot be changed, disabled or deleted, and gets no secret or key', async () => {
    const path = `applications/${stronger.id}`;
    const before = (await owner('GET', path)).body;
    await refused('POST', `${path}/secrets`, undefined, 'members:write');
    await refused('PATCH', path, { jwks: await jwks() }, 'members:write');
    await refused('PATCH', path, { enabled: false }, 'members:write');
    await refused('PATCH', path, { permissions: [] }, 'members:write');
    await refused('PATCH', path, { name: 'Mine' }, 'members:write');
    await refused('DELETE', `${path}/secrets/${before.secrets[0].id}`, undefined, 'members:write');
    await refused('DELETE', path, undefined, 'members:write');
    assert.deepEqual((await owner('GET', path)).body, before);
  });

  test('a disabled client cannot be enabled by a weaker caller', async () => {
    const { id } = await backEnd(latchkey, ['members:write']);
    assert.equal((await owner('PATCH', `applications/${id}`, { enabled: false })).status, 200);
    await refused('PATCH', `applications/${id}`, { enabled: true }, 'members:write');
  });

  test('clients that are not stronger can be managed', async () => {
    const { id } = await backEnd(latchkey, ['applications:read']);
    const mine = admin(latchkey, weaker.token);
    assert.equal((await mine('PATCH', `applications/${id}`, { name: 'Renamed' })).status, 200);
    const added = await mine('POST', `applications/${id}/secrets`);
    assert.equal(added.status, 201);
    assert.equal((await mine('DELETE', `applications/${id}/secrets/${added.body.id}`)).status, 204);
    assert.equal((await mine('DELETE', `applications/${id}`)).status, 204);
  });

  test('an unknown permission is refused', async () => {
    const body = { kind: 'management', name: 'Unknown', permissions: ['members:read', 'nothing:real'] };
    const responses = await Promise.all([
      owner('POST', 'applications', body),
      owner('PATCH', `applications/${stronger.id}`, { permissions: body.permissions }),
    ]);
    for (const response of responses) {
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, '/body/permissions/1');
    }
  });

  test('a client that gains permissions during a change reveals no secret', async () => {
    const mine = admin(latchkey, weaker.token);
    for (let round = 0; round < 5; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one race after the other
      const { id } = await backEnd(latchkey, ['applications:read']);
      const [raised, added] = await Promise.all([
        owner('PATCH', `applications/${id}`, { permissions: ['members:write'] }),
        mine('POST', `applications/${id}/secrets`),
      ]);
      assert.equal(raised.status, 200);
      // In either order: a secret that was added before the permissions is visible to the administrator who grants
      // them.
      if (added.status === 201) assert.equal(raised.body.secrets.length, 2);
      else expectProblem(added, 403, 'AUTHORIZATION_DENIED');
    }
  });
});

describe('a first-party application gets full sessions, so it needs a permission of its own', () => {
  test('without it nobody can create or enable one, or change its redirect URIs', async () => {
    const trust = 'applications:trust';
    const third = await owner('POST', 'applications', { kind: 'spa', name: 'Third', firstParty: false });
    const first = await owner('POST', 'applications', { kind: 'web', name: 'First' });
    assert.deepEqual([third.status, first.status], [201, 201]);
    await refused('POST', 'applications', { kind: 'spa', name: 'New' }, trust);
    await refused('POST', 'applications', { kind: 'native', name: 'New', firstParty: true }, trust);
    await refused('PATCH', `applications/${third.body.id}`, { firstParty: true }, trust);
    const path = `applications/${first.body.id}`;
    await refused('PATCH', path, { redirectUris: ['https://evil.example/callback'] }, trust);
    await refused('PATCH', path, { origins: ['https://evil.example'] }, trust);
    await refused('POST', `${path}/secrets`, undefined, trust);
    await refused('DELETE', path, undefined, trust);
    const mine = admin(latchkey, weaker.token);
    const own = await mine('POST', 'applications', { kind: 'spa', name: 'Asks', firstParty: false });
    assert.equal(own.status, 201);
    const changed = await mine('PATCH', `applications/${own.body.id}`, { redirectUris: ['https://app.example/cb'] });
    assert.equal(changed.status, 200);
  });
});
