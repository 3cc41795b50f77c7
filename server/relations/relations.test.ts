import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Drive, startDrive } from '#tests/relations.ts';
import { startSecondProcess } from '#tests/second-process.ts';

let latchkey: TestLatchkey;
let drive: Drive;
before(async () => {
  latchkey = await startTestLatchkey();
  drive = await startDrive(latchkey);
});
after(() => latchkey.stop());

const READ = 'permission=documents:read';

describe('changes of relations', () => {
  test('are idempotent, are told in one event, and are seen by the next check', async () => {
    const { subject, userId } = await drive.person();
    const relation = { resource: 'document:event', relation: 'viewer', subject };
    const write = () => drive.call('/relations', 'POST', { write: [relation] });
    assert.deepEqual((await write()).body, { written: 1, deleted: 0 });
    assert.equal((await drive.check(userId, 'document:event')).allowed, true);
    assert.deepEqual((await write()).body, { written: 0, deleted: 0 });
    const remove = () => drive.call('/relations', 'POST', { delete: [relation] });
    assert.deepEqual((await remove()).body, { written: 0, deleted: 1 });
    assert.deepEqual((await remove()).body, { written: 0, deleted: 0 });
    const { rows } = await latchkey.system.pool.query(
      `select data from events where type = 'resource_relations.changed' and data::text like '%document:event%' order by id`,
    );
    assert.deepEqual(
      rows.map(({ data }) => data),
      [
        { written: 1, deleted: 0, relationsWritten: [relation], relationsDeleted: [] },
        { written: 0, deleted: 1, relationsWritten: [], relationsDeleted: [relation] },
      ],
    );
  });

  test('are seen at once by another process', async () => {
    const { subject, userId } = await drive.person();
    const second = await startSecondProcess(latchkey);
    const listed = async () => {
      const path = `/v1/admin/authorization/resources?userId=${userId}&type=document&${READ}`;
      const { items }: { items: { id: string }[] } = Object(await (await second.api(path, drive.token)).json());
      return items.map(({ id }) => id);
    };
    assert.deepEqual(await listed(), []);
    await drive.write(['document:elsewhere', 'viewer', subject]);
    assert.deepEqual(await listed(), ['elsewhere']);
    await drive.remove(['document:elsewhere', 'viewer', subject]);
    assert.deepEqual(await listed(), []);
    await second.stop();
  });

  test('are made all or none', async () => {
    const { subject } = await drive.person();
    const response = await drive.write(['document:atomic', 'viewer', subject], ['document:atomic', 'captain', subject]);
    expectProblem(response, 400, 'VALIDATION_FAILED');
    assert.deepEqual(response.body.errors, [
      { pointer: '/body/write/1/relation', message: '"captain" is no relation of the type "document"' },
    ]);
    assert.deepEqual((await drive.call('/relations?resource=document:atomic')).body.items, []);
  });

  test('refuse what has no meaning', async () => {
    const { subject } = await drive.person();
    const organization = `organization:${await drive.organization()}`;
    const refused: [string, string, string][] = [
      ['ship:1', 'viewer', subject],
      ['document:1', 'viewer', 'user:usr_1'],
      ['document:1', 'viewer', 'user:usr_01kaz3w9hqf8p9n2m4v5x6y7z8'],
      ['document:1', 'viewer', 'organization:org_01kaz3w9hqf8p9n2m4v5x6y7z8'],
      ['document:1', 'viewer', 'group:scg_01kaz3w9hqf8p9n2m4v5x6y7z8'],
      ['document:1', 'viewer', `${organization}#captain`],
      ['document:1', 'viewer', `${organization}#reader#reader`],
      ['document:1', 'viewer', 'folder:1'],
      ['document:1', 'parent', 'document:2'],
      ['document:1', 'parent', subject],
      ['document:1', 'organization', subject],
      ['document:1', 'organization', `${organization}#reader`],
      ['document:a b', 'viewer', subject],
      ['document:\u0000', 'viewer', subject],
      ['document:é', 'viewer', subject],
      [`document:${'x'.repeat(201)}`, 'viewer', subject],
    ];
    for (const relation of refused) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await drive.write(relation), 400, 'VALIDATION_FAILED');
    }
    expectProblem(
      await drive.write(['document:1', 'viewer', subject], ['document:1', 'viewer', subject]),
      400,
      'VALIDATION_FAILED',
    );
    const past = { resource: 'document:1', relation: 'viewer', subject, expiresAt: '2020-01-01T00:00:00Z' };
    expectProblem(await drive.call('/relations', 'POST', { write: [past] }), 400, 'VALIDATION_FAILED');
    const huge = { resource: `document:${'x'.repeat(1_100_000)}`, relation: 'viewer', subject };
    const { status } = await drive.call('/relations', 'POST', { write: [huge] });
    assert.ok(status === 413 || status === 400, `${status}`);
  });

  test('keep ids with odd characters apart', async () => {
    const { subject, userId } = await drive.person();
    const ids = ["'; drop table members; --", 'a:b', 'a%', 'a_', '{"a":1}', '\\', '#', 'A', 'a'].map((id) =>
      id.replaceAll(' ', '+'),
    );
    for (const id of ids) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await drive.write([`document:${id}`, 'viewer', subject])).status, 200);
      assert.deepEqual((await drive.check(userId, `document:${id}`)).becauseOfRelations[0].resource, `document:${id}`);
    }
    assert.equal((await drive.check(userId, 'document:b')).allowed, false);
    const { body } = await drive.call(`/resources?userId=${userId}&type=document&${READ}`);
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      ids.toSorted(),
    );
    await drive.write(['document:below', 'parent', 'folder:a:b'], ['folder:a:b', 'viewer', subject]);
    assert.equal((await drive.check(userId, 'document:below')).allowed, true);
  });

  test('many at once of the same relations leave each once, and none deadlocks', async () => {
    const people = [await drive.person(), await drive.person()];
    const relations = people.flatMap(({ subject }) =>
      ['document:race-1', 'document:race-2'].map((resource): [string, string, string] => [resource, 'viewer', subject]),
    );
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const order = index % 2 === 0 ? relations : relations.toReversed();
        return index % 4 < 2 ? drive.write(...order) : drive.remove(...order);
      }),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      responses.map(() => 200),
    );
    await drive.write(...relations);
    const { rows } = await latchkey.system.pool.query(
      `select resource_id from resource_relations where resource_id like 'race-%'`,
    );
    assert.equal(rows.length, 4);
  });

  test('end at `maxRelations`', async () => {
    const { subject } = await drive.person();
    const { rows } = await latchkey.system.pool.query(
      'select count(*)::int as count from resource_relations where workspace_id = $1',
      [latchkey.demo.workspaceId],
    );
    const setTo = (maxRelations: number) => drive.call('/v1/admin/settings', 'PATCH', { maxRelations });
    assert.equal((await setTo(rows[0].count + 1)).status, 200);
    assert.equal((await drive.write(['document:max-1', 'viewer', subject])).status, 200);
    const refused = await drive.write(['document:max-2', 'viewer', subject]);
    expectProblem(refused, 409, 'CONFLICT');
    assert.deepEqual([refused.body.limit, refused.body.current], [rows[0].count + 1, rows[0].count + 1]);
    await setTo(1_000_000);
  });
});

