import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  managementToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { expectRefusal, newDirectory, SCIM_USER, type TestDirectory } from '#tests/scim.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

/** Filters with strings that JSON does not have, or that PostgreSQL cannot store. */
const NO_STRINGS = ['"\\x"', '"\\"', '"a\nb"', "'a'", '"\\u0000"', '"\\ud800"', '"a" "b"'].map(
  (text) => `title eq ${text}`,
);
const memberships = async ({
  organizationId,
  admin,
}: TestDirectory): Promise<{ userId: string; email: string; roles: string[] }[]> =>
  (await admin(`organizations/${organizationId}/members`)).body.items;
const logOf = async ({ organizationId, admin }: TestDirectory, filter = '') =>
  (await admin(`organizations/${organizationId}/scim/log${filter}`)).body.items;

describe('a person of a directory', () => {
  test('becomes a member with an unverified account, is found, changed and deleted', async () => {
    const directory = await newDirectory(latchkey);
    const email = newEmail();
    const created = await directory.scim('POST', '/Users', {
      userName: email.toUpperCase(),
      externalId: 'e-1',
      name: { givenName: 'Ada', familyName: 'Byron' },
      password: PASSWORD,
      unknown: 1,
    });
    assert.equal(created.status, 201, created.text);
    const { id, meta } = created.body;
    assert.equal(created.headers.get('location'), meta.location);
    assert.equal(created.headers.get('etag'), 'W/"1"');
    assert.deepEqual([created.body.active, created.body.password, created.body.unknown], [true, undefined, undefined]);
    const [member] = await memberships(directory);
    assert.deepEqual([member?.email, member?.roles], [email, []]);
    const found = (filter: string) => directory.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    for (const filter of [
      `userName eq "${email}"`,
      'externalId eq "e-1"',
      'name.familyName sw "BYR" and active eq true',
      `id eq "${id}" and meta.created gt "2020-01-01T00:00:00Z"`,
      'not (title pr) and (name.givenName co "d" or title eq "x")',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other shows which filter fails
      const { body } = await found(filter);
      assert.deepEqual([body.totalResults, body.Resources[0]?.id], [1, id], filter);
    }
    assert.equal((await found('externalId eq "E-1"')).body.totalResults, 0, 'external ids have a case');
    assert.equal((await found('title pr')).body.totalResults, 0);
    const changed = await directory.patch(`/Users/${id}`, {
      op: 'replace',
      value: { title: 'Countess', displayName: 'Ada K' },
    });
    assert.equal(changed.headers.get('etag'), 'W/"2"');
    const { items } = (await directory.admin(`members?q=${encodeURIComponent(email)}`)).body;
    assert.deepEqual([items[0].displayName, items[0].emailVerified], ['Ada K', false]);
    assert.equal((await directory.scim('DELETE', `/Users/${id}`)).status, 204);
    expectRefusal(await directory.scim('GET', `/Users/${id}`), 404);
    assert.deepEqual(await memberships(directory), []);
    expectProblem(await directory.admin(`members/${items[0].id}`), 404, 'NOT_FOUND');
    const log = await logOf(directory);
    assert.deepEqual(
      log.map(({ action, outcome }: { action: string; outcome: string }) => `${action} ${outcome}`),
      ['delete applied', 'change applied', 'create applied'],
    );
    assert.deepEqual(log[1].changes, ['displayName', 'title']);
  });

  test('who is deactivated is out of the organization at once, and back with the roles of the groups when activated', async () => {
    const directory = await newDirectory(latchkey);
    const { organizationId, admin } = directory;
    const person = await register(latchkey);
    const [member] = (await admin(`members?q=${encodeURIComponent(person.email)}`)).body.items;
    await admin(`organizations/${organizationId}/members`, { body: { memberId: member.id } });
    const id = await directory.addUser(person.email);
    const groupId = await directory.addGroup('Owners', [id]);
    await admin(`organizations/${organizationId}/scim/groups/${groupId}/roles`, {
      method: 'PUT',
      body: { roles: ['owner'] },
    });
    const { workspaceId, projectId } = person.session;
    const body = { workspaceId, projectId, environment: 'test', organizationId };
    const inside = await latchkey.auth('/v1/sessions/switch-context', { token: person.access_token, body });
    const context = (token: string) => latchkey.api('/v1/me/context', { token });
    assert.equal((await context(inside.body.access_token)).status, 200, inside.text);
    assert.equal(
      (await directory.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })).status,
      200,
    );
    expectProblem(await context(inside.body.access_token), 401, 'SESSION_REVOKED');
    assert.equal((await context(person.access_token)).status, 200, 'the session is the person’s own');
    assert.deepEqual(await memberships(directory), []);
    assert.equal(
      (await admin(`members/${member.id}`)).body.status,
      'active',
      'the directory does not manage this account',
    );
    await directory.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    assert.deepEqual(
      (await memberships(directory)).map(({ roles }) => roles),
      [['owner']],
    );
  });

  test('whose account the directory created is blocked while deactivated', async () => {
    const directory = await newDirectory(latchkey);
    const email = newEmail();
    const id = await directory.addUser(email);
    const member = async () => (await directory.admin(`members?q=${encodeURIComponent(email)}`)).body.items[0];
    await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    assert.equal((await member()).status, 'blocked');
    await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    assert.equal((await member()).status, 'active');
  });

  test('of another organization keeps the account, whatever the directory sends', async () => {
    const [first, second] = [await newDirectory(latchkey), await newDirectory(latchkey)];
    const email = newEmail();
    const id = await first.addUser(email, { displayName: 'Ada' });
    expectRefusal(await second.scim('POST', '/Users', { userName: email }), 409, 'uniqueness');
    const [member] = (await first.admin(`members?q=${encodeURIComponent(email)}`)).body.items;
    await second.admin(`organizations/${second.organizationId}/members`, { body: { memberId: member.id } });
    const there = await second.addUser(email, { displayName: 'Eve' });
    for (const [directory, of] of [
      [first, id],
      [second, there],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one directory after the other
      await directory.patch(`/Users/${of}`, {
        op: 'replace',
        value: { displayName: 'Mallory', emails: [{ value: newEmail() }] },
      });
    }
    const now = (await first.admin(`members/${member.id}`)).body;
    assert.deepEqual([now.email, now.displayName], [email, 'Ada']);
    await second.scim('DELETE', `/Users/${there}`);
    assert.equal((await first.admin(`members/${member.id}`)).body.status, 'active');
    assert.equal((await memberships(first)).length, 1);
  });
});

