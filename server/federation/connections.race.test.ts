import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Company, exchange, leaveThrough, newCompany } from '#tests/connections.ts';
import {
  changeSettings,
  expectProblem,
  managementToken,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { waitsForLock } from '#tests/locks.ts';

type Person = { sub: string; email: string; groups: string[] };

let latchkey: TestLatchkey;
let upstream: Issuer;
let company: Company;
let people: Person[];
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

/** A company with members whom its identity provider makes administrators. */
beforeEach(async () => {
  company = await newCompany(latchkey, { issuer: upstream.issuer });
  await company.change({ status: 'enabled', justInTime: true, groupRoles: { Staff: ['admin'] } });
  people = Array.from({ length: 4 }, newPerson);
  expectAll(await Promise.all((await codesOf(people)).map((code) => exchange(latchkey, code))), 200);
});

const newPerson = (): Person => ({ sub: crypto.randomUUID(), email: company.newEmail(), groups: ['Staff'] });

/** The codes of people who came back from the identity provider; it serves one person at a time. */
async function codesOf(those: readonly Person[]): Promise<(string | null)[]> {
  const codes: (string | null)[] = [];
  for (const claims of those) {
    // biome-ignore-start lint/performance/noAwaitInLoops: one after the other
    const { back } = await leaveThrough(latchkey, upstream, { connectionId: company.connectionId, claims });
    codes.push((await back()).code);
    // biome-ignore-end lint/performance/noAwaitInLoops: one after the other
  }
  return codes;
}

function expectAll(responses: readonly TestResponse[], status: number): void {
  for (const response of responses) assert.equal(response.status, status, response.text);
}

/** Does something while another transaction locks the organization; that one ends with `finish`. */
async function whileLocked<T>(
  how: 'share' | 'update',
  work: (finish: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const other = await latchkey.system.pool.connect();
  try {
    await other.query('begin');
    const { workspaceId } = latchkey.demo;
    await other.query(`select 1 from organizations where workspace_id = $1 and id = $2 for ${how}`, [
      workspaceId,
      company.organizationId,
    ]);
    return await work(() => other.query('commit'));
  } finally {
    await other.query('rollback');
    other.release();
  }
}

/** All sign in at once, just after a change of the company, which they wait for: it began before them. */
async function justAfter(change: () => Promise<unknown>): Promise<TestResponse[]> {
  const codes = await codesOf(people);
  return whileLocked('update', async (finish) => {
    const changing = change();
    await waitsForLock(latchkey);
    const signingIn = codes.map((code) => exchange(latchkey, code));
    await waitsForLock(latchkey, 1 + codes.length);
    await finish();
    await changing;
    return Promise.all(signingIn);
  });
}

const rolesOfAll = async () => (await company.members()).map(({ roles }) => roles);
const isDead = async ({ body }: TestResponse) =>
  expectProblem(await latchkey.api('/v1/me/profile', { token: body.access_token }), 401, 'SESSION_REVOKED');

describe('members of a company who sign in at once', () => {
  test('do not wait for each other, and take no lock alone', async () => {
    const codes = await codesOf(people);
    const responses = await whileLocked('share', () => Promise.all(codes.map((code) => exchange(latchkey, code))));
    expectAll(responses, 200);
  });

  test('all wait for a disabled or removed connection, and none gets in', async () => {
    for (const change of [() => company.change({ status: 'disabled' }), () => company.remove()]) {
      // biome-ignore-start lint/performance/noAwaitInLoops: one change after the other
      await company.change({ status: 'enabled' });
      for (const response of await justAfter(change)) expectProblem(response, 403, 'METHOD_DISABLED');
      // biome-ignore-end lint/performance/noAwaitInLoops: one change after the other
    }
  });

  test('a connection that is disabled ends the sessions of those who got in before', async () => {
    const codes = await codesOf(people);
    const [responses] = await Promise.all([
      Promise.all(codes.map((code) => exchange(latchkey, code))),
      company.change({ status: 'disabled' }),
    ]);
    for (const response of responses) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      if (response.status === 200) await isDead(response);
      else expectProblem(response, 403, 'METHOD_DISABLED');
    }
  });

  test('get the roles of a mapping that changed while they waited, in place of those before', async () => {
    expectAll(await justAfter(() => company.change({ groupRoles: { Staff: [], Others: ['admin'] } })), 200);
    assert.deepEqual(await rolesOfAll(), [[], [], [], []]);
    await company.change({ groupRoles: { Staff: ['admin'] } });
    const codes = await codesOf(people);
    const [responses] = await Promise.all([
      Promise.all(codes.map((code) => exchange(latchkey, code))),
      company.change({ groupRoles: { Staff: ['admin'], Others: [] } }),
    ]);
    expectAll(responses, 200);
    assert.deepEqual(await rolesOfAll(), [['admin'], ['admin'], ['admin'], ['admin']]);
  });

  test('stay out if they were removed while they waited', async () => {
    const [{ email } = newPerson(), ...others] = people;
    const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(email)}`, {
      token: await managementToken(latchkey),
    });
    const remove = () => company.call(`/members/${body.items[0].id}`, 'DELETE');
    const [removed, ...stayed] = await justAfter(remove);
    assert.ok(removed);
    expectProblem(removed, 403, 'MEMBERSHIP_REQUIRED');
    expectAll(stayed, 200);
    assert.equal((await company.members()).length, others.length);
  });

  test('get in while it becomes full, beside as many new people as have room', async () => {
    const before = (await company.members()).length;
    const joining = Array.from({ length: 3 }, newPerson);
    await changeSettings(latchkey, { maxOrganizationMembers: before + 1 });
    const codes = await codesOf([...people, ...joining]);
    const responses = await Promise.all(codes.map((code) => exchange(latchkey, code)));
    expectAll(responses.slice(0, people.length), 200);
    assert.deepEqual(
      responses
        .slice(people.length)
        .map(({ status }) => status)
        .sort(),
      [200, 409, 409],
    );
    assert.equal((await company.members()).length, before + 1);
  });
});