describe('lists', () => {
  test('of relations: by resource, by subject and by type, page by page', async () => {
    const { subject } = await drive.person();
    const resources = ['document:list-1', 'document:list-2', 'document:list-3'];
    await drive.write(...resources.map((resource): [string, string, string] => [resource, 'viewer', subject]));
    const first = (await drive.call(`/relations?subject=${subject}&limit=2`)).body;
    const second = (await drive.call(`/relations?subject=${subject}&limit=2&cursor=${first.nextCursor}`)).body;
    assert.deepEqual(
      [...first.items, ...second.items].map(({ resource }) => resource),
      resources,
    );
    assert.equal(second.nextCursor, null);
    const listed = async (query: string) => (await drive.call(`/relations?${query}`)).body.items.length;
    assert.equal(await listed('resource=document:list-1'), 1);
    assert.equal(await listed(`resource=document:list-1&relation=editor`), 0);
    assert.equal(await listed(`type=folder&subject=${subject}`), 0);
    expectProblem(await drive.call('/relations?relation=viewer'), 400, 'VALIDATION_FAILED');
    expectProblem(await drive.call(`/relations?limit=2&cursor=${first.nextCursor}`), 400, 'INVALID_CURSOR');
  });

  test('of resources: by relations, organizations and parents, page by page, as checks say', async () => {
    const ana = await drive.person();
    const acme = await drive.organization({ [ana.memberId]: ['reader'] });
    await drive.write(
      ['document:r-1', 'viewer', ana.subject],
      ['folder:r-top', 'viewer', ana.subject],
      ['folder:r-mid', 'parent', 'folder:r-top'],
      ['folder:r-top', 'parent', 'folder:r-mid'],
      ['document:r-2', 'parent', 'folder:r-mid'],
      ['document:r-1', 'parent', 'folder:r-mid'],
      ['document:r-3', 'viewer', `organization:${acme}`],
      ['folder:r-acme', 'organization', `organization:${acme}`],
      ['document:r-4', 'parent', 'folder:r-acme'],
      ['document:r-5', 'organization', `organization:${await drive.organization()}`],
    );
    const expected = ['document:r-1', 'document:r-2', 'document:r-3', 'document:r-4'];
    const pages: string[] = [];
    let cursor = '';
    do {
      // biome-ignore lint/performance/noAwaitInLoops: page by page
      const { body } = await drive.call(`/resources?userId=${ana.userId}&type=document&${READ}&limit=3${cursor}`);
      pages.push(...body.items.map(({ resource }: { resource: string }) => resource));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    assert.deepEqual(pages, expected);
    for (const resource of [...expected, 'document:r-5']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await drive.check(ana.userId, resource)).allowed, expected.includes(resource), resource);
    }
    const folders = await drive.call(`/resources?userId=${ana.userId}&type=folder&${READ}`);
    assert.deepEqual(
      folders.body.items.map(({ id }: { id: string }) => id),
      ['r-acme', 'r-mid', 'r-top'],
    );
    await drive.call(`/v1/admin/members/${ana.memberId}/roles`, 'PUT', { roles: ['owner'] });
    const owner = await drive.call(`/resources?userId=${ana.userId}&type=document&${READ}`);
    assert.deepEqual(owner.body, { items: [], nextCursor: null, everything: true });
  });

  test('of subjects: who may, by which relation to which resource', async () => {
    const [ana, ben] = [await drive.person(), await drive.person()];
    const acme = `organization:${await drive.organization()}`;
    await drive.write(
      ['document:who', 'editor', ana.subject],
      ['document:who', 'parent', 'folder:who'],
      ['folder:who', 'owner', ben.subject],
      ['folder:who', 'organization', acme],
      ['folder:who', 'viewer', `${acme}#reader`],
    );
    const read = async (query: string) => (await drive.call(`/subjects?resource=document:who&${query}`)).body;
    const expected = [
      { subject: acme, relation: 'organization', resource: 'folder:who', roles: ['reader'] },
      { subject: `${acme}#reader`, relation: 'viewer', resource: 'folder:who', roles: null },
      { subject: ana.subject, relation: 'editor', resource: 'document:who', roles: null },
      { subject: ben.subject, relation: 'owner', resource: 'folder:who', roles: null },
    ].toSorted((one, other) => (one.subject < other.subject ? -1 : 1));
    assert.deepEqual((await read(READ)).items, expected);
    const first = await read(`${READ}&limit=3`);
    const second = await read(`${READ}&limit=3&cursor=${first.nextCursor}`);
    assert.deepEqual([...first.items, ...second.items], expected);
    const writers = (await read('permission=documents:write')).items.map((item: { subject: string }) => item.subject);
    assert.deepEqual(writers, [ana.subject, ben.subject].toSorted());
    await drive.call(`/v1/admin/members/${ben.memberId}/block`, 'POST');
    assert.equal((await read(READ)).items.length, 3);
  });
});

