import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  lastMessage,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import {
  actAs,
  addSupportDesk,
  askToAct,
  giveRoles,
  memberOf,
  newSupporter,
  type Person,
  REASON,
  redeem,
} from '#tests/impersonation.ts';
import { operationsIn } from '#tests/operations.ts';
import { type Application, exchange, expectRefusal, STOCK } from '#tests/token-exchange.ts';

let latchkey: TestLatchkey;
let admin: string;
let desk: Application;
before(async () => {
  latchkey = await startTestLatchkey();
  admin = await managementToken(latchkey);
  desk = await addSupportDesk(latchkey);
});
after(() => latchkey.stop());

const asked = (token: string, person: { email: string }, more: Record<string, unknown> = {}) =>
  askToAct(latchkey, token, person, more);

async function ticketFor(supporter: Person, person: Person): Promise<string> {
  const { status, body, text } = await asked(supporter.access_token, person);
  assert.equal(status, 201, text);
  return body.ticket;
}

const redeemed = (ticket: string, actor: string | undefined) => redeem(latchkey, desk, { ticket, actor });

/** A supporter who acts as a person, with the token for it. */
async function acting() {
  const [supporter, person] = [await newSupporter(latchkey), await register(latchkey)];
  return { supporter, person, token: await actAs(latchkey, desk, { supporter, person }) };
}

async function isActive(token: string): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${desk.clientId}:${desk.secret}`).toString('base64')}`;
  const body = new URLSearchParams({ token });
  const response = await latchkey.auth('/connect/introspect', { body, headers: { authorization } });
  return response.body.active;
}

