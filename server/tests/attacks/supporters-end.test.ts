import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ownerToken, register, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { giveRoles, memberOf, type Person } from '#tests/impersonation.ts';
import { signInOperator } from '#tests/operators.ts';
import {
  acting,
  admin,
  dataOf,
  exchanged,
  isActive,
  type MemberOfSupport,
  managementClient,
  memberWithPermission,
  type OperatorOfSupport,
  type Support,
  type Supporter,
  seniorSupport,
  supportIn,
  ticketOf,
} from '#tests/supporters.ts';
import { addBackEnd, expectRefusal } from '#tests/token-exchange.ts';

let latchkey: TestLatchkey;
let support: Support;
before(async () => {
  latchkey = await startTestLatchkey();
  support = await supportIn(latchkey);
});
after(() => latchkey.stop());

/** The causes that end an impersonation immediately, by the cause in its event, and how to restore the permission. */
type Ending<S extends Supporter> = {
  cause: string;
  end: (supporter: S, person: Person) => Promise<unknown>;
  giveBack?: (supporter: S, person: Person) => Promise<unknown>;
};

const OF_MEMBERS: Record<string, Ending<MemberOfSupport>> = {
  'their role is taken': {
    cause: 'roles_changed',
    end: ({ person }) => giveRoles(latchkey, person),
    giveBack: ({ person }) => giveRoles(latchkey, person, 'supporter'),
  },
  'the permission is taken from their role': {
    cause: 'roles_changed',
    end: () => setSupporterRole(['members:read']),
    giveBack: () => setSupporterRole(['members:read', 'members:impersonate']),
  },
  'they are blocked': {
    cause: 'session_ended',
    end: async ({ person }) => admin(support, `members/${await memberOf(latchkey, person)}/block`, { method: 'POST' }),
    giveBack: async ({ person }) =>
      admin(support, `members/${await memberOf(latchkey, person)}/unblock`, { method: 'POST' }),
  },
  'they are removed': {
    cause: 'session_ended',
    end: async ({ person }) => admin(support, `members/${await memberOf(latchkey, person)}`, { method: 'DELETE' }),
  },
  'they leave': {
    cause: 'session_ended',
    end: async ({ person }) => {
      const path = `/v1/me/memberships/${await memberOf(latchkey, person)}`;
      const response = await latchkey.api(path, { token: person.access_token, method: 'DELETE' });
      assert.ok(response.status < 300, response.text);
    },
  },
  'the person may do more': {
    cause: 'roles_changed',
    end: (_, person) => giveRoles(latchkey, person, 'viewer'),
    giveBack: (_, person) => giveRoles(latchkey, person),
  },
};

async function setSupporterRole(permissions: string[]) {
  const { body } = await admin(support, 'roles?limit=100');
  const { id } = body.items.find(({ key }: { key: string }) => key === 'supporter');
  return admin(support, `roles/${id}/permissions`, { method: 'PUT', body: { permissions } });
}

async function changeTeam({ id }: Supporter, change: { method: string; body?: unknown }) {
  const owner = await signInOperator(latchkey);
  const { body } = await owner.call('/console/v1/team?limit=100');
  const { id: teamMemberId } = body.items.find(({ userId }: { userId: string }) => userId === id);
  const response = await owner.call(`/console/v1/team/${teamMemberId}`, change);
  assert.ok(response.status < 300, response.text);
}

const OF_OPERATORS: Record<string, Ending<OperatorOfSupport>> = {
  'they get a role without it': {
    cause: 'team_changed',
    end: (supporter) => changeTeam(supporter, { method: 'PATCH', body: { role: 'support' } }),
    giveBack: (supporter) => changeTeam(supporter, { method: 'PATCH', body: { role: 'senior_support' } }),
  },
  'they leave the team': { cause: 'team_changed', end: (supporter) => changeTeam(supporter, { method: 'DELETE' }) },
  'they sign out of the console': {
    cause: 'session_ended',
    end: async ({ operator }) => {
      const response = await operator.call('/console/v1/session/sign-out', { method: 'POST' });
      assert.ok(response.status < 300, response.text);
    },
  },
};

const patched = ({ id }: { id: string }, body: unknown) =>
  admin(support, `applications/${id}`, { method: 'PATCH', body });

const OF_CLIENTS: Record<string, Ending<Supporter>> = {
  'it is disabled': {
    cause: 'application_changed',
    end: (supporter) => patched(supporter, { enabled: false }),
    giveBack: (supporter) => patched(supporter, { enabled: true }),
  },
  'the permission is taken from it': {
    cause: 'application_changed',
    end: (supporter) => patched(supporter, { permissions: ['members:read'] }),
    giveBack: (supporter) => patched(supporter, { permissions: ['members:read', 'members:impersonate'] }),
  },
  'it is removed': {
    cause: 'application_changed',
    end: ({ id }) => admin(support, `applications/${id}`, { method: 'DELETE' }),
  },
};

