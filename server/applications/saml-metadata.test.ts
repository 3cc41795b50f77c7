import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { newServiceKey, type ServiceKey, serviceProviderMetadata } from '#saml';
import { expectProblem, managementToken, ownerToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { refreshServiceProviders } from './saml-refresh.ts';

const ENTITY_ID = 'https://sp.example.com';
const ACS = `${ENTITY_ID}/acs`;

let latchkey: TestLatchkey;
let receiver: Receiver;
let token: string;
let keys: readonly [ServiceKey, ServiceKey];
before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey(), startReceiver()]);
  token = await ownerToken(latchkey);
  keys = await Promise.all([newServiceKey('one', new Date()), newServiceKey('two', new Date())]);
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));

type Says = { key?: ServiceKey; entityId?: string; consumers?: string[] };
const metadata = ({ key = keys[0], entityId = ENTITY_ID, consumers = [ACS] }: Says = {}) =>
  serviceProviderMetadata({ entityId, consumers, logout: `${ENTITY_ID}/logout`, certificates: [key.certificate] });

const add = (saml: Record<string, unknown>) =>
  latchkey.api('/v1/admin/applications', { token, body: { kind: 'saml', name: 'Wiki', saml } });

let pages = 0;
/** An application whose metadata are served; what is served can be changed. */
async function followedApplication() {
  pages += 1;
  const path = `/metadata-${pages}`;
  const serve = (text: string, status = 200) => receiver.on(path, respondWith(status, {}, text));
  serve(metadata());
  const metadataUrl = `${receiver.origin}${path}`;
  const { status, body, text } = await add({ metadataUrl });
  assert.equal(status, 201, text);
  const at = `/v1/admin/applications/${body.id}`;
  const change = (saml: Record<string, unknown>) => latchkey.api(at, { token, method: 'PATCH', body: { saml } });
  const read = async () => (await latchkey.api(at, { token })).body.saml;
  /** Makes the next reading due, and lets two workers read at once. */
  const aDayLater = async () => {
    await latchkey.system.pool.query(
      `update applications set saml = jsonb_set(saml, '{reading,dueAt}', '"2020-01-01"') where id = $1 /* all workspaces */`,
      [body.id],
    );
    await Promise.all([refreshServiceProviders(latchkey.system), refreshServiceProviders(latchkey.system)]);
  };
  const changes = async () => {
    const { rows } = await latchkey.system.pool.query(
      `select actor from events where type = 'application.updated' and data->>'applicationId' = $1 /* all workspaces */`,
      [body.id],
    );
    return rows.map(({ actor }) => actor);
  };
  return { id: body.id, metadataUrl, serve, change, read, aDayLater, changes };
}

const fingerprint = ({ certificate }: ServiceKey) => new X509Certificate(certificate).fingerprint256;

