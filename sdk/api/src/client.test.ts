import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { managementToken, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { createTenant, tenantManagementToken } from '../../../server/tests/tenants.ts';
import {
  type ApiClient,
  type AuthClient,
  createApiClient,
  createAuthClient,
  createStatusClient,
  ProblemError,
} from './index.ts';

let latchkey: TestLatchkey;
let api: ApiClient;
let auth: AuthClient;
before(async () => {
  latchkey = await startTestLatchkey();
  const { addresses } = latchkey.system.config;
  api = createApiClient({ baseUrl: addresses.test.api, token: () => managementToken(latchkey) });
  auth = createAuthClient({ baseUrl: addresses.test.auth });
});
after(() => latchkey.stop());

const memberPath = '/v1/admin/members/{memberId}';

async function refusal(call: Promise<unknown>): Promise<ProblemError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'The call was not refused.' });
}

describe('the client and a real Latchkey', () => {
  test('a change takes the etag of the state, and an older one is refused', async () => {
    const { data: added, status } = await api.post('/v1/admin/members', { body: { email: 'etag@example.com' } });
    assert.equal(status, 201);
    const path = { memberId: added.id };
    const { data: member, etag } = await api.get(memberPath, { path });
    assert.equal(member.email, 'etag@example.com');
    assert.ok(etag);
    const changed = await api.patch(memberPath, { path, ifMatch: etag, body: { displayName: 'Ada' } });
    assert.equal(changed.data.displayName, 'Ada');
    const error = await refusal(api.patch(memberPath, { path, ifMatch: etag, body: { displayName: 'Eve' } }));
    assert.equal(error.errorCode, 'PRECONDITION_FAILED');
    assert.equal((await api.get(memberPath, { path })).data.displayName, 'Ada');
  });

  test('a read says that a state has not changed, and reads a new one', async () => {
    const { data: added } = await api.post('/v1/admin/members', { body: { email: 'unchanged@example.com' } });
    const path = { memberId: added.id };
    const { etag } = await api.get(memberPath, { path });
    const same = await api.get(memberPath, { path, ifNoneMatch: etag });
    assert.deepEqual([same.status, same.data], [304, undefined]);
    await api.patch(memberPath, { path, body: { displayName: 'Ada' } });
    const changed = await api.get(memberPath, { path, ifNoneMatch: etag });
    assert.deepEqual([changed.status, changed.data?.displayName], [200, 'Ada']);
  });

  test('the page of a project is read and subscribed to without a token, and an unknown one is not found', async () => {
    const { addresses } = latchkey.system.config;
    const tenant = await createTenant(latchkey, 'status-client');
    const own = createApiClient({
      baseUrl: addresses.test.api,
      token: await tenantManagementToken(latchkey, tenant),
    });
    const { data: page } = await own.put('/v1/admin/status/page', { body: { published: true, address: 'shop' } });
    const path = { slug: page.address ?? '' };
    const pages = createStatusClient({ baseUrl: addresses.console });
    const summary = await pages.get('/status/p/{slug}/api/status/summary', { path });
    assert.deepEqual([summary.data.environment, summary.data.groups], ['test', []]);
    const subscribed = await pages.post('/status/p/{slug}/api/status/subscribe', {
      path,
      body: { channel: 'email', email: 'reader@example.com' },
    });
    assert.deepEqual(subscribed.data, { status: 'confirmation_required' });
    const unknown = { slug: 'shop-0123456789' };
    const error = await refusal(pages.get('/status/p/{slug}/api/status/incidents', { path: unknown }));
    assert.equal(error.errorCode, 'NOT_FOUND');
  });

  test('a problem has its code, its fields, the trace id and the correlation id', async () => {
    const invalid = await refusal(
      api.post('/v1/admin/members', { body: { email: 'no address' }, correlationId: 'job-7' }),
    );
    assert.equal(invalid.status, 400);
    assert.equal(invalid.errorCode, 'VALIDATION_FAILED');
    assert.equal(invalid.correlationId, 'job-7');
    assert.match(invalid.traceId ?? '', /^[0-9a-f]{32}$/);
    assert.equal(invalid.problem?.errors?.[0]?.pointer, '/body/email');

    const token = await managementToken(latchkey, 'roles:read');
    const reader = createApiClient({ baseUrl: latchkey.system.config.addresses.test.api, token });
    const denied = await refusal(reader.get('/v1/admin/members'));
    assert.equal(denied.errorCode, 'AUTHORIZATION_DENIED');
    assert.equal(denied.problem?.requiredPermission, 'members:read');
    assert.equal(denied.correlationId, denied.traceId, 'without one of the caller it is the trace id');
  });

  test('a list reads the records of all pages, each once', async () => {
    const emails = ['a', 'b', 'c'].map((name) => `${name}@pages.example.com`);
    await Promise.all(emails.map((email) => api.post('/v1/admin/members', { body: { email } })));
    const found: (string | null)[] = [];
    for await (const member of api.list('/v1/admin/members', { query: { q: 'pages.example', limit: 2 } }))
      found.push(member.email);
    assert.deepEqual(found.sort(), emails);
  });

  test('a call with the idempotency key of an earlier one has its response', async () => {
    const options = { body: { email: 'once@example.com' }, idempotencyKey: crypto.randomUUID() };
    const first = await api.post('/v1/admin/members', options);
    const second = await api.post('/v1/admin/members', options);
    assert.equal(second.data.id, first.data.id);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
  });
});

