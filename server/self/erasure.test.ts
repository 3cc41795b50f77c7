import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linkIdentity } from '#linked-identities';
import { eraseUserJob } from '#people';
import { totpOf } from '#tests/factors.ts';
import {
  eventsOf,
  eventually,
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { newDirectory, SCIM_USER } from '#tests/scim.ts';

const DAY = 86_400_000;
const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const erase = (token: string) => latchkey.api('/v1/me', { token, method: 'DELETE' });
const login = (email: string) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });

/** Runs the erasure job that is due by the test's clock. */
function runDueErasures(userId: string): Promise<void> {
  return latchkey.inProject((tx) => eraseUserJob(tx, `usr_${userId.slice(4)}`, new Date(Date.now() - 1000)));
}

/** Every table and column that still holds the text. */
async function whereIs(text: string): Promise<string[]> {
  const { rows: columns } = await latchkey.system.pool.query<{ name: string; column: string }>(
    `select table_name as name, column_name as column from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'json', 'jsonb', 'ARRAY', 'USER-DEFINED')`,
  );
  const found = await Promise.all(
    columns.map(async ({ name, column }) => {
      const { rowCount } = await latchkey.system.pool.query(
        `select from "${name}" where position($1 in "${column}"::text) > 0 limit 1`,
        [text],
      );
      return rowCount === 0 ? [] : [`${name}.${column}`];
    }),
  );
  return found.flat();
}