describe('an application by SAML whose metadata have an address', () => {
  test('shows its certificates, and when the metadata were read', async () => {
    const { read, metadataUrl } = await followedApplication();
    const saml = await read();
    const { subject, validToDate } = new X509Certificate(keys[0].certificate);
    const shown = { subject, fingerprint: fingerprint(keys[0]), validUntil: validToDate.toISOString() };
    assert.deepEqual(saml.certificates, [
      { use: 'signing', ...shown },
      { use: 'encryption', ...shown },
    ]);
    assert.deepEqual([saml.metadataUrl, saml.metadataFault], [metadataUrl, null]);
    assert.ok(Date.parse(saml.metadataReadAt) > 0);
    assert.deepEqual(Object.keys(saml).includes('reading'), false);
  });

  test('follows them when they are due, and says so once', async () => {
    const { read, serve, aDayLater, changes } = await followedApplication();
    serve(metadata({ key: keys[1], consumers: [ACS, `${ACS}/second`] }));
    await refreshServiceProviders(latchkey.system);
    assert.equal((await read()).certificates[0].fingerprint, fingerprint(keys[0]));
    await aDayLater();
    const saml = await read();
    assert.equal(saml.certificates[0].fingerprint, fingerprint(keys[1]));
    assert.deepEqual(
      saml.consumers.map(({ url }: { url: string }) => url),
      [ACS, `${ACS}/second`],
    );
    await aDayLater();
    const actors = await changes();
    assert.equal(actors.length, 1);
    assert.equal(actors[0].kind, 'system');
  });

  test('keeps the fields that an administrator changed, until the address is given again', async () => {
    const { read, serve, change, aDayLater, metadataUrl } = await followedApplication();
    const consumers = [{ url: `${ACS}/own`, index: 7 }];
    assert.equal((await change({ entityId: 'urn:own', consumers, logout: null })).status, 200);
    serve(metadata({ key: keys[1] }));
    await aDayLater();
    const kept = await read();
    assert.deepEqual([kept.entityId, kept.consumers, kept.logout], ['urn:own', consumers, null]);
    assert.equal(kept.certificates[0].fingerprint, fingerprint(keys[1]));
    assert.equal((await change({ metadataUrl })).status, 200);
    const replaced = await read();
    assert.deepEqual(replaced.consumers, [{ url: ACS, index: 0 }]);
    assert.equal(replaced.logout.url, `${ENTITY_ID}/logout`);
  });

  test('keeps every field that differs if an earlier version did not note what they said', async () => {
    const { id, read, serve, change, aDayLater } = await followedApplication();
    const consumers = [{ url: `${ACS}/own`, index: 7 }];
    await change({ consumers });
    await latchkey.system.pool.query(
      `update applications set saml = saml - 'reading' where id = $1 /* all workspaces */`,
      [id],
    );
    await aDayLater();
    serve(metadata({ key: keys[1] }));
    await aDayLater();
    const saml = await read();
    assert.deepEqual([saml.consumers, saml.certificates[0].fingerprint], [consumers, fingerprint(keys[1])]);
  });

  test('stays as it is when they cannot be read or used, and shows why', async () => {
    const { read, serve, aDayLater, changes } = await followedApplication();
    const { metadataFault: _, ...usable } = await read();
    const withoutKey = metadata().replaceAll(/<md:KeyDescriptor.*?<\/md:KeyDescriptor>/g, '');
    for (const [text, status, fault] of [
      [metadata({ entityId: 'https://other.example.com' }), 200, /another service provider/],
      [metadata({ consumers: ['http://sp.example.com/acs'] }), 200, /consumers\/0\/url/],
      [metadata().replace('index="0"', 'index="65536"'), 200, /no number of 16 bits/],
      [withoutKey, 200, /requireSignedRequests needs/],
      ['gone', 404, /status 404/],
      [`<!DOCTYPE x>${metadata()}`, 200, /./],
    ] as const) {
      serve(text, status);
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await aDayLater();
      const { metadataFault, ...after } = await read();
      assert.match(metadataFault ?? '', fault);
      assert.deepEqual(after, usable);
    }
    serve(metadata());
    await aDayLater();
    assert.equal((await read()).metadataFault, null);
    assert.deepEqual(await changes(), []);
  });

  test('reads them when an administrator asks, by the same rule', async () => {
    const { read, serve, change } = await followedApplication();
    await change({ logout: null });
    serve(metadata({ key: keys[1] }));
    const asked = await change({ refresh: true });
    assert.equal(asked.status, 200, asked.text);
    assert.equal(asked.body.saml.certificates[0].fingerprint, fingerprint(keys[1]));
    assert.equal(asked.body.saml.logout, null);
    serve(metadata({ entityId: 'https://other.example.com' }));
    expectProblem(await change({ refresh: true }), 400, 'VALIDATION_FAILED');
    serve('gone', 404);
    const failed = await change({ refresh: true });
    expectProblem(failed, 400, 'VALIDATION_FAILED');
    assert.deepEqual(failed.body.errors, [
      { pointer: '/body/saml/refresh', message: 'The address responded with status 404.' },
    ]);
    assert.equal((await read()).certificates[0].fingerprint, fingerprint(keys[1]));
  });

  test('is not read again without an address', async () => {
    const { id, read, serve, change, changes } = await followedApplication();
    assert.equal((await change({ metadataUrl: null })).status, 200);
    serve(metadata({ key: keys[1] }));
    await refreshServiceProviders(latchkey.system);
    const saml = await read();
    assert.deepEqual([saml.metadataUrl, saml.metadataReadAt], [null, null]);
    assert.equal(saml.certificates[0].fingerprint, fingerprint(keys[0]));
    assert.equal((await changes()).length, 1);
    expectProblem(await change({ refresh: true }), 400, 'VALIDATION_FAILED');
    expectProblem(await change({ refresh: true, metadata: metadata() }), 400, 'VALIDATION_FAILED');
    const weak = await managementToken(latchkey, 'applications:read');
    const body = { saml: { refresh: true } };
    const denied = await latchkey.api(`/v1/admin/applications/${id}`, { token: weak, method: 'PATCH', body });
    expectProblem(denied, 403, 'AUTHORIZATION_DENIED');
  });
});