describe('requests and responses', () => {
  test('values of a path stay in their segment', async () => {
    const error = await refusal(api.get(memberPath, { path: { memberId: '../roles' } }));
    assert.notEqual(error.errorCode, null, 'Latchkey refuses it as the id of a member');
    const dots = ['', '.', '..'].map((memberId) => api.get(memberPath, { path: { memberId } }));
    await Promise.all(dots.map((call) => assert.rejects(call, TypeError)));
  });

  test('the auth host has its own operations, and its OAuth errors are no problem documents', async () => {
    const { workspaceId, projects, environments } = latchkey.demo;
    const projectId = projects[0]?.id;
    assert.ok(projectId);
    const form = {
      grant_type: 'client_credentials' as const,
      client_id: environments.test.managementClientId,
      client_secret: environments.test.managementClientSecret,
      workspaceId,
      projectId,
      environment: 'test' as const,
    };
    const { data } = await auth.post('/connect/token', { form });
    assert.ok(data.access_token);
    const error = await refusal(auth.post('/connect/token', { form: { ...form, client_secret: 'wrong' } }));
    assert.equal(error.status, 401);
    assert.equal(error.errorCode, null);
    assert.deepEqual(Object(error.body).error, 'invalid_client');
  });

  test('text and no content are read, too', async () => {
    assert.match((await auth.get('/api/status/badge.svg')).data, /^<svg/);
    const { data: added } = await api.post('/v1/admin/members', { body: { email: 'gone@example.com' } });
    const gone = await api.delete(memberPath, { path: { memberId: added.id } });
    assert.equal(gone.data, undefined);
  });
});

/** Only the type check reads this: each line below a comment must not compile. */
export async function wrongCalls(): Promise<void> {
  // @ts-expect-error no such path
  await api.get('/v1/admin/nothing');
  // @ts-expect-error the path has no PUT
  await api.put('/v1/admin/members', { body: {} });
  // @ts-expect-error the path of the other host
  await auth.get('/v1/admin/members');
  // @ts-expect-error the value of the path is missing
  await api.get(memberPath);
  // @ts-expect-error the body is missing
  await api.post('/v1/admin/roles');
  // @ts-expect-error no such field
  await api.post('/v1/admin/members', { body: { mail: 'ada@example.com' } });
  // @ts-expect-error no such filter
  await api.get('/v1/admin/members', { query: { colour: 'red' } });
  // @ts-expect-error a read takes no key
  await api.get('/v1/admin/members', { idempotencyKey: 'key' });
  // @ts-expect-error an addition takes no precondition
  await api.post('/v1/admin/members', { body: {}, ifMatch: '"1"' });
  // @ts-expect-error not a list
  api.list('/v1/admin/settings');
  // @ts-expect-error a list has no state
  await api.get('/v1/admin/members', { ifNoneMatch: '"1"' });
  const unchanged = await api.get(memberPath, { path: { memberId: 'mem_1' }, ifNoneMatch: '"1"' });
  // @ts-expect-error there may be no data
  assert.ok(unchanged.data.email);
  const { data } = await api.get(memberPath, { path: { memberId: 'mem_1' } });
  // @ts-expect-error no such field in the response
  assert.ok(data.mail);
  // @ts-expect-error no such code
  assert.ok(new ProblemError(new Response(), null, undefined).errorCode === 'NOT_FOUNT');
}