describe('groups', () => {
  test('give and take roles with their members, and never those given by hand', async () => {
    const directory = await newDirectory(latchkey);
    const { organizationId, admin } = directory;
    await admin('organization-roles', { body: { key: 'billing', name: 'Billing', permissions: [] } });
    const [ada, eve] = [await directory.addUser(newEmail()), await directory.addUser(newEmail())];
    const groupId = await directory.addGroup('Finance', [ada]);
    const roles = (keys: string[]) =>
      admin(`organizations/${organizationId}/scim/groups/${groupId}/roles`, { method: 'PUT', body: { roles: keys } });
    const held = async () => (await memberships(directory)).map((member) => member.roles).sort();
    const mapped = await roles(['billing']);
    assert.deepEqual([mapped.body.name, mapped.body.memberCount, mapped.body.roles], ['Finance', 1, ['billing']]);
    assert.deepEqual(await held(), [[], ['billing']]);
    await directory.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: eve }] });
    assert.deepEqual(await held(), [['billing'], ['billing']]);
    await directory.patch(`/Groups/${groupId}`, { op: 'remove', path: `members[value eq "${ada}"]` });
    assert.deepEqual(await held(), [[], ['billing']]);
    const { body } = await directory.scim('GET', `/Users/${eve}`);
    assert.deepEqual(
      body.groups.map(({ display }: { display: string }) => display),
      ['Finance'],
    );
    assert.equal((await directory.scim('DELETE', `/Groups/${groupId}`)).status, 204);
    assert.deepEqual(await held(), [[], []]);
    expectProblem(await roles(['billing']), 404, 'NOT_FOUND');
  });

  test('leave a member a role that an administrator had given before', async () => {
    const directory = await newDirectory(latchkey);
    const { organizationId, admin } = directory;
    await admin('organization-roles', { body: { key: 'accounts', name: 'Accounts', permissions: [] } });
    const ada = await directory.addUser(newEmail());
    const [{ memberId }] = (await admin(`organizations/${organizationId}/members`)).body.items;
    const roles = { method: 'PUT', body: { roles: ['accounts'] } };
    await admin(`organizations/${organizationId}/members/${memberId}/roles`, roles);
    const groupId = await directory.addGroup('Accounting', [ada]);
    await admin(`organizations/${organizationId}/scim/groups/${groupId}/roles`, roles);
    await directory.patch(`/Groups/${groupId}`, { op: 'remove', path: `members[value eq "${ada}"]` });
    assert.deepEqual(
      (await memberships(directory)).map((member) => member.roles),
      [['accounts']],
    );
    await admin(`organizations/${organizationId}/members/${memberId}/roles`, { method: 'PUT', body: { roles: [] } });
    const refused = await admin('organization-roles/accounts', { method: 'DELETE' });
    expectProblem(refused, 409, 'CONFLICT');
    assert.match(refused.body.detail, /given in organizations to groups of directories\./);
  });

  test('an unknown member, a taken name and an unknown role are refused', async () => {
    const directory = await newDirectory(latchkey);
    const other = await newDirectory(latchkey);
    const stranger = await other.addUser(newEmail());
    const groupId = await directory.addGroup('Finance');
    expectRefusal(
      await directory.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: stranger }] }),
      400,
      'invalidValue',
    );
    expectRefusal(await directory.scim('POST', '/Groups', { displayName: 'FINANCE' }), 409, 'uniqueness');
    const path = `organizations/${directory.organizationId}/scim/groups/${groupId}/roles`;
    expectProblem(
      await directory.admin(path, { method: 'PUT', body: { roles: ['absent'] } }),
      400,
      'VALIDATION_FAILED',
    );
    const [refused] = await logOf(directory, '?outcome=refused');
    assert.deepEqual([refused.action, refused.name], ['create', 'FINANCE']);
    assert.match(refused.detail, /Another group/);
  });
});

