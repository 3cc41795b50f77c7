import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  changeSettings,
  expectProblem,
  newEmail,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { newDirectory, type TestDirectory } from '#tests/scim.ts';
import { type OrganizationLimit, organizationLimits, rates } from './organization-limits.ts';

const PAGE = new URL('../../docs/organizations.md', import.meta.url);
const TABLE = /(?<=<!-- limits -->\n)[\s\S]*?(?=<!-- end of limits -->)/;
const OWNERS = { 'This project': 'a project', 'An organization': 'an organization', You: 'a member' };
/** How many more fit, in the settings that the test changes. */
const ROOM = 3;

let latchkey: TestLatchkey;
let token: string;
/** Two organizations: what one has does not count for the other. */
let here: TestDirectory;
let there: TestDirectory;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  [here, there] = await Promise.all([newDirectory(latchkey), newDirectory(latchkey)]);
});
after(() => latchkey.stop());

const add = (path: string, body: unknown) => latchkey.api(`/v1/admin/${path}`, { token, body });
const count = async (path: string): Promise<number> =>
  (await latchkey.api(`/v1/admin/${path}?limit=100`, { token })).body.items.length;

async function newMember() {
  const { email, access_token: accessToken } = await register(latchkey);
  const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(email)}`, { token });
  return { memberId: String(body.items[0].id), accessToken: String(accessToken) };
}

/** What is added at once, what there is before, and the addition that still succeeds afterwards. */
type Race = {
  add: (index: number) => Promise<TestResponse>;
  /** How many fit. */
  room: number;
  elsewhere?: () => Promise<TestResponse>;
};

const inOrganization = (below: string, bodyOf: (index: number) => unknown, room: number): Race => ({
  add: (index) => add(`organizations/${here.organizationId}/${below}`, bodyOf(index)),
  room,
  elsewhere: () => add(`organizations/${there.organizationId}/${below}`, bodyOf(999)),
});

const races: Record<OrganizationLimit, () => Promise<Race>> = {
  organizations: async () => {
    await changeSettings(latchkey, { maxOrganizations: (await count('organizations')) + ROOM });
    return { add: () => add('organizations', { name: 'Acme' }), room: ROOM };
  },
  roles: async () => ({
    add: (index) => add('organization-roles', { key: `role-${index}`, name: 'Role', permissions: [] }),
    room: 100,
  }),
  ownOrganizations: async () => {
    await changeSettings(latchkey, { maxOwnOrganizations: ROOM });
    const [person, other] = await Promise.all([newMember(), newMember()]);
    const found = (accessToken: string) =>
      latchkey.api('/v1/me/organizations', { token: accessToken, body: { name: 'Mine' } });
    return { add: () => found(person.accessToken), room: ROOM, elsewhere: () => found(other.accessToken) };
  },
  members: async () => {
    const people = await Promise.all(Array.from({ length: ROOM * 2 + 1 }, () => newMember()));
    await changeSettings(latchkey, { maxOrganizationMembers: ROOM });
    return inOrganization('members', (index) => ({ memberId: people.at(index === 999 ? -1 : index)?.memberId }), ROOM);
  },
  domains: async () => inOrganization('domains', (index) => ({ host: `mail${index}.example` }), 20),
  customDomains: async () => inOrganization('custom-domains', (index) => ({ host: `login${index}.acme.example` }), 3),
  connections: async () => {
    const oidc = { issuer: 'https://login.company.example', clientId: 'latchkey' };
    return inOrganization('connections', (index) => ({ name: `IdP ${index}`, oidc }), 10);
  },
  directoryTokens: async () => {
    const room = 10 - (await count(`organizations/${here.organizationId}/scim/tokens`));
    return inOrganization('scim/tokens', (index) => ({ name: `Token ${index}` }), room);
  },
  directoryGroups: async () => {
    await latchkey.system.pool.query(
      `insert into scim_groups
       select workspace_id, project_id, environment, id, 'scg_' || n, 'group ' || n, null, '{}', '{}', 1, now(), now()
       from organizations, generate_series(1, $2::int) n where id = $1 /* all workspaces */`,
      [here.organizationId, 1_000 - ROOM],
    );
    return {
      add: (index) => here.scim('POST', '/Groups', { displayName: `Team ${index}` }),
      room: ROOM,
      elsewhere: () => there.scim('POST', '/Groups', { displayName: 'Team' }),
    };
  },
  setupLinks: async () => inOrganization('setup-links', () => ({ tasks: ['domains'] }), 10),
};

describe('additions at once never exceed the limit, and up to it each succeeds', () => {
  afterEach(() => changeSettings(latchkey, { maxOrganizations: 10_000, maxOrganizationMembers: 1_000 }));

  for (const [name, race] of Object.entries(races))
    test(name, async () => {
      const { add: addOne, room, elsewhere } = await race();
      const responses = await Promise.all(Array.from({ length: room + 3 }, (_, index) => addOne(index)));
      const refused = responses.filter(({ status }) => status !== 201);
      assert.equal(refused.length, 3, refused[0]?.text);
      for (const response of refused) expectLimit(response, name);
      const other = await elsewhere?.();
      assert.equal(other?.status ?? 201, 201, other?.text);
    });
});

/** SCIM has error documents of its own. */
function expectLimit(response: TestResponse, name: string): void {
  assert.equal(response.status, 409, response.text);
  assert.match(response.body.detail, /may have up to \d+ /);
  if (name === 'directoryGroups') return;
  expectProblem(response, 409, 'CONFLICT');
  const { limitOf, limit, current } = response.body;
  assert.deepEqual([limitOf, current], [name, limit]);
}

test('open invitations and members share the limit of members', async () => {
  const { organizationId } = await newDirectory(latchkey);
  await changeSettings(latchkey, { maxOrganizationMembers: ROOM });
  const invite = () => add('invitations', { email: newEmail(), organizationId });
  const responses = await Promise.all(Array.from({ length: ROOM * 2 }, invite));
  await changeSettings(latchkey, { maxOrganizationMembers: 1_000 });
  assert.equal(responses.filter(({ status }) => status === 201).length, ROOM);
  for (const response of responses.filter(({ status }) => status !== 201)) expectLimit(response, 'members');
});

test('resent invitations that had expired count again, also when they are sent in parallel', async () => {
  const { organizationId } = await newDirectory(latchkey);
  const expire = (ids: readonly string[]) =>
    latchkey.system.pool.query(
      `update invitations set expires_at = now() - interval '1 day' where id = any($1) /* all workspaces */`,
      [ids],
    );
  const invite = async () => String((await add('invitations', { email: newEmail(), organizationId })).body.id);
  const resend = (id: string) => latchkey.api(`/v1/admin/invitations/${id}/resend`, { token, method: 'POST' });
  const ids = await Promise.all(Array.from({ length: ROOM * 2 }, invite));
  await expire(ids);
  await changeSettings(latchkey, { maxOrganizationMembers: ROOM });
  const responses = await Promise.all(ids.map(resend));
  const open = ids.filter((_, index) => responses[index]?.status === 200);
  const again = await resend(String(open[0]));
  await changeSettings(latchkey, { maxOrganizationMembers: 1_000 });
  assert.equal(open.length, ROOM);
  for (const response of responses.filter(({ status }) => status !== 200)) expectLimit(response, 'members');
  assert.equal(again.status, 200, 'one that is open has its place already');
});

test('docs/organizations.md lists every limit; UPDATE_DOCS=1 writes the tables', async () => {
  const limits = Object.entries(organizationLimits).map(([name, limit]) => {
    const max = typeof limit.max === 'number' ? limit.max.toLocaleString('en') : `setting \`${limit.max}\``;
    const counting = 'counting' in limit ? `. ${limit.counting.replace(/\.$/, '')}` : '';
    return `| \`${name}\` | ${OWNERS[limit.whose]} | ${limit.what}${counting} | ${max} |`;
  });
  const often = Object.entries(rates).map(
    ([name, { points, seconds, what }]) => `| \`${name}\` | ${what} | ${points} in ${seconds / 60} min |`,
  );
  const tables = [
    ...['', '| `limitOf` | of | what counts | up to |', '| --- | --- | --- | --- |', ...limits, ''],
    ...['| rate | what counts | up to |', '| --- | --- | --- |', ...often, '', ''],
  ].join('\n');
  const page = await readFile(PAGE, 'utf8');
  const written = page.replace(TABLE, () => tables);
  if (process.env['UPDATE_DOCS']) await writeFile(PAGE, written);
  assert.ok(page.includes(tables), 'run again with UPDATE_DOCS=1 and look at the difference');
});
