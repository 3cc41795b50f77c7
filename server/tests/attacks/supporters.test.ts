import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { expectProblem, managementToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { askToAct, giveRoles, memberOf, type Person, REASON, redeem } from '#tests/impersonation.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';
import {
  acting,
  admin,
  dataOf,
  exchanged,
  isActive,
  managementClient,
  memberWithPermission,
  operatorOf,
  type Support,
  type Supporter,
  seniorSupport,
  supportIn,
  ticketOf,
} from '#tests/supporters.ts';
import { addBackEnd, expectRefusal, STOCK } from '#tests/token-exchange.ts';

let latchkey: TestLatchkey;
let support: Support;
before(async () => {
  latchkey = await startTestLatchkey();
  support = await supportIn(latchkey);
});
after(() => latchkey.stop());

const WHO: Record<string, () => Promise<Supporter>> = {
  'a member with the permission': () => memberWithPermission(support),
  'senior support of the team': () => seniorSupport(support),
  'an owner of the team': async () => operatorOf(support, await teammate(latchkey, 'owner')),
  'a management client with the permission': () => managementClient(support),
};

describe('who may act as a member', () => {
  for (const [who, supporterOf] of Object.entries(WHO)) {
    test(`${who}: with a token that names both; never as themselves, an owner, or a blocked or removed member`, async () => {
      const supporter = await supporterOf();
      const { person, token } = await acting(support, supporter);
      const { sub, act } = decodeJwt(token);
      const named = supporter.id.startsWith('app_') ? supporter.through.clientId : supporter.id;
      assert.deepEqual({ sub, act }, { sub: person.session.userId, act: { sub: named } });
      assert.equal(await isActive(support, token), true);
      const [started] = await dataOf(support, 'started', person);
      assert.equal(started?.data['supporterId'], supporter.id);
      const list = `members/${await memberOf(latchkey, person)}/impersonate`;
      const [shown] = (await admin(support, list)).body.impersonations;
      assert.deepEqual(
        [shown.supporterId, shown.supporterKind, shown.reason],
        [supporter.id, started?.actor.kind, REASON],
      );

      const { owner } = latchkey.demo.environments.test;
      expectProblem(await supporter.ask(owner), 403, 'AUTHORIZATION_DENIED');
      const blocked: Person = await register(latchkey);
      await admin(support, `members/${await memberOf(latchkey, blocked)}/block`, { method: 'POST' });
      expectProblem(await supporter.ask(blocked), 403, 'MEMBER_BLOCKED');
      const ticket = await ticketOf(supporter, person);
      await admin(support, `members/${await memberOf(latchkey, person)}`, { method: 'DELETE' });
      expectRefusal(await exchanged(support, supporter, ticket), 'invalid_request');
    });

    test(`${who}: the ticket works once, and for nobody else`, async () => {
      const [supporter, other] = [await supporterOf(), await memberWithPermission(support)];
      const ticket = await ticketOf(supporter, await register(latchkey));
      const through = { ...supporter, through: support.api };
      if (!supporter.actor) {
        expectRefusal(await exchanged(support, through, ticket), 'invalid_request');
        expectRefusal(await redeem(latchkey, support.desk, { ticket, actor: other.actor }), 'invalid_request');
      } else expectRefusal(await redeem(latchkey, support.desk, { ticket, actor: other.actor }), 'invalid_request');
      const responses = await Promise.all([1, 2, 3].map(() => exchanged(support, supporter, ticket)));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400, 400]);
    });
  }

  for (const who of [
    'a member with the permission',
    'senior support of the team',
    'a management client with the permission',
  ])
    test(`${who} cannot act as a person with more permissions`, async () => {
      const supporter = await WHO[who]?.();
      const stronger = await register(latchkey);
      await giveRoles(latchkey, stronger, 'admin');
      const response = await supporter?.ask(stronger);
      assert.ok(response);
      expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    });

  test('not without the permission: a member, support and an admin of the team, and a management client', async () => {
    const person = await register(latchkey);
    const without = [
      (await askToAct(latchkey, (await register(latchkey)).access_token, person)).status,
      (await (await operatorOf(support, await teammate(latchkey, 'support'))).ask(person)).status,
      (await (await operatorOf(support, await teammate(latchkey, 'admin'))).ask(person)).status,
      (await (await managementClient(support, ['members:read'])).ask(person)).status,
    ];
    assert.deepEqual(without, [403, 403, 403, 403]);
    const narrow = await managementToken(latchkey, 'members:read');
    expectProblem(await askToAct(latchkey, narrow, person), 403, 'AUTHORIZATION_DENIED');
  });

  test('an operator or a management client names an application that can exchange the ticket', async () => {
    const [operator, robot, person] = [
      await seniorSupport(support),
      await managementClient(support),
      await register(latchkey),
    ];
    const withoutApi = await addBackEnd(latchkey, { name: 'No API', apis: [] });
    const withoutGrant = await addBackEnd(latchkey, { name: 'No exchange', grants: ['authorization_code'] });
    const disabled = await addBackEnd(latchkey, { name: 'Disabled' });
    await admin(support, `applications/${disabled.id}`, { method: 'PATCH', body: { enabled: false } });
    for (const clientId of [undefined, 'nobody', withoutApi.clientId, withoutGrant.clientId, disabled.clientId]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const responses = [await operator.ask(person, { clientId }), await robot.ask(person, { clientId })];
      for (const response of responses) {
        expectProblem(response, 400, 'VALIDATION_FAILED');
        assert.equal(response.body.errors[0].pointer, '/body/clientId');
      }
    }
    expectProblem(await robot.ask(person, { clientId: support.desk.clientId }), 400, 'VALIDATION_FAILED');
    const { body } = await operator.operator.call('/console/v1/impersonation');
    assert.equal(body.maxMinutes, 30);
    const shown = body.applications.find(({ clientId }: { clientId: string }) => clientId === support.desk.clientId);
    assert.deepEqual([shown.name, shown.apis.toSorted()], ['Support desk', ['https://orders.example.com', STOCK]]);
    const names = body.applications.map(({ name }: { name: string }) => name);
    assert.ok(!names.includes('No API') && !names.includes('No exchange') && !names.includes('Disabled'), names.join());
  });

  test('nobody acts as an operator, not even an owner of the installation', async () => {
    const owner = await signInOperator(latchkey);
    const { body } = await owner.call('/console/v1/workspaces');
    const { workspace } = builtIn(body);
    const headers = {
      'x-workspace-id': workspace,
      'x-project-id': await projectOf(owner, workspace),
      'x-environment': 'production',
    };
    const members = await owner.call('/console/v1/members', { headers });
    const { id } = members.body.items[0];
    const response = await owner.call(`/console/v1/members/${id}/impersonate`, {
      headers,
      body: { reason: REASON, minutes: 1, clientId: support.desk.clientId },
    });
    expectProblem(response, 403, 'AUTHORIZATION_DENIED');
  });

  test('in each environment only as its own members, through its own applications', async () => {
    const [operator, person] = [await seniorSupport(support), await register(latchkey)];
    const id = await memberOf(latchkey, person);
    const body = { reason: REASON, minutes: 1, clientId: support.desk.clientId };
    const path = `/console/v1/members/${id}/impersonate`;
    const [, helpdesk] = latchkey.demo.projects;
    const elsewhere: Record<string, string>[] = [
      { 'x-environment': 'production' },
      { 'x-project-id': helpdesk?.id ?? '' },
    ];
    for (const headers of elsewhere) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await operator.operator.call(path, { headers, body }), 404, 'NOT_FOUND');
    }
    const headers = { 'x-environment': 'production' };
    const owner = await operatorOf(support, await teammate(latchkey, 'owner'));
    const added = await owner.operator.call('/console/v1/members', { headers, body: { email: `x.${person.email}` } });
    assert.equal(added.status, 201, added.text);
    const there = `/console/v1/members/${added.body.id}/impersonate`;
    expectProblem(await operator.operator.call(there, { headers, body }), 400, 'VALIDATION_FAILED');
  });
});

function builtIn(body: { items: { id: string; name: string }[] }) {
  const workspace = body.items.find(({ name }) => name === 'Latchkey')?.id ?? '';
  return { workspace };
}

async function projectOf(owner: Operator, workspace: string): Promise<string> {
  const { body } = await owner.call('/console/v1/projects', { headers: { 'x-workspace-id': workspace } });
  return body.items[0].id;
}
