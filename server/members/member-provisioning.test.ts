import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventsOf,
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const call = (method: string, path: string, body?: unknown, by = token): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/members${path}`, { token: by, method, ...(body !== undefined && { body }) });

/** Registers a user in the other project of the workspace. */
function registerInHelpdesk(body: Record<string, unknown> = {}) {
  const [, helpdesk] = latchkey.demo.projects;
  return register(latchkey, { workspaceId: latchkey.demo.workspaceId, projectId: helpdesk?.id, ...body });
}

async function memberOf(email: string): Promise<string> {
  return (await call('GET', `?q=${encodeURIComponent(email)}`)).body.items[0].id;
}

describe('POST /v1/admin/members', () => {
  test('BI-1 400 for a number beyond those of JavaScript, which would be stored as null', async () => {
    for (const number of ['1e999', '-1e999']) {
      const body = `{"email":"${newEmail()}","metadata":{"limits":[{"quota":${number}}]}}`;
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await latchkey.api('/v1/admin/members', {
        token,
        body,
        headers: { 'content-type': 'application/json' },
      });
      expectProblem(response, 400, 'VALIDATION_FAILED');
    }
  });

  test('201 with the record; the person signs in with what was set', async () => {
    const email = newEmail();
    const username = `u${Date.now()}`;
    const record = {
      email,
      emailVerified: true,
      phone: '+49 30 1234567',
      username,
      password: PASSWORD,
      displayName: 'Ada',
      birthdate: '1815-12-10',
      nickname: 'Countess',
      website: 'https://ada.example',
      customData: { plan: 'gold' },
      roles: ['viewer'],
      metadata: { seat: 7 },
    };
    const { status, body } = await call('POST', '', record);
    assert.equal(status, 201);
    const { id, userId, createdAt, ...rest } = body;
    assert.deepEqual(rest, {
      email,
      emailVerified: true,
      phone: '+49301234567',
      phoneVerified: false,
      username,
      displayName: 'Ada',
      status: 'active',
      roles: ['viewer'],
      mfaEnabled: false,
      metadata: { seat: 7 },
      lastSeenAt: null,
    });
    assert.ok(createdAt);
    const login = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: username, password: PASSWORD },
    });
    assert.equal(login.status, 200, login.text);
    const { body: profile } = await latchkey.api('/v1/me/profile', { token: login.body.access_token });
    assert.deepEqual(
      [profile.birthdate, profile.nickname, profile.website, profile.gender, profile.customData],
      ['1815-12-10', 'Countess', 'https://ada.example', null, { plan: 'gold' }],
    );
    assert.deepEqual((await eventsOf(latchkey, userId)).slice(0, 2), ['user.created', 'membership.created']);
    assert.deepEqual((await call('GET', `/${id}`)).body.userId, userId);
  });

  test('a user of another project joins with their existing account, which stays unchanged', async () => {
    const { email, session } = await registerInHelpdesk({ profile: { displayName: 'Grace' } });
    const { status, body } = await call('POST', '', {
      email,
      displayName: 'Mallory',
      password: 'another long password',
    });
    assert.equal(status, 201);
    assert.deepEqual([body.userId, body.displayName], [session.userId, null]);
    const login = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    assert.equal(login.status, 200);
    assert.equal((await call('GET', `/${body.id}`)).body.displayName, 'Grace');
    expectProblem(await call('POST', '', { email }), 409, 'ALREADY_EXISTS');
  });

  test('409 for identifiers of two people; nothing is written', async () => {
    const [one, two] = await Promise.all([registerInHelpdesk(), registerInHelpdesk()]);
    const username = `both${Date.now()}`;
    await latchkey.api('/v1/me/profile', { token: two.access_token, method: 'PATCH', body: { username } });
    expectProblem(await call('POST', '', { email: one.email, username }), 409, 'ALREADY_EXISTS');
    assert.deepEqual((await call('GET', `?q=${one.email}`)).body.items, []);
  });

  test('400 for invalid fields, 403 for rights the caller does not hold', async () => {
    for (const body of [
      {},
      { displayName: 'Nobody' },
      { email: 'no address' },
      { email: newEmail(), roles: ['emperor'] },
      { email: newEmail(), colour: 'red' },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await call('POST', '', body), 400, 'VALIDATION_FAILED');
    }
    expectProblem(await call('POST', '', { email: newEmail(), password: 'password' }), 400, 'WEAK_PASSWORD');
    const narrow = await managementToken(latchkey, 'members:read members:write');
    expectProblem(await call('POST', '', { email: newEmail(), roles: ['owner'] }, narrow), 403, 'AUTHORIZATION_DENIED');
  });

  test('the same person added many times at once is one member', async () => {
    const email = newEmail();
    const responses = await Promise.all(Array.from({ length: 8 }, () => call('POST', '', { email })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)]);
    assert.equal((await call('GET', `?q=${email}`)).body.items.length, 1);
  });
});

describe('PATCH /v1/admin/members/{memberId}', () => {
  test('200 changes profile, addresses and metadata; the old address is notified', async () => {
    const { email, access_token, session } = await register(latchkey);
    const id = await memberOf(email);
    const next = newEmail();
    const { status, body } = await call('PATCH', `/${id}`, {
      displayName: 'New name',
      email: next,
      emailVerified: true,
      phone: '+49301234500',
      metadata: { tier: 2 },
    });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.displayName, body.email, body.emailVerified, body.phone, body.phoneVerified, body.metadata],
      ['New name', next, true, '+49301234500', false, { tier: 2 }],
    );
    assert.match((await lastMessage(latchkey, email)).text, /email address of your account was changed/);
    expectProblem(await latchkey.api('/v1/me/context', { token: access_token }), 401, 'SESSION_REVOKED');
    const again = await latchkey.auth('/v1/auth/login/password', { body: { identifier: next, password: PASSWORD } });
    assert.equal(again.body.session?.userId, session.userId, again.text);
    const types = await eventsOf(latchkey, session.userId);
    for (const type of ['profile.updated', 'user.email.changed', 'user.phone.changed', 'membership.updated'])
      assert.ok(types.includes(type), type);
    assert.equal(await memberOf(next), id);
  });

  test('403 for addresses of a member with more rights, or with roles elsewhere; their metadata may change', async () => {
    const narrow = await managementToken(latchkey, 'members:read members:write');
    const owner = await memberOf('owner@demo.example');
    for (const body of [{ email: newEmail() }, { username: 'king' }, { phone: '+49301234501' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await call('PATCH', `/${owner}`, body, narrow), 403, 'AUTHORIZATION_DENIED');
      expectProblem(await call('PATCH', `/${owner}`, body), 403, 'AUTHORIZATION_DENIED');
    }
    assert.deepEqual((await call('PATCH', `/${owner}`, { metadata: { a: 1 } }, narrow)).body.metadata, { a: 1 });
  });

  test('409 for a taken address; nothing changes', async () => {
    const [one, two] = await Promise.all([register(latchkey), register(latchkey)]);
    const id = await memberOf(one.email);
    expectProblem(await call('PATCH', `/${id}`, { displayName: 'X', email: two.email }), 409, 'ALREADY_EXISTS');
    const { body } = await call('GET', `/${id}`);
    assert.deepEqual([body.email, body.displayName], [one.email, null]);
  });

  test('400 without changes and for a verified flag without an address; 404 for an unknown member', async () => {
    const id = await memberOf((await register(latchkey)).email);
    expectProblem(await call('PATCH', `/${id}`, {}), 400, 'VALIDATION_FAILED');
    expectProblem(await call('PATCH', `/${id}`, { emailVerified: true }), 400, 'VALIDATION_FAILED');
    expectProblem(await call('PATCH', '/mem_01kaz3w9hqf8p9n2m4v5x6y7z8', { metadata: {} }), 404, 'NOT_FOUND');
  });
});

describe('DELETE /v1/admin/members/{memberId}', () => {
  test('204: out of the project immediately, still in the others', async () => {
    const { email, access_token, session } = await register(latchkey);
    const [, helpdesk] = latchkey.demo.projects;
    const elsewhere = await latchkey.auth('/v1/auth/login/password', {
      body: {
        workspaceId: latchkey.demo.workspaceId,
        projectId: helpdesk?.id,
        identifier: email,
        password: PASSWORD,
      },
    });
    const id = await memberOf(email);
    assert.equal((await call('DELETE', `/${id}`)).status, 204);
    expectProblem(await latchkey.api('/v1/me/context', { token: access_token }), 401, 'SESSION_REVOKED');
    assert.equal((await latchkey.api('/v1/me/context', { token: elsewhere.body.access_token })).status, 200);
    expectProblem(await call('GET', `/${id}`), 404, 'NOT_FOUND');
    expectProblem(await call('DELETE', `/${id}`), 404, 'NOT_FOUND');
    const types = await eventsOf(latchkey, session.userId);
    assert.ok(types.includes('membership.deleted'));
    assert.ok(!types.includes('user.erasure.scheduled'));
  });

  test('a user without any project is scheduled for erasure, and notified', async () => {
    const { email, session } = await register(latchkey);
    assert.equal((await call('DELETE', `/${await memberOf(email)}`)).status, 204);
    assert.ok((await eventsOf(latchkey, session.userId)).includes('user.erasure.scheduled'));
    assert.match((await lastMessage(latchkey, email)).subject, /will be deleted/);
  });

  test('409 LAST_OWNER, also when two owners are removed at once: one stays', async () => {
    const owner = await memberOf('owner@demo.example');
    expectProblem(await call('DELETE', `/${owner}`), 409, 'LAST_OWNER');
    for (let round = 0; round < 4; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: rounds follow one another
      const ids = await Promise.all(
        Array.from({ length: 2 }, async () => {
          const { body } = await call('POST', '', { email: newEmail(), roles: ['owner'] });
          return body.id;
        }),
      );
      await latchkey.api(`/v1/admin/members/${owner}/roles`, { token, method: 'PUT', body: { roles: [] } });
      const responses = await Promise.all(ids.map((id) => call('DELETE', `/${id}`)));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 409]);
      await latchkey.api(`/v1/admin/members/${owner}/roles`, { token, method: 'PUT', body: { roles: ['owner'] } });
      const survivor = ids[responses.findIndex(({ status }) => status === 409)];
      assert.equal((await call('DELETE', `/${survivor}`)).status, 204);
    }
  });
});

describe('DELETE /v1/me/memberships/{id}', () => {
  const leave = (id: string, by: string) => latchkey.api(`/v1/me/memberships/${id}`, { token: by, method: 'DELETE' });

  test('204 leaves another project of the workspace; this one continues', async () => {
    const { email, access_token } = await register(latchkey);
    const [, helpdesk] = latchkey.demo.projects;
    const body = {
      workspaceId: latchkey.demo.workspaceId,
      projectId: helpdesk?.id,
      identifier: email,
      password: PASSWORD,
    };
    const there = await latchkey.auth('/v1/auth/login/password', { body });
    const { body: list } = await latchkey.api('/v1/me/memberships', { token: access_token });
    const { id } = list.items.find(({ projectId }: { projectId: string }) => projectId === helpdesk?.id);
    assert.equal((await leave(id, access_token)).status, 204);
    expectProblem(await latchkey.api('/v1/me/context', { token: there.body.access_token }), 401, 'SESSION_REVOKED');
    assert.equal((await latchkey.api('/v1/me/context', { token: access_token })).status, 200);
    expectProblem(await leave(id, access_token), 404, 'NOT_FOUND');
  });

  test('403 for a blocked member, 404 for another person’s membership, 409 for the last owner', async () => {
    const { email, access_token } = await register(latchkey);
    const [, helpdesk] = latchkey.demo.projects;
    const body = {
      workspaceId: latchkey.demo.workspaceId,
      projectId: helpdesk?.id,
      identifier: email,
      password: PASSWORD,
    };
    const there = await latchkey.auth('/v1/auth/login/password', { body });
    const own = await memberOf(email);
    await call('POST', `/${own}/block`);
    expectProblem(await leave(own, there.body.access_token), 403, 'MEMBER_BLOCKED');
    expectProblem(await leave(own, (await register(latchkey)).access_token), 404, 'NOT_FOUND');
    expectProblem(await leave(await memberOf('owner@demo.example'), await ownerToken(latchkey)), 409, 'LAST_OWNER');
    assert.ok(access_token);
  });
});