describe('impersonation', () => {
  test('support acts as a person with a token that names both, and the person is notified with the reason', async () => {
    const { supporter, person, token } = await acting();
    const claims = decodeJwt(token);
    const { userId } = person.session;
    const supporterId = supporter.session.userId;
    assert.deepEqual([claims.sub, claims.aud, claims['act']], [userId, STOCK, { sub: supporterId }]);
    assert.ok((claims.exp ?? 0) - (claims.iat ?? 0) <= 600);
    assert.equal(await isActive(token), true);
    const mail = await lastMessage(latchkey, person.email);
    assert.match(mail.subject, /acts as you/);
    assert.match(mail.text, /Ticket 4711/);
    const { rows } = await latchkey.system.pool.query(
      `select actor, data from events where type = 'user.impersonation.started' and data->>'userId' = $1`,
      [userId],
    );
    assert.equal(rows.length, 1);
    assert.equal(rows[0].actor.userId, supporterId);
    assert.deepEqual([rows[0].data.supporterId, rows[0].data.reason], [supporterId, REASON]);
  });

  test('its token opens nothing of Latchkey, whatever the route', async () => {
    const { token } = await acting();
    const entered: string[] = [];
    for (const host of ['api', 'auth'] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one host after the other
      const { body } = await latchkey[host]('/openapi.json');
      const guarded = operationsIn(body, {}).filter(
        ({ permission, path }) => permission !== null && /^\/v1\//.test(path),
      );
      assert.ok(guarded.length > 0);
      for (const { method, path, body: sent } of guarded) {
        const call = { method, token, ...(sent !== undefined && { body: sent }) };
        // biome-ignore lint/performance/noAwaitInLoops: hundreds of requests, one after the other
        const response = await latchkey[host](path, call);
        if (response.body.errorCode !== 'WRONG_TOKEN_KIND') entered.push(`${method} ${path}: ${response.status}`);
      }
    }
    assert.deepEqual(entered, []);
    expectRefusal(await exchange(latchkey, desk, token), 'invalid_request');
  });

  test('a ticket works once, also when used concurrently, and only in the session it was given to', async () => {
    const [supporter, other, person] = [
      await newSupporter(latchkey),
      await newSupporter(latchkey),
      await register(latchkey),
    ];
    const ticket = await ticketFor(supporter, person);
    for (const wrong of [other.access_token, person.access_token, admin, 'x', undefined]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectRefusal(await redeemed(ticket, wrong), 'invalid_request');
    }
    const body = { identifier: supporter.email, password: PASSWORD };
    const again = await latchkey.auth('/v1/auth/login/password', { body });
    expectRefusal(await redeemed(ticket, again.body.access_token), 'invalid_request');
    const responses = await Promise.all([1, 2, 3, 4].map(() => redeemed(ticket, supporter.access_token)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400, 400, 400]);
    const started = (await eventsOf(latchkey, person.session.userId)).filter((type) => /started$/.test(type));
    assert.equal(started.length, 1);
    for (const forged of ['k1.x.y', ticket.slice(0, -2), '']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectRefusal(await redeemed(forged, supporter.access_token), 'invalid_request');
    }
  });

  test('nobody acts as an owner, as themselves, as a member with more permissions, or as a blocked member', async () => {
    const supporter = await newSupporter(latchkey);
    const { owner } = latchkey.demo.environments.test;
    const stronger = await register(latchkey);
    await giveRoles(latchkey, stronger, 'viewer');
    for (const target of [owner, supporter, stronger]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await asked(supporter.access_token, target), 403, 'AUTHORIZATION_DENIED');
    }
    const blocked = await register(latchkey);
    await latchkey.api(`/v1/admin/members/${await memberOf(latchkey, blocked)}/block`, {
      token: admin,
      method: 'POST',
    });
    expectProblem(await asked(supporter.access_token, blocked), 403, 'MEMBER_BLOCKED');
  });

  test('the application is not listed as one that uses the session of the impersonator', async () => {
    const { supporter } = await acting();
    const { body } = await latchkey.api('/v1/me/security/applications', { token: supporter.access_token });
    assert.deepEqual(body.items, []);
  });

  test('a ticket is refused once the person has more permissions', async () => {
    const [supporter, person] = [await newSupporter(latchkey), await register(latchkey)];
    const ticket = await ticketFor(supporter, person);
    await giveRoles(latchkey, person, 'viewer');
    expectRefusal(await redeemed(ticket, supporter.access_token), 'invalid_request');
  });

  test('needs the permission, a session of a member, a reason, and no more minutes than the project allows', async () => {
    const [supporter, person] = [await newSupporter(latchkey), await register(latchkey)];
    const plain = await register(latchkey);
    expectProblem(await asked(plain.access_token, person), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await asked(supporter.access_token, person, { reason: '' }), 400, 'VALIDATION_FAILED');
    expectProblem(await asked(supporter.access_token, person, { minutes: 61 }), 400, 'VALIDATION_FAILED');
    expectProblem(await asked(supporter.access_token, person, { minutes: 31 }), 409, 'CONFLICT');
    await changeSettings(latchkey, { impersonationMinutes: 0 });
    expectProblem(await asked(supporter.access_token, person, { minutes: 1 }), 409, 'CONFLICT');
    await changeSettings(latchkey, { impersonationMinutes: 30 });
  });
});

/** What ends an impersonation, also before a ticket for it is exchanged. */
const ENDINGS: Record<string, (people: { supporter: Person; person: Person }) => Promise<TestResponse | undefined>> = {
  'the session of the one who acts ends': ({ supporter }) =>
    latchkey.auth('/v1/sessions/logout', { token: supporter.access_token, body: { everywhere: true } }),
  'the one who acts is blocked': async ({ supporter }) =>
    latchkey.api(`/v1/admin/members/${await memberOf(latchkey, supporter)}/block`, { token: admin, method: 'POST' }),
  'the person is blocked': async ({ person }) =>
    latchkey.api(`/v1/admin/members/${await memberOf(latchkey, person)}/block`, { token: admin, method: 'POST' }),
  'the permission is taken': async ({ supporter }) => {
    await giveRoles(latchkey, supporter);
    return undefined;
  },
};

const revokedByAdmin = async (person: Person) =>
  latchkey.api(`/v1/admin/members/${await memberOf(latchkey, person)}/sessions/revoke`, {
    token: admin,
    method: 'POST',
  });

type People = { supporter: Person; person: Person };

