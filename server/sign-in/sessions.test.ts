import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import {
  expectProblem,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const scope = () => ({
  workspaceId: latchkey.demo.workspaceId,
  projectId: latchkey.demo.projects[1]?.id,
  environment: 'test',
});
const switchTo = (token: string, changes: Record<string, unknown> = {}) =>
  latchkey.auth('/v1/sessions/switch-context', { token, body: { ...scope(), ...changes } });

/** A customer with a membership in both projects. */
async function memberOfBoth() {
  const customer = await register(latchkey);
  const { workspaceId, projectId } = scope();
  const joined = await latchkey.auth('/v1/auth/login/password', {
    body: { workspaceId, projectId, identifier: customer.email, password: PASSWORD },
  });
  assert.equal(joined.status, 200);
  return customer;
}

describe('POST /v1/sessions/switch-context', () => {
  test('SE-7 issues a new token scoped to the other project, and logs it', async () => {
    const customer = await memberOfBoth();
    clock.advance(60_000);
    const { status, body } = await switchTo(customer.access_token);
    assert.equal(status, 200);
    assert.equal(body.session.projectId, scope().projectId);
    assert.equal(body.session.id, customer.session.id);
    assert.notEqual(body.refresh_token, customer.refresh_token);
    const { body: context } = await latchkey.api('/v1/me/context', { token: body.access_token });
    assert.equal(context.project.name, 'Helpdesk');
    const { rows } = await latchkey.system.pool.query(
      `select data from events where type = 'session.context_switched' and data->>'sessionId' = $1`,
      [customer.session.id],
    );
    assert.equal(rows.length, 1);
    assert.equal(rows[0].data.fromProjectId, customer.session.projectId);
    assert.equal(
      (await latchkey.api('/v1/me/context', { token: customer.access_token })).status,
      200,
      'the first project goes on',
    );
  });

  test('SE-7 never raises the level nor renews the authentication time', async () => {
    const customer = await memberOfBoth();
    clock.advance(120_000);
    const { body } = await switchTo(customer.access_token);
    const before = decodeJwt(customer.access_token);
    const afterwards = decodeJwt(body.access_token);
    for (const claim of ['acr', 'amr', 'auth_time']) assert.deepEqual(afterwards[claim], before[claim], claim);
    assert.equal(body.session.expiresAt, customer.session.expiresAt);
  });

  test('SE-7 membership is checked now: 403 without one, and after a block', async () => {
    const stranger = await register(latchkey);
    expectProblem(await switchTo(stranger.access_token), 403, 'MEMBERSHIP_REQUIRED');
    const customer = await memberOfBoth();
    const [, helpdesk] = latchkey.demo.projects;
    const { rows } = await latchkey.system.pool.query(
      `update members set status = 'blocked' where user_id = $1 and project_id = $2 returning id`,
      [customer.session.userId, helpdesk?.id],
    );
    assert.equal(rows.length, 1);
    expectProblem(await switchTo(customer.access_token), 403, 'MEMBER_BLOCKED');
  });

  test('SE-7 403 CONTEXT_NOT_ALLOWED for another workspace or environment', async () => {
    const customer = await memberOfBoth();
    expectProblem(await switchTo(customer.access_token, { environment: 'production' }), 403, 'CONTEXT_NOT_ALLOWED');
    expectProblem(
      await switchTo(customer.access_token, { workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8' }),
      403,
      'CONTEXT_NOT_ALLOWED',
    );
    expectProblem(
      await switchTo(customer.access_token, { projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8' }),
      403,
      'MEMBERSHIP_REQUIRED',
    );
  });

  test('an ended session cannot enter any project', async () => {
    const customer = await memberOfBoth();
    await latchkey.auth('/v1/sessions/logout', { token: customer.access_token, method: 'POST' });
    expectProblem(await switchTo(customer.access_token), 401, 'SESSION_REVOKED');
  });

  test('twenty concurrent switches share one entry', async () => {
    const customer = await memberOfBoth();
    const responses = await Promise.all(Array.from({ length: 20 }, () => switchTo(customer.access_token)));
    assert.ok(responses.every(({ status }) => status === 200));
    assert.equal(new Set(responses.map(({ body }) => decodeJwt(body.access_token)['entryId'])).size, 1);
  });

  test('403 WRONG_TOKEN_KIND for a management token', async () => {
    expectProblem(await switchTo(await managementToken(latchkey)), 403, 'WRONG_TOKEN_KIND');
  });
});

describe('a blocked member', () => {
  test('is out of this project immediately, stays in the other, and returns only by signing in', async () => {
    const customer = await memberOfBoth();
    const { body: elsewhere } = await switchTo(customer.access_token);
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api(`/v1/admin/members?q=${customer.email}`, { token });
    const [{ id }] = body.items;
    assert.equal(
      (await latchkey.api(`/v1/admin/members/${id}/block`, { token, method: 'POST' })).body.status,
      'blocked',
    );
    expectProblem(await latchkey.api('/v1/me/context', { token: customer.access_token }), 401, 'SESSION_REVOKED');
    expectProblem(
      await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: customer.refresh_token } }),
      401,
      'SESSION_REVOKED',
    );
    assert.equal((await latchkey.api('/v1/me/context', { token: elsewhere.access_token })).status, 200);
    const login = () =>
      latchkey.auth('/v1/auth/login/password', { body: { identifier: customer.email, password: PASSWORD } });
    expectProblem(await login(), 403, 'MEMBER_BLOCKED');
    await latchkey.api(`/v1/admin/members/${id}/unblock`, { token, method: 'POST' });
    expectProblem(await latchkey.api('/v1/me/context', { token: customer.access_token }), 401, 'SESSION_REVOKED');
    assert.equal((await login()).status, 200);
  });
});

describe('GET /v1/auth/methods', () => {
  test('returns what a sign-in form needs', async () => {
    const { status, body } = await latchkey.auth(
      `/v1/auth/methods?clientId=${latchkey.demo.environments.test.clientId}`,
    );
    assert.equal(status, 200);
    const colours = { accent: null, onAccent: null, background: null };
    assert.deepEqual(body, {
      workspaceId: latchkey.demo.workspaceId,
      environment: 'test',
      apiUrl: latchkey.system.config.addresses.test.api,
      brand: { logoUrl: null, darkLogoUrl: null, radius: null, light: colours, dark: colours },
      projectId: latchkey.demo.projects[0]?.id,
      projectName: 'Shop',
      registration: 'open',
      methods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
      providers: [{ id: 'dev', name: 'Dev provider', preset: 'oidc' }],
      passwordPolicy: { minLength: 15, maxLength: 1024 },
      mfa: 'optional',
      locales: ['en', 'de', 'fr', 'es', 'ja', 'zh', 'ar'],
      defaultLanguage: 'en',
      proofOfWork: false,
    });
  });
});