describe('DELETE /v1/me', () => {
  test('202 with the day; every session ends, and a mail says how to keep the account', async () => {
    const { email, access_token, session } = await register(latchkey);
    const other = await login(email);
    const { status, body } = await erase(access_token);
    assert.equal(status, 202);
    assert.equal(Date.parse(body.erasesAt), clock.now().getTime() + 7 * DAY);
    for (const token of [access_token, other.body.access_token]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await latchkey.api('/v1/me/context', { token }), 401, 'SESSION_REVOKED');
    }
    const mail = await lastMessage(latchkey, email);
    assert.match(mail.text, new RegExp(body.erasesAt.slice(0, 10)));
    assert.match(mail.text, /sign in before then/);
    assert.ok((await eventsOf(latchkey, session.userId)).includes('user.erasure.scheduled'));
  });

  test('signing in within seven days keeps the account', async () => {
    const { email, access_token, session } = await register(latchkey);
    await erase(access_token);
    clock.advance(6 * DAY);
    const back = await login(email);
    assert.equal(back.status, 200);
    assert.ok((await eventsOf(latchkey, session.userId)).includes('user.erasure.cancelled'));
    clock.advance(2 * DAY);
    await runDueErasures(session.userId);
    await eventually(async () => {
      const { rowCount } = await latchkey.system.pool.query('select from graphile_worker.jobs where key like $1', [
        `%${session.userId}`,
      ]);
      assert.equal(rowCount, 0);
    });
    assert.equal((await login(email)).status, 200);
  });

  test('after seven days nothing identifies the person; events stay, and every project is notified', async () => {
    const email = newEmail();
    const admin = await managementToken(latchkey);
    await latchkey.api('/v1/admin/invitations', { token: admin, body: { email } });
    const { body } = await latchkey.auth('/v1/auth/register', {
      body: { email, password: PASSWORD, profile: { displayName: 'Erika Mustermann' } },
    });
    const { userId } = body.session;
    await latchkey.api('/v1/me/profile', {
      token: body.access_token,
      method: 'PATCH',
      body: { username: 'erika.m', customData: { shoe: 'size-42-erika' } },
    });
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: email } });
    const [, helpdesk] = latchkey.demo.projects;
    await latchkey.auth('/v1/auth/login/password', {
      body: { workspaceId: latchkey.demo.workspaceId, projectId: helpdesk?.id, identifier: email, password: PASSWORD },
    });
    const { items } = (await latchkey.api(`/v1/admin/members?q=${email}`, { token: admin })).body;
    const organization = await latchkey.api('/v1/admin/organizations', { token: admin, body: { name: 'Acme' } });
    const membership = { memberId: items[0].id, roles: ['owner'] };
    const inside = `/v1/admin/organizations/${organization.body.id}/members`;
    const [stranger, company] = [await newDirectory(latchkey), await newDirectory(latchkey)];
    const refused = { schemas: [SCIM_USER], userName: email.toUpperCase() };
    assert.equal((await stranger.scim('POST', '/Users', refused)).status, 409);
    await company.admin(`organizations/${company.organizationId}/members`, { body: { memberId: items[0].id } });
    await company.addUser(email, { displayName: 'Erika Mustermann' });
    assert.equal((await latchkey.api(inside, { token: admin, body: membership })).status, 201);
    assert.equal((await erase(body.access_token)).status, 202);
    await runDueErasures(userId);
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query('select run_at from graphile_worker.jobs where key like $1', [
        `%${userId}`,
      ]);
      assert.ok(rows[0]?.run_at > new Date(Date.now() + 6 * DAY), 'too early: it waits for its day again');
    });
    clock.advance(7 * DAY + 1000);
    await runDueErasures(userId);
    await eventually(async () => assert.ok((await eventsOf(latchkey, userId)).includes('user.deleted')));
    for (const text of [email, email.toUpperCase(), 'Erika Mustermann', 'erika.m', 'size-42-erika']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.deepEqual(await whereIs(text), [], text);
    }
    const { rows } = await latchkey.system.pool.query(
      `select type, project_id, data->>'email' as email from events where data->>'userId' = $1 order by id`,
      [userId],
    );
    assert.deepEqual(rows.find(({ type }) => type === 'user.created')?.email, 'erased');
    const organized = await latchkey.system.pool.query('select from organization_members where member_id = $1', [
      items[0].id,
    ]);
    assert.equal(organized.rowCount, 0);
    for (const type of ['membership.deleted', 'user.deleted'])
      assert.equal(rows.filter((row) => row.type === type).length, 2, `${type} in both projects`);
    expectProblem(await login(email), 401, 'INVALID_CREDENTIALS');
    assert.equal((await latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD } })).status, 200);
  });

  test('former addresses are erased too, except one that belongs to another person now', async () => {
    const former = newEmail();
    const between = newEmail();
    const phone = '+4930901820123';
    const admin = await managementToken(latchkey);
    const { body: made } = await latchkey.api('/v1/admin/members', { token: admin, body: { email: former, phone } });
    const path = `/v1/admin/members/${made.id}`;
    for (const change of [{ email: between }, { email: newEmail() }, { phone: '+4930901820124' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const changed = await latchkey.api(path, { token: admin, method: 'PATCH', body: change });
      assert.equal(changed.status, 200, changed.text);
    }
    await latchkey.api('/v1/admin/members', { token: admin, body: { email: former } });
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: former } });
    await lastMessage(latchkey, former);
    assert.ok((await whereIs(between)).includes('messages.recipient'), 'it heard of the change');
    await latchkey.system.pool.query('update users set erase_at = $2 where id = $1', [made.userId, clock.now()]);
    await runDueErasures(made.userId);
    await eventually(async () => assert.ok((await eventsOf(latchkey, made.userId)).includes('user.deleted')));
    assert.deepEqual((await Promise.all([between, phone].map(whereIs))).flat(), []);
    const kept = await whereIs(former);
    for (const place of ['identifiers.value', 'messages.recipient', 'flows.address'])
      assert.ok(kept.includes(place), `${place}: it is the other person’s`);
  });

  test('a removed person who is added again is kept; one who requested erasure is not', async () => {
    const admin = async (path: string, call: { method?: string; body?: unknown } = {}) =>
      latchkey.api(`/v1/admin/members${path}`, { ...call, token: await managementToken(latchkey) });
    const [removed, asking] = [await register(latchkey), await register(latchkey)];
    const remove = async ({ email }: { email: string }) => {
      const { body } = await admin(`?q=${encodeURIComponent(email)}`);
      return admin(`/${body.items[0].id}`, { method: 'DELETE' });
    };
    const add = ({ email }: { email: string }) => admin('', { body: { email } });
    const eraseAt = async ({ session: { userId } }: typeof removed): Promise<Date | null | undefined> =>
      (await latchkey.system.pool.query('select erase_at from users where id = $1', [userId])).rows[0]?.erase_at;
    assert.equal((await erase(asking.access_token)).status, 202);
    for (const person of [removed, asking]) {
      // biome-ignore-start lint/performance/noAwaitInLoops: one after the other
      assert.equal((await remove(person)).status, 204);
      assert.equal((await add(person)).status, 201);
      // biome-ignore-end lint/performance/noAwaitInLoops: one after the other
    }
    clock.advance(DAY);
    assert.equal((await remove(removed)).status, 204);
    assert.equal((await eraseAt(removed))?.getTime(), clock.now().getTime() + 7 * DAY, 'the days begin anew');
    assert.equal((await add(removed)).status, 201);
    clock.advance(7 * DAY + 1000);
    await Promise.all([removed, asking].map(({ session }) => runDueErasures(session.userId)));
    await eventually(async () => {
      assert.equal(await eraseAt(removed), null, 'kept');
      assert.equal(await eraseAt(asking), undefined, 'erased');
    });
    assert.equal((await login(removed.email)).status, 200);
    assert.ok((await eventsOf(latchkey, removed.session.userId)).includes('user.erasure.cancelled'));
  });

  test('401 REAUTHENTICATION_REQUIRED when the sign-in is older than ten minutes; leaving the last project does not bypass it', async () => {
    const { access_token } = await register(latchkey);
    clock.advance(11 * 60_000);
    expectProblem(await erase(access_token), 401, 'REAUTHENTICATION_REQUIRED');
    const { body } = await latchkey.api('/v1/me/memberships', { token: access_token });
    const leaving = await latchkey.api(`/v1/me/memberships/${body.items[0].id}`, {
      token: access_token,
      method: 'DELETE',
    });
    expectProblem(leaving, 401, 'REAUTHENTICATION_REQUIRED');
  });

  test('409 LAST_OWNER; of two owners who request it at once, one stays', async () => {
    expectProblem(await erase(await ownerToken(latchkey)), 409, 'LAST_OWNER');
    const admin = await managementToken(latchkey);
    const tokens = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const { email, access_token } = await register(latchkey);
        const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token: admin });
        const path = `/v1/admin/members/${body.items[0].id}/roles`;
        await latchkey.api(path, { token: admin, method: 'PUT', body: { roles: ['owner'] } });
        return access_token;
      }),
    );
    const { body } = await latchkey.api('/v1/admin/members?q=owner@demo.example', { token: admin });
    const demoted = await latchkey.api(`/v1/admin/members/${body.items[0].id}/roles`, {
      token: admin,
      method: 'PUT',
      body: { roles: [] },
    });
    assert.equal(demoted.status, 200);
    const responses = await Promise.all(tokens.map(erase));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [202, 409]);
  });
});

