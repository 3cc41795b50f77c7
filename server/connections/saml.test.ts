import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newServiceKey, parseMetadata, type ServiceKey } from '#saml';
import { expectProblem, managementToken, ownerToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { providerMetadata } from '#tests/saml-provider.ts';
import { refreshSamlMetadata } from './saml-refresh.ts';

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

const call = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });
const ENTITY_ID = 'https://idp.example.com';
const metadata = (key: ServiceKey = keys[0], entityId = ENTITY_ID) =>
  providerMetadata({ entityId, signOn: 'https://idp.example.com/sso', certificates: [key.certificate] });

async function listPath(): Promise<string> {
  const { body } = await call('organizations', 'POST', { name: 'Acme' });
  return `organizations/${body.id}/connections`;
}

async function add(saml: Record<string, unknown>) {
  const path = await listPath();
  const { status, body, text } = await call(path, 'POST', { name: 'Acme', saml });
  assert.equal(status, 201, text);
  return { ...body, path: `${path}/${body.id}` };
}

let pages = 0;
/** Serves metadata; what it serves can be changed. */
function published(xml: string) {
  pages += 1;
  const path = `/metadata-${pages}`;
  const serve = (text: string, status = 200) => receiver.on(path, respondWith(status, {}, text));
  serve(xml);
  return { url: `${receiver.origin}${path}`, serve };
}

async function fingerprints(path: string): Promise<string[]> {
  const { body } = await call(path);
  return body.saml.certificates.map(({ pem }: { pem: string }) => pem.trim());
}

describe('a connection by SAML', () => {
  test('is added by pasted metadata, and shows both sides without a private key', async () => {
    const { path, ...connection } = await add({ metadata: metadata() });
    const { kind, oidc, callbackUrl, id, saml } = connection;
    assert.deepEqual([kind, oidc], ['saml', null]);
    assert.deepEqual(
      [saml.entityId, saml.signOnUrl, saml.metadataUrl, saml.metadataFault, saml.idpInitiatedUrl],
      [ENTITY_ID, 'https://idp.example.com/sso', null, null, null],
    );
    assert.deepEqual(await fingerprints(path), [keys[0].certificate.trim()]);
    assert.equal(saml.serviceProvider.entityId, `urn:latchkey:connection:${id}`);
    assert.equal(saml.serviceProvider.certificates.length, 1);
    assert.ok(!JSON.stringify(connection).includes('PRIVATE'));
    const [project] = latchkey.demo.projects;
    const served = await latchkey.auth(
      `/v1/auth/login/connections/${id}/metadata?workspaceId=${latchkey.demo.workspaceId}&projectId=${project?.id}`,
    );
    assert.equal(served.status, 200, served.text);
    assert.match(served.text, new RegExp(`entityID="urn:latchkey:connection:${id}"`));
    assert.ok(served.text.includes(`Location="${callbackUrl}"`), served.text);
    expectProblem(
      await latchkey.auth(`/v1/auth/login/connections/con_01kaz3w9hqf8p9n2m4v5x6y7z8/metadata`),
      404,
      'NOT_FOUND',
    );
  });

  test('is added by the address of metadata, and reads them again when asked', async () => {
    const { url, serve } = published(metadata());
    const { path } = await add({ metadataUrl: url });
    serve(metadata(keys[1]));
    const refreshed = await call(path, 'PATCH', { saml: { refresh: true } });
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.deepEqual(await fingerprints(path), [keys[1].certificate.trim()]);
  });

  test('reads metadata again by itself when they are due, but none of another identity provider', async () => {
    const { url, serve } = published(metadata());
    const { id, path } = await add({ metadataUrl: url });
    const due = () =>
      latchkey.system.pool.query(
        `update organization_connections set configuration = configuration || '{"metadataDueAt": "2020-01-01"}'
         where id = $1 /* all workspaces */`,
        [id],
      );
    serve(metadata(keys[1]));
    await refreshSamlMetadata(latchkey.system);
    assert.deepEqual(await fingerprints(path), [keys[0].certificate.trim()]);
    await due();
    await refreshSamlMetadata(latchkey.system);
    assert.deepEqual(await fingerprints(path), [keys[1].certificate.trim()]);
    for (const [text, status, fault] of [
      [metadata(keys[0], 'https://other.example.com'), 200, /another identity provider/],
      ['gone', 404, /status 404/],
    ] as const) {
      serve(text, status);
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await due();
      await refreshSamlMetadata(latchkey.system);
      assert.match((await call(path)).body.saml.metadataFault, fault);
      assert.deepEqual(await fingerprints(path), [keys[1].certificate.trim()]);
    }
  });

  test('replaces its key in two steps', async () => {
    const { path, saml } = await add({ metadata: metadata() });
    const [first] = saml.serviceProvider.certificates;
    const rotate = (keyRotation: string) => call(path, 'PATCH', { saml: { keyRotation } });
    expectProblem(await rotate('finish'), 400, 'VALIDATION_FAILED');
    const { body: begun } = await rotate('begin');
    const [old, next] = begun.saml.serviceProvider.certificates;
    assert.deepEqual(old, first);
    expectProblem(await rotate('begin'), 400, 'VALIDATION_FAILED');
    const { body: finished } = await rotate('finish');
    assert.deepEqual(finished.saml.serviceProvider.certificates, [next]);
  });

  test('is refused without usable metadata', async () => {
    const path = await listPath();
    const refused = async (saml: unknown) =>
      expectProblem(await call(path, 'POST', { name: 'Acme', saml }), 400, 'VALIDATION_FAILED');
    await refused({});
    await refused({ idpInitiatedUrl: null });
    await refused({ metadata: metadata(), metadataUrl: published(metadata()).url });
    await refused({ metadata: 'no XML' });
    await refused({ metadata: `<!DOCTYPE x>${metadata()}` });
    await refused({ metadata: metadata().replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/s, '') });
    await refused({ metadata: metadata().replace('https://idp.example.com/sso', 'javascript:alert(1)') });
    await refused({ metadata: metadata().replace('entityID', 'validUntil="2020-01-01T00:00:00Z" entityID') });
    await refused({ metadata: metadata().replaceAll('IDPSSODescriptor', 'SPSSODescriptor') });
    await refused({ metadataUrl: `${receiver.origin}/nothing` });
    await refused({ metadataUrl: 'http://169.254.169.254/latest' });
    await refused({ metadata: metadata(), idpInitiatedUrl: 'javascript:alert(1)' });
    assert.deepEqual((await call(path)).body.items, []);
  });

  test('reads no address for those who may not change identity providers', async () => {
    const path = await listPath();
    let read = false;
    receiver.on('/unread', (response) => {
      read = true;
      response.end(metadata());
    });
    const saml = { metadataUrl: `${receiver.origin}/unread` };
    const weak = await managementToken(latchkey, 'organizations:read organizations:write');
    const adding = await latchkey.api(`/v1/admin/${path}`, { token: weak, body: { name: 'Acme', saml } });
    expectProblem(adding, 403, 'AUTHORIZATION_DENIED');
    const { path: own } = await add({ metadata: metadata() });
    const changing = await latchkey.api(`/v1/admin/${own}`, { token: weak, method: 'PATCH', body: { saml } });
    expectProblem(changing, 403, 'AUTHORIZATION_DENIED');
    assert.equal(read, false);
  });

  test('of many identity providers in one file, none is chosen', () => {
    const many = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${metadata()}${metadata(keys[1])}</md:EntitiesDescriptor>`;
    assert.throws(() => parseMetadata(many, { now: new Date(), insecure: false }), /2 identity providers/);
  });
});