describe('requests of a directory', () => {
  test('need the token of their own organization, project and environment', async () => {
    const directory = await newDirectory(latchkey);
    const id = await directory.addUser(newEmail());
    const other = await newDirectory(latchkey);
    expectRefusal(await other.scim('GET', `/Users/${id}`), 404);
    expectRefusal(await other.scim('DELETE', `/Users/${id}`), 404);
    assert.equal((await other.scim('GET', '/Users')).body.totalResults, 0);
    const management = await managementToken(latchkey);
    for (const token of [undefined, 'x', `${directory.token}x`, management]) {
      // biome-ignore lint/performance/noAwaitInLoops: one token after the other
      expectRefusal(await latchkey.api('/scim/v2/Users', token === undefined ? {} : { token }), 401);
    }
    expectRefusal(await latchkey.api('/scim/v2/Users', { token: directory.token }, 'production'), 401);
    const { items } = (await directory.admin(`organizations/${directory.organizationId}/scim/tokens`)).body;
    assert.ok(items[0].lastUsedAt);
    await directory.admin(`organizations/${directory.organizationId}/scim/tokens/${items[0].id}`, { method: 'DELETE' });
    expectRefusal(await directory.scim('GET', '/Users'), 401);
  });

  test('with a version change nothing that has changed since', async () => {
    const directory = await newDirectory(latchkey);
    const id = await directory.addUser(newEmail());
    const put = (title: string, version: string) =>
      directory.scim('PUT', `/Users/${id}`, { userName: 'ada', title }, { 'if-match': version });
    const responses = await Promise.all([put('a', 'W/"1"'), put('b', 'W/"1"'), put('c', 'W/"1"')]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412, 412]);
    const unchanged = await directory.scim('GET', `/Users/${id}`, undefined, { 'if-none-match': 'W/"2"' });
    assert.equal(unchanged.status, 304);
  });

  test('list in pages and in order, with the wanted attributes only', async () => {
    const directory = await newDirectory(latchkey);
    for (const name of ['cid', 'ada', 'bob']) {
      // biome-ignore lint/performance/noAwaitInLoops: in this order
      await directory.addUser(name, { title: `T-${name}`, name: { givenName: name, familyName: 'X' } });
    }
    const list = async (query: string) => (await directory.scim('GET', `/Users?${query}`)).body;
    const names = ({ Resources: found }: { Resources: { userName: string }[] }) =>
      found.map(({ userName }) => userName);
    assert.deepEqual(names(await list('sortBy=userName')), ['ada', 'bob', 'cid']);
    assert.deepEqual(names(await list('sortBy=title&sortOrder=descending&startIndex=2&count=1')), ['bob']);
    const counted = await list('count=0');
    assert.deepEqual([counted.totalResults, counted.Resources], [3, []]);
    assert.deepEqual(names(await list('startIndex=9')), []);
    const [only] = (await list('sortBy=userName&attributes=title,name.givenName')).Resources;
    const { id, schemas, ...rest } = only;
    assert.ok(id && schemas);
    assert.deepEqual(rest, { userName: 'ada', title: 'T-ada', name: { givenName: 'ada' } });
    const [without] = (await list('excludedAttributes=userName,name.familyName,meta&sortBy=userName')).Resources;
    assert.deepEqual([without.userName, without.name, without.meta], ['ada', { givenName: 'ada' }, undefined]);
    const search = { filter: 'userName sw "b"', count: 10 };
    assert.deepEqual(names((await directory.scim('POST', '/Users/.search', search)).body), ['bob']);
    assert.deepEqual(names((await directory.scim('POST', '/.search', search)).body), ['bob']);
    for (const filter of [
      'userName eq',
      'nickname2 eq "x"',
      `userName eq "${'x'.repeat(3_000)}"`,
      'active gt true',
      ...NO_STRINGS,
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one filter after the other
      expectRefusal(await directory.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`), 400, 'invalidFilter');
    }
  });

  test('text in a filter is text, whatever characters it has', async () => {
    const directory = await newDirectory(latchkey);
    const titles = [`a"b.*$ ' ) || true || (`, 'axc', 'C:\\new\\', 'C:\new\\', '\\"', 'tab\tÄ 😀'];
    const ids: string[] = [];
    for (const [index, title] of titles.entries()) {
      // biome-ignore lint/performance/noAwaitInLoops: in this order
      ids.push(await directory.addUser(`user-${index}`, { title, externalId: title }));
    }
    const found = async (filter: string): Promise<string[]> =>
      (await directory.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body.Resources.map(
        (user: { id: string }) => user.id,
      );
    const filters = titles.flatMap((title, index) => {
      const text = JSON.stringify(title);
      return [`title eq ${text}`, `externalId eq ${text}`, `title sw ${text} and title ew ${text}`].map(
        (filter) => [filter, ids[index]] as const,
      );
    });
    for (const [filter, id] of filters) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other shows which filter fails
      assert.deepEqual(await found(filter), [id], filter);
    }
    assert.deepEqual(await found('title eq "a.c"'), []);
    assert.deepEqual(await found('title eq "\\u0061x\\u0063"'), [ids[1]], 'escapes are those of JSON');
    assert.deepEqual(new Set(await found('title co "\\\\"')), new Set([ids[2], ids[3], ids[4]]));
  });

  test('BI-1 with a body that cannot be stored are refused, in either media type', async () => {
    const directory = await newDirectory(latchkey);
    const user = (displayName: string) =>
      `{"schemas":["${SCIM_USER}"],"userName":"${newEmail()}","displayName":${displayName}}`;
    const bodies = [
      user('"a\\u0000b"'),
      user('"a\0b"'),
      user('"\\ud800"'),
      user('1e999'),
      user('['.repeat(20_000) + ']'.repeat(20_000)),
      Buffer.concat([Buffer.from(user('"a').slice(0, -1)), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      '{"__proto__":{}}',
      '{"userName":',
    ];
    for (const type of ['application/scim+json', 'application/json'])
      for (const [index, body] of bodies.entries()) {
        const init = { token: directory.token, body, headers: { 'content-type': type } };
        // biome-ignore lint/performance/noAwaitInLoops: one after the other shows which body fails
        const response = await latchkey.api('/scim/v2/Users', init);
        assert.equal(response.status, 400, `${type} ${index} ${response.text}`);
      }
    assert.deepEqual(await memberships(directory), []);
  });

  test('in bulk refer to each other, and go on after a failure', async () => {
    const directory = await newDirectory(latchkey);
    const operations = [
      { method: 'POST', path: '/Users', bulkId: 'u', data: { userName: 'ada' } },
      { method: 'POST', path: '/Users', bulkId: 'v', data: { title: 'nobody' } },
      { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: 'G', members: [{ value: 'bulkId:u' }] } },
      { method: 'PATCH', path: '/Users/bulkId:u', data: { Operations: [{ op: 'add', path: 'title', value: 'Dr' }] } },
      { method: 'GET', path: '/Users' },
    ];
    const refusedAsAWhole = await directory.scim('POST', '/Bulk', { Operations: operations });
    expectRefusal(refusedAsAWhole, 400, 'invalidSyntax');
    const { body } = await directory.scim('POST', '/Bulk', { Operations: operations.slice(0, 4) });
    const statuses = body.Operations.map(({ status }: { status: string }) => status);
    assert.deepEqual(statuses, ['201', '400', '201', '200']);
    assert.equal(body.Operations[1].response.scimType, 'invalidValue');
    const stopped = await directory.scim('POST', '/Bulk', { failOnErrors: 1, Operations: operations.slice(1, 4) });
    assert.equal(stopped.body.Operations.length, 1);
    const [user] = (await directory.scim('GET', '/Users?filter=title%20eq%20%22Dr%22')).body.Resources;
    assert.equal(user.groups[0].display, 'G');
  });

  test('are discovered by their schemas, and errors have their format', async () => {
    const directory = await newDirectory(latchkey);
    const config = (await directory.scim('GET', '/ServiceProviderConfig')).body;
    assert.deepEqual([config.patch.supported, config.bulk.supported, config.etag.supported], [true, true, true]);
    const { Resources: schemas } = (await directory.scim('GET', '/Schemas')).body;
    assert.equal(schemas.length, 3);
    assert.deepEqual((await directory.scim('GET', `/Schemas/${schemas[0].id}`)).body, schemas[0]);
    expectRefusal(await directory.scim('GET', '/Nothing'), 404);
    expectRefusal(await directory.scim('GET', '/Me'), 501);
    const typed = await directory.scim(
      'POST',
      '/Users',
      { userName: 'typed' },
      { 'content-type': 'application/scim+json' },
    );
    assert.equal(typed.status, 201, typed.text);
  });
});