describe('GET /v1/me/profile/export', () => {
  test('200 contains everything known about the person, and no secret', async () => {
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const { email, access_token, session } = person;
    const app = await totpOf(latchkey, person, clock);
    const account = { provider: 'employer', issuer: 'https://id.example', subject: 'ada-1', email: 'ada@id.example' };
    await latchkey.inProject((tx) => linkIdentity(tx, `usr_${session.userId.slice(4)}`, account));
    const { status, headers, body, text } = await latchkey.api('/v1/me/profile/export', { token: access_token });
    assert.equal(status, 200, text);
    assert.match(headers.get('content-disposition') ?? '', /attachment/);
    assert.deepEqual([body.profile.email, body.profile.displayName], [email, 'Ada']);
    assert.deepEqual([body.identifiers[0].kind, body.identifiers[0].value], ['email', email]);
    assert.equal(body.memberships[0].status, 'active');
    assert.equal(body.sessions[0].id, session.id);
    assert.equal(body.credentials.recoveryCodesLeft, 10);
    assert.ok(body.credentials.passwordChangedAt);
    const [factor, ...others] = body.credentials.factors;
    assert.deepEqual([factor.id, factor.type, factor.phone, others], [app.id, 'totp', null, []]);
    assert.deepEqual(Object.keys(factor).sort(), ['createdAt', 'id', 'lastUsedAt', 'phone', 'type']);
    const { id: _id, linkedAt, ...linked } = body.linkedIdentities[0];
    assert.deepEqual(linked, account);
    assert.ok(linkedAt);
    assert.ok(body.events.some(({ type }: { type: string }) => type === 'user.created'));
    for (const secret of ['argon2', app.secret, ...app.recoveryCodes]) assert.ok(!text.includes(secret), secret);
    for (const list of ['consents', 'invitations', 'messages']) assert.ok(Array.isArray(body[list]));
  });

  test('200 also contains their recent requests, and their actions on records of others', async () => {
    const { email, access_token: token } = await register(latchkey);
    const admin = await managementToken(latchkey);
    const { items } = (await latchkey.api(`/v1/admin/members?q=${email}`, { token: admin })).body;
    const path = `/v1/admin/members/${items[0].id}/roles`;
    await latchkey.api(path, { token: admin, method: 'PUT', body: { roles: ['admin'] } });
    const invited = await latchkey.api('/v1/admin/invitations', { token, body: { email: newEmail() } });
    assert.equal(invited.status, 201, invited.text);
    const asked = newEmail();
    await latchkey.api('/v1/me/profile/email', { token, body: { email: asked } });
    await eventually(async () => {
      const { body } = await latchkey.api('/v1/me/profile/export', { token });
      const [request] = body.requests;
      assert.deepEqual([request.purpose, request.address, request.ip], ['change_email', asked, '127.0.0.1']);
      const done = body.activity.find(({ action }: { action: string }) => action === 'invitation.created');
      assert.deepEqual(done.resources, [invited.body.id]);
      assert.ok(!JSON.stringify(body.activity).includes(invited.body.email), 'whom they invited is not theirs');
    });
  });
});