const OF_DESKS: Record<string, Ending<Supporter>> = {
  'it is disabled': {
    cause: 'application_changed',
    end: ({ through }) => patched(through, { enabled: false }),
    giveBack: ({ through }) => patched(through, { enabled: true }),
  },
};

/** A member whose tickets are for one application. */
async function memberThroughOneApplication(): Promise<Supporter> {
  const { ask, ...member } = await memberWithPermission(support);
  const through = await addBackEnd(latchkey, { name: 'Own desk' });
  return { ...member, through, ask: (person, more) => ask(person, { clientId: through.clientId, ...more }) };
}

describe('an impersonation ends immediately, with its ticket, and does not return, when', () => {
  testEndings('of a member', () => memberWithPermission(support), OF_MEMBERS);
  testEndings('of an operator', () => seniorSupport(support), OF_OPERATORS);
  testEndings('through an application', memberThroughOneApplication, OF_DESKS);
  testEndings('of a management client', () => managementClient(support), OF_CLIENTS);
});

function testEndings<S extends Supporter>(
  whose: string,
  supporterOf: () => Promise<S>,
  endings: Record<string, Ending<S>>,
) {
  for (const [when, { cause, end, giveBack }] of Object.entries(endings))
    test(`${whose}: ${when}`, async () => {
      const [supporter, other] = [await supporterOf(), await managementClient(support)];
      const { person, token } = await acting(support, supporter);
      const waiting = await ticketOf(supporter, person);
      const untouched = await acting(support, other);
      await end(supporter, person);
      assert.equal(await isActive(support, token), false);
      assert.equal(await isActive(support, untouched.token), true, 'of nobody else');
      const ended = (await dataOf(support, 'ended', person)).map(({ data }) => data);
      const expected = { userId: person.session.userId, supporterId: supporter.id, cause };
      assert.deepEqual(ended, [expected, expected], 'of the token and of the ticket');
      await giveBack?.(supporter, person);
      assert.equal(await isActive(support, token), false, 'it does not return');
      const refused = await exchanged(support, supporter, waiting);
      assert.ok(refused.status >= 400, refused.text);
    });
}

/** The causes that end a ticket before it is exchanged. */
const ENDS_TICKETS: Record<string, (person: Person) => Promise<TestResponse>> = {
  'the person ends all acting': ({ access_token: token }) =>
    latchkey.api('/v1/me/security/impersonation', { token, method: 'DELETE' }),
  'an administrator ends all acting': async (person) =>
    latchkey.api(`/v1/admin/members/${await memberOf(latchkey, person)}/impersonate`, {
      token: await ownerToken(latchkey),
      method: 'DELETE',
    }),
  'the person signs out everywhere': ({ access_token: token }) =>
    latchkey.auth('/v1/sessions/logout', { token, body: { everywhere: true } }),
  'the person is blocked': async (person) =>
    latchkey.api(`/v1/admin/members/${await memberOf(latchkey, person)}/block`, {
      token: await ownerToken(latchkey),
      method: 'POST',
    }),
};

describe('a ticket that is not exchanged ends when', () => {
  for (const [when, end] of Object.entries(ENDS_TICKETS))
    test(when, async () => {
      const supporters = [await memberWithPermission(support), await seniorSupport(support)];
      for (const supporter of supporters) {
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        const person: Person = await register(latchkey);
        const ticket = await ticketOf(supporter, person);
        const { status, text } = await end(person);
        assert.ok(status < 300, text);
        expectRefusal(await exchanged(support, supporter, ticket), 'invalid_request');
        assert.deepEqual(await dataOf(support, 'started', person), []);
      }
    });

  test('a ticket that is exchanged while it is being ended never outlives the end', async () => {
    for (let round = 0; round < 5; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: each round is a race of its own
      const [supporter, person]: [Supporter, Person] = [await seniorSupport(support), await register(latchkey)];
      const ticket = await ticketOf(supporter, person);
      const [begun, ended] = await Promise.all([
        exchanged(support, supporter, ticket),
        latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } }),
      ]);
      assert.ok(ended.status < 300, ended.text);
      if (begun.status === 200) assert.equal(await isActive(support, begun.body.access_token), false);
      assert.equal((await dataOf(support, 'ended', person)).length, 1);
    }
  });
});
