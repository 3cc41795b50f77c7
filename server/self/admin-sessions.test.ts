import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { addMember } from '#members';
import { expectProblem, ownerToken, PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const PATH = '/v1/admin/sessions';

async function memberOf(email: string): Promise<string> {
  const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token });
  return body.items[0].id;
}

describe('the sessions of a project', () => {
  test('are listed newest first, also of one member, with the applications that use them', async () => {
    const person = await register(latchkey);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    await flow.finish(await signInOn(latchkey, flow, person, browser));
    const memberId = await memberOf(person.email);
    const { body } = await latchkey.api(`${PATH}?memberId=${memberId}`, { token });
    assert.equal(body.items.length, 2);
    assert.ok(body.items[0].id > body.items[1].id);
    assert.deepEqual(
      body.items.map(({ clientIds }: { clientIds: string[] }) => clientIds),
      [[latchkey.demo.environments.test.clientId], []],
    );
    const [, helpdesk] = latchkey.demo.projects;
    assert.ok(helpdesk);
    const redirectUri = 'http://localhost:9004/cb';
    const { clientId } = await latchkey.inProject(
      async (tx) => {
        await addMember(tx, `usr_${person.session.userId.slice(4)}`);
        return createApplication(tx, { kind: 'spa', name: 'Elsewhere', redirectUris: [redirectUri] });
      },
      { projectId: helpdesk.id },
    );
    const elsewhere = await codeFlow(latchkey, {}, { clientId, redirectUri });
    await elsewhere.finish(await browser.open(elsewhere.url));
    const { body: after } = await latchkey.api(`${PATH}?memberId=${memberId}`, { token });
    assert.equal(after.items.length, 2, 'the same session');
    assert.ok(!JSON.stringify(after).includes(clientId), 'what they use in other projects is not told here');
    const first = await latchkey.api(`${PATH}?limit=1&memberId=${memberId}`, { token });
    const second = await latchkey.api(`${PATH}?limit=1&memberId=${memberId}&cursor=${first.body.nextCursor}`, {
      token,
    });
    assert.deepEqual(
      [first.body.items[0].id, second.body.items[0].id],
      body.items.map(({ id }: { id: string }) => id),
    );
    expectProblem(await latchkey.api(`${PATH}?cursor=${first.body.nextCursor}`, { token }), 400, 'INVALID_CURSOR');
    const all = await latchkey.api(PATH, { token });
    assert.ok(all.body.items.length >= 3);
  });

  test('SE-3 one is ended: it is out of this project immediately, with its grants; another project goes on', async () => {
    const person = await register(latchkey);
    const [, other] = latchkey.demo.projects;
    const scope = { workspaceId: latchkey.demo.workspaceId, projectId: other?.id, environment: 'test' };
    const elsewhere = await latchkey.auth('/v1/auth/login/password', {
      body: {
        workspaceId: scope.workspaceId,
        projectId: scope.projectId,
        identifier: person.email,
        password: PASSWORD,
      },
    });
    const back = await latchkey.auth('/v1/sessions/switch-context', {
      token: elsewhere.body.access_token,
      body: { ...scope, projectId: latchkey.demo.projects[0]?.id },
    });
    const path = `${PATH}/${back.body.session.id}`;
    assert.equal((await latchkey.api(path, { token })).body.userId, person.session.userId);
    assert.equal((await latchkey.api(path, { token, method: 'DELETE' })).status, 204);
    expectProblem(await latchkey.api('/v1/me/context', { token: back.body.access_token }), 401, 'SESSION_REVOKED');
    assert.equal((await latchkey.api('/v1/me/context', { token: elsewhere.body.access_token })).status, 200);
    expectProblem(await latchkey.api(path, { token }), 404, 'NOT_FOUND');
    expectProblem(await latchkey.api(path, { token, method: 'DELETE' }), 404, 'NOT_FOUND');
  });

  test('403 without the permission', async () => {
    const { access_token } = await register(latchkey);
    expectProblem(await latchkey.api(PATH, { token: access_token }), 403, 'AUTHORIZATION_DENIED');
  });
});
