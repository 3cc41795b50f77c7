import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addMember, addRoles, insertMembers, lockRoles } from '#members';
import { newId } from '#platform/ids.ts';
import { exchange, leaveThrough } from '#tests/connections.ts';
import { expectProblem, mailedToken, managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { companyPeople } from '#tests/organization-people.ts';

let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const { me, admin, visit, login, memberOf, giveRoles, newJoined, newEmployee } = companyPeople(() => ({
  latchkey,
  upstream,
}));

const refresh = (refreshToken: string) =>
  latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: refreshToken } });

describe('a person who gets a role in the project after a connection joined their account', () => {
  test('is not entered through it until they confirmed it with a proof of their own', async () => {
    const { company, claims, email, token, refreshToken } = await newJoined();
    const own = await login(email);
    await giveRoles(email, ['viewer']);
    expectProblem(await me('/context', token), 401, 'SESSION_REVOKED');
    expectProblem(await refresh(refreshToken), 401, 'SESSION_REVOKED');
    assert.equal((await me('/context', own.access_token)).status, 200, 'a session of their own goes on');
    const { body, text } = await visit(company, claims);
    assert.deepEqual([body.status, body.access_token], ['link_required', undefined], text);
    const links = async () => (await me('/linked-identities', own.access_token)).body.items;
    const [before] = await links();
    const confirmed = await me('/linked-identities', own.access_token, { body: { linkToken: body.linkToken } });
    assert.deepEqual([confirmed.status, confirmed.body.id], [201, before.id], confirmed.text);
    assert.deepEqual(await links(), [before]);
    const entered = await visit(company, claims);
    assert.equal(entered.body.session?.organizationId, company.organizationId, entered.text);
    const { body: events } = await admin(`/audit-events?resource=${before.id}`);
    assert.ok(events.items.length > 0, 'the audit log has it');
  });

  test('confirms it again after another role, not after one that they had', async () => {
    const { company, claims, email } = await newJoined();
    await giveRoles(email, ['viewer']);
    const confirm = async () => {
      const { body } = await visit(company, claims);
      assert.equal(body.status, 'link_required');
      const { access_token: own } = await login(email);
      const linked = await me('/linked-identities', own, { body: { linkToken: body.linkToken } });
      assert.equal(linked.status, 201, linked.text);
    };
    await confirm();
    await giveRoles(email, ['viewer']);
    assert.ok((await visit(company, claims)).body.access_token, 'the same role');
    await giveRoles(email, ['viewer', 'admin']);
    await confirm();
    await giveRoles(email, ['viewer']);
    assert.ok((await visit(company, claims)).body.access_token, 'fewer roles');
  });

  test('signs in as before once the role is taken away', async () => {
    const { company, claims, email } = await newJoined();
    await giveRoles(email, ['viewer']);
    await giveRoles(email, []);
    assert.ok((await visit(company, claims)).body.access_token);
  });

  test('is asked also if the connection made the account, and if the role is in another project', async () => {
    const made = await newEmployee();
    await giveRoles(made.email, ['viewer']);
    expectProblem(await me('/context', made.token), 401, 'SESSION_REVOKED');
    assert.equal((await visit(made.company, made.claims)).body.status, 'link_required');
    const joined = await newJoined();
    const projectId = latchkey.demo.projects[1]?.id;
    assert.ok(projectId);
    const { userId } = joined;
    await latchkey.inProject(
      async (tx) => addRoles(tx, { memberId: await addMember(tx, userId), userId }, ['viewer']),
      { projectId },
    );
    expectProblem(await me('/context', joined.token), 401, 'SESSION_REVOKED');
    assert.equal((await visit(joined.company, joined.claims)).body.status, 'link_required');
  });

  test('is asked after an import gave the role', async () => {
    const { company, claims, token, userId } = await newJoined();
    const projectId = latchkey.demo.projects[1]?.id;
    assert.ok(projectId);
    await latchkey.inProject(
      async (tx) => {
        const roleIds = (await lockRoles(tx, ['viewer'], 'refuse')).map(({ id }) => id);
        const member = {
          id: newId('mem', tx.now),
          userId,
          status: 'active' as const,
          metadata: {},
          named: [],
          roleIds,
        };
        await insertMembers(tx, [member]);
      },
      { projectId },
    );
    expectProblem(await me('/context', token), 401, 'SESSION_REVOKED');
    assert.equal((await visit(company, claims)).body.status, 'link_required');
  });

  test('accepts an invitation with a role in a session of their own only, and is asked after that, too', async () => {
    const { company, claims, email, token } = await newJoined();
    const invited = await admin('/invitations', { body: { email, roles: ['viewer'] } });
    assert.equal(invited.status, 201, invited.text);
    const mailed = await mailedToken(latchkey, email);
    const accept = (as: string) => latchkey.auth('/v1/auth/invitations/accept', { token: as, body: { token: mailed } });
    const refused = [
      await accept(token),
      await me(`/invitations/${invited.body.id}/accept`, token, { method: 'POST' }),
    ];
    for (const response of refused) {
      expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
      assert.equal(response.body.ownProof, true, response.text);
    }
    const own = await accept((await login(email)).access_token);
    assert.equal(own.status, 200, own.text);
    expectProblem(await me('/context', token), 401, 'SESSION_REVOKED');
    assert.equal((await visit(company, claims)).body.status, 'link_required');
  });

  test('cannot renew an older session, nor manage the organization with it', async () => {
    const { company, email, token, refreshToken } = await newJoined();
    const project = await latchkey.auth('/v1/sessions/switch-context', {
      token,
      body: { workspaceId: latchkey.demo.workspaceId, projectId: latchkey.demo.projects[0]?.id, environment: 'test' },
    });
    assert.equal(project.status, 200, project.text);
    // As an earlier version gave it, which ended no session.
    await latchkey.system.pool.query(
      `insert into member_roles (workspace_id, project_id, environment, member_id, role_id)
       select workspace_id, project_id, environment, $2, id from roles
       where workspace_id = $1 and environment = 'test' and project_id = $3 and key = 'viewer'`,
      [latchkey.demo.workspaceId, await memberOf(email), latchkey.demo.projects[0]?.id],
    );
    expectProblem(await refresh(refreshToken), 401, 'REAUTHENTICATION_REQUIRED');
    expectProblem(await refresh(project.body.refresh_token), 401, 'REAUTHENTICATION_REQUIRED');
    const inside = await me(`/organizations/${company.organizationId}/members`, token);
    assert.ok([401, 403].includes(inside.status), inside.text);
  });

  test('gets the role while they sign in through the connection: no session of it outlives that', async () => {
    const { company, claims, email, userId } = await newJoined();
    const codes: (string | null)[] = [];
    for (const _ of [1, 2, 3, 4]) {
      // biome-ignore lint/performance/noAwaitInLoops: the issuer serves one person at a time
      const { back } = await leaveThrough(latchkey, upstream, { connectionId: company.connectionId, claims });
      codes.push((await back()).code);
    }
    const memberId = await memberOf(email);
    const token = await managementToken(latchkey);
    const [given, ...signedIn] = await Promise.all([
      latchkey.api(`/v1/admin/members/${memberId}/roles`, { token, method: 'PUT', body: { roles: ['viewer'] } }),
      ...codes.map((code) => exchange(latchkey, code)),
    ]);
    assert.equal(given.status, 200, given.text);
    for (const { status, text } of signedIn) assert.ok(status === 200 || status === 503, text);
    const { rows } = await latchkey.system.pool.query(
      `select id from sessions where workspace_id = $1 and user_id = $2 and revoked_at is null and sign_in_methods = $3`,
      [latchkey.demo.workspaceId, userId, [company.connectionId]],
    );
    assert.deepEqual(rows, []);
  });
});