describe('GET /v1/me/security/sessions', () => {
  test('BI-2 pages are complete, newest first; a cursor of another person or a forged one is refused', async () => {
    const [one, two] = [await register(latchkey), await register(latchkey)];
    const newer = await Promise.all(Array.from({ length: 4 }, () => login(one.email)));
    const list = (query: string, token = one.access_token) =>
      latchkey.api(`/v1/me/security/sessions?${query}`, { token });
    const pages = [await list('limit=2')];
    for (let cursor = pages[0]?.body.nextCursor; cursor !== null; cursor = pages.at(-1)?.body.nextCursor) {
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      pages.push(await list(`limit=2&cursor=${cursor}`));
    }
    const ids = pages.map(({ body }) => body.items.map(({ id }: { id: string }) => id));
    assert.deepEqual(
      ids.map(({ length }) => length),
      [2, 2, 1],
    );
    const all = [one, ...newer.map(({ body }) => body)].map(({ session }) => session.id);
    assert.deepEqual(ids.flat(), all.sort().reverse());
    const cursor = pages[0]?.body.nextCursor;
    expectProblem(await list(`cursor=${cursor}`, two.access_token), 400, 'INVALID_CURSOR');
    expectProblem(await list('cursor=bm9uc2Vuc2U'), 400, 'INVALID_CURSOR');
  });
});

describe('GET /v1/me/security/sessions/{id}', () => {
  test('200 for a session of the person, 404 for another person’s', async () => {
    const [one, two] = [await register(latchkey), await register(latchkey)];
    const path = `/v1/me/security/sessions/${one.session.id}`;
    assert.equal((await latchkey.api(path, { token: one.access_token })).body.current, true);
    expectProblem(await latchkey.api(path, { token: two.access_token }), 404, 'NOT_FOUND');
  });
});