/** Who ends an impersonation early and how, and the cause that is recorded. */
const CAUSES: Record<string, { cause: string; end: (people: People) => Promise<TestResponse> }> = {
  'the person ends it': {
    cause: 'user',
    end: ({ person }) =>
      latchkey.api('/v1/me/security/impersonation', { token: person.access_token, method: 'DELETE' }),
  },
  'an administrator ends it': {
    cause: 'admin',
    end: async ({ person }) =>
      latchkey.api(`/v1/admin/members/${await memberOf(latchkey, person)}/impersonate`, {
        token: admin,
        method: 'DELETE',
      }),
  },
  'an administrator ends the sessions of the person': { cause: 'admin', end: ({ person }) => revokedByAdmin(person) },
  'the person ends their other sessions': {
    cause: 'user',
    end: ({ person }) => latchkey.api('/v1/me/security/sessions', { token: person.access_token, method: 'DELETE' }),
  },
  'the person signs out everywhere': {
    cause: 'logout',
    end: ({ person }) =>
      latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } }),
  },
  'the person changes their password': {
    cause: 'password_changed',
    end: ({ person }) =>
      latchkey.api('/v1/me/security/password', {
        token: person.access_token,
        method: 'PUT',
        body: { currentPassword: PASSWORD, newPassword: 'a fresh correct horse 42' },
      }),
  },
  'the person is blocked': {
    cause: 'member_blocked',
    end: async ({ person }) =>
      latchkey.api(`/v1/admin/members/${await memberOf(latchkey, person)}/block`, { token: admin, method: 'POST' }),
  },
  'the one who acts signs out': {
    cause: 'session_ended',
    end: ({ supporter }) =>
      latchkey.auth('/v1/sessions/logout', { token: supporter.access_token, body: { everywhere: false } }),
  },
};

/** The data of the events that record the end of an impersonation. */
async function endedActing({ session }: Person): Promise<unknown[]> {
  const { rows } = await latchkey.system.pool.query(
    `select data from events where type = 'user.impersonation.ended' and data->>'userId' = $1`,
    [session.userId],
  );
  return rows.map(({ data }) => data);
}

describe('impersonation ends when', () => {
  for (const [cause, end] of Object.entries(ENDINGS))
    test(cause, async () => {
      const { supporter, person, token } = await acting();
      const waiting = await ticketFor(supporter, person);
      const response = await end({ supporter, person });
      assert.ok(response === undefined || response.status < 300, response?.text);
      assert.equal(await isActive(token), false);
      expectRefusal(await redeemed(waiting, supporter.access_token), 'invalid_request');
    });

  for (const [by, { cause, end }] of Object.entries(CAUSES))
    test(`${by}, which is recorded once`, async () => {
      const { supporter, person, token } = await acting();
      const other = await acting();
      const response = await end({ supporter, person });
      assert.ok(response.status < 300, response.text);
      assert.equal(await isActive(token), false);
      assert.equal(await isActive(other.token), true, 'of nobody else');
      const data = { userId: person.session.userId, supporterId: supporter.session.userId, cause };
      assert.deepEqual(await endedActing(person), [data]);
    });

  test('the person ends it, but not twice', async () => {
    const { supporter, person } = await acting();
    const read = async () => (await latchkey.api('/v1/me/security/impersonation', { token: person.access_token })).body;
    const member = `/v1/admin/members/${await memberOf(latchkey, person)}/impersonate`;
    const { impersonations } = await read();
    assert.equal(impersonations[0].supporterId, supporter.session.userId);
    assert.deepEqual((await latchkey.api(member, { token: admin })).body, { impersonations });
    assert.deepEqual((await latchkey.api('/v1/me/security/impersonation', { token: supporter.access_token })).body, {
      impersonations: [],
    });
    const call = { token: person.access_token, method: 'DELETE' };
    assert.equal((await latchkey.api('/v1/me/security/impersonation', call)).status, 204);
    assert.deepEqual(await read(), { impersonations: [] });
    expectProblem(await latchkey.api('/v1/me/security/impersonation', call), 404, 'NOT_FOUND');
    assert.equal((await endedActing(person)).length, 1);
  });

  test('the sessions of a person who has none are ended by an administrator', async () => {
    const { person, token } = await acting();
    await latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: false } });
    assert.equal(await isActive(token), true, 'signing out of one session ends nothing else');
    const { body } = await revokedByAdmin(person);
    assert.deepEqual(body, { revoked: 0 });
    assert.equal(await isActive(token), false);
  });
});