test('relations go with the organization, the role and the group that they name', async () => {
  const { memberId } = await drive.person();
  const acme = await drive.organization({ [memberId]: [] });
  const role = { key: 'guest', name: 'Guest', permissions: [] };
  await drive.call('/v1/admin/organization-roles', 'POST', role);
  const { status } = await drive.write(
    ['document:gone', 'viewer', `organization:${acme}`],
    ['document:gone', 'viewer', `organization:${acme}#guest`],
    ['document:gone', 'viewer', `organization:${acme}#owner`],
  );
  assert.equal(status, 200);
  const left = async () => (await drive.call('/relations?resource=document:gone')).body.items.length;
  assert.equal((await drive.call('/v1/admin/organization-roles/guest', 'DELETE')).status, 204);
  assert.equal(await left(), 2);
  assert.equal((await drive.call(`/v1/admin/organizations/${acme}`, 'DELETE')).status, 204);
  assert.equal(await left(), 0);
});

test('the export of a person lists their relations', async () => {
  const { subject, token } = await drive.person();
  await drive.write(['document:export', 'viewer', subject]);
  const { body } = await drive.call('/v1/me/profile/export', 'GET', undefined, token);
  assert.deepEqual(
    body.relations.map(({ resource, relation }: { resource: string; relation: string }) => [resource, relation]),
    [['document:export', 'viewer']],
  );
});
