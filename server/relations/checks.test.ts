import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Drive, startDrive } from '#tests/relations.ts';
import { newDirectory } from '#tests/scim.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const NO_PATHS = { because: [], becauseInOrganizations: [], becauseOfRelations: [] };

let latchkey: TestLatchkey;
let drive: Drive;
before(async () => {
  latchkey = await startTestLatchkey();
  drive = await startDrive(latchkey);
});
after(() => latchkey.stop());

let made = 0;
/** A new resource. */
const next = (type: string) => {
  made += 1;
  return `${type}:${made}`;
};

async function expectChanged(changing: ReturnType<Drive['write']>): Promise<void> {
  const { status, text } = await changing;
  assert.equal(status, 200, text);
}

describe('a check on a resource', () => {
  test('a relation gives the permissions of its type to its subject alone, and says so', async () => {
    const [ana, ben] = [await drive.person(), await drive.person()];
    const document = next('document');
    assert.deepEqual(await drive.check(ana.userId, document), { allowed: false, ...NO_PATHS, denial: 'not_granted' });
    await expectChanged(drive.write([document, 'viewer', ana.subject]));
    assert.deepEqual(await drive.check(ana.userId, document), {
      ...NO_PATHS,
      allowed: true,
      becauseOfRelations: [{ subject: ana.subject, relation: 'viewer', resource: document, through: [] }],
      denial: null,
    });
    assert.equal((await drive.check(ana.userId, document, { permission: 'documents:write' })).denial, 'not_granted');
    assert.equal((await drive.check(ben.userId, document)).denial, 'not_granted');
    assert.equal((await drive.check(ana.userId)).denial, 'not_granted', 'it gives nothing in the project');
    await expectChanged(drive.remove([document, 'viewer', ana.subject]));
    assert.equal((await drive.check(ana.userId, document)).allowed, false);
  });

  test('a relation to a folder is inherited as the type says, through every folder between', async () => {
    const ana = await drive.person();
    const [root, middle, leaf, document] = [next('folder'), next('folder'), next('folder'), next('document')];
    await expectChanged(
      drive.write(
        [document, 'parent', leaf],
        [leaf, 'parent', middle],
        [middle, 'parent', root],
        [root, 'owner', ana.subject],
      ),
    );
    const write = await drive.check(ana.userId, document, { permission: 'documents:write' });
    assert.deepEqual(write.becauseOfRelations, [
      { subject: ana.subject, relation: 'owner', resource: root, through: [document, leaf, middle] },
    ]);
    await expectChanged(drive.remove([middle, 'parent', root]));
    assert.equal((await drive.check(ana.userId, document)).allowed, false);
  });

  test('a relation of an organization, or of a role in it, gives to its members while they are in it', async () => {
    const [ana, ben] = [await drive.person(), await drive.person()];
    const organizationId = await drive.organization({ [ana.memberId]: [], [ben.memberId]: ['reader'] });
    const [forAll, forReaders] = [next('document'), next('document')];
    const [all, readers] = [`organization:${organizationId}`, `organization:${organizationId}#reader`];
    await expectChanged(drive.write([forAll, 'editor', all], [forReaders, 'editor', readers]));
    assert.equal((await drive.check(ana.userId, forAll)).becauseOfRelations[0].subject, all);
    assert.equal((await drive.check(ben.userId, forReaders)).becauseOfRelations[0].subject, readers);
    assert.equal((await drive.check(ana.userId, forReaders)).allowed, false);
    const path = `/v1/admin/organizations/${organizationId}`;
    await drive.call(`${path}/block`, 'POST');
    assert.equal((await drive.check(ana.userId, forAll)).allowed, false);
    await drive.call(`${path}/unblock`, 'POST');
    assert.equal((await drive.check(ana.userId, forAll)).allowed, true);
    assert.equal((await drive.call(`${path}/members/${ana.memberId}`, 'DELETE')).status, 204);
    assert.equal((await drive.check(ana.userId, forAll)).allowed, false, 'a former member');
  });

  test('a relation of a group gives to its members while their directory keeps them active, and goes with it', async () => {
    const directory = await newDirectory(latchkey);
    const eve = await directory.addUser('eve@engineers.example', { emails: [{ value: 'eve@engineers.example' }] });
    const groupId = await directory.addGroup('Engineers', [eve]);
    const { body } = await drive.call(`/v1/admin/organizations/${directory.organizationId}/members`);
    const [{ userId }] = body.items;
    const document = next('document');
    await expectChanged(drive.write([document, 'viewer', `group:${groupId}`]));
    const found = [{ subject: `group:${groupId}`, relation: 'viewer', resource: document, through: [] }];
    assert.deepEqual((await drive.check(userId, document)).becauseOfRelations, found);
    await directory.patch(`/Groups/${groupId}`, { op: 'remove', path: 'members' });
    assert.equal((await drive.check(userId, document)).denial, 'not_granted');
    await directory.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: eve }] });
    assert.equal((await drive.check(userId, document)).allowed, true);
    await directory.patch(`/Users/${eve}`, { op: 'replace', path: 'active', value: false });
    assert.equal((await drive.check(userId, document)).allowed, false);
    assert.equal((await directory.scim('DELETE', `/Groups/${groupId}`)).status, 204);
    assert.deepEqual((await drive.call(`/relations?resource=${document}`)).body.items, []);
  });

  test('a role in an organization grants on what belongs to the organization, and on nothing else', async () => {
    const ana = await drive.person();
    const [acme, globex] = [
      await drive.organization({ [ana.memberId]: ['reader'] }),
      await drive.organization({ [ana.memberId]: [] }),
    ];
    const foreign = await drive.organization();
    const [folder, ofAcme, ofGlobex, ofNobody] = [next('folder'), next('document'), next('document'), next('document')];
    await expectChanged(
      drive.write(
        [folder, 'organization', `organization:${acme}`],
        [ofAcme, 'parent', folder],
        [ofGlobex, 'organization', `organization:${globex}`],
      ),
    );
    assert.deepEqual((await drive.check(ana.userId, ofAcme)).becauseInOrganizations, [
      { organizationId: acme, name: 'Acme', role: 'reader', resource: folder, through: [ofAcme] },
    ]);
    assert.deepEqual((await drive.check(ana.userId, undefined, { organizationId: acme })).becauseInOrganizations, [
      { organizationId: acme, name: 'Acme', role: 'reader', resource: null, through: [] },
    ]);
    for (const [resource, organizationId, denial] of [
      [ofGlobex, undefined, 'not_granted'],
      [ofNobody, undefined, 'not_granted'],
      [ofNobody, acme, 'not_granted'],
      [ofAcme, globex, 'not_granted'],
      [undefined, globex, 'not_granted'],
      [undefined, foreign, 'not_in_organization'],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const check = await drive.check(ana.userId, resource, { ...(organizationId && { organizationId }) });
      assert.deepEqual([check.allowed, check.denial], [false, denial], `${resource} in ${organizationId}`);
    }
  });

  test('`organizationId` leaves out what the person has by other organizations, not their own relations', async () => {
    const ana = await drive.person();
    const [acme, globex] = [
      await drive.organization({ [ana.memberId]: [] }),
      await drive.organization({ [ana.memberId]: [] }),
    ];
    const [shared, own] = [next('document'), next('document')];
    await expectChanged(drive.write([shared, 'viewer', `organization:${acme}`], [own, 'viewer', ana.subject]));
    const allowed = async (resource: string, organizationId: string) =>
      (await drive.check(ana.userId, resource, { organizationId })).allowed;
    assert.deepEqual([await allowed(shared, acme), await allowed(shared, globex)], [true, false]);
    assert.equal(await allowed(own, globex), true);
  });

  test('a role of the project grants on every resource', async () => {
    const ana = await drive.person();
    const role = { key: 'staff', name: 'Staff', permissions: ['documents:read'] };
    assert.equal((await drive.call('/v1/admin/roles', 'POST', role)).status, 201);
    await drive.call(`/v1/admin/members/${ana.memberId}/roles`, 'PUT', { roles: ['staff'] });
    const check = await drive.check(ana.userId, next('document'));
    assert.deepEqual([check.allowed, check.because[0].role], [true, 'staff']);
  });

  test('nobody who is not an active member has a permission', async () => {
    const ana = await drive.person();
    const document = next('document');
    await expectChanged(drive.write([document, 'viewer', ana.subject]));
    const path = `/v1/admin/members/${ana.memberId}`;
    await drive.call(`${path}/block`, 'POST');
    assert.deepEqual(await drive.check(ana.userId, document), { allowed: false, ...NO_PATHS, denial: 'not_active' });
    await drive.call(`${path}/unblock`, 'POST');
    assert.equal((await drive.check(ana.userId, document)).allowed, true);
    await latchkey.system.pool.query('update users set erase_at = now() where id = $1', [ana.userId]);
    assert.equal((await drive.check(ana.userId, document)).denial, 'not_active');
    await latchkey.system.pool.query('update users set erase_at = null where id = $1', [ana.userId]);
    assert.equal((await drive.call(path, 'DELETE')).status, 204);
    assert.equal((await drive.check(ana.userId, document)).denial, 'not_a_member');
    const { rows } = await latchkey.system.pool.query('select from resource_relations where subject = $1', [
      ana.subject,
    ]);
    assert.equal(rows.length, 0);
  });

  test('an expired relation gives nothing and is not listed', async () => {
    const ana = await drive.person();
    const document = next('document');
    const relation = { resource: document, relation: 'viewer', subject: ana.subject };
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await expectChanged(drive.call('/relations', 'POST', { write: [{ ...relation, expiresAt }] }));
    assert.equal((await drive.check(ana.userId, document)).allowed, true);
    assert.equal((await drive.call(`/relations?resource=${document}`)).body.items[0].expiresAt, expiresAt);
    await latchkey.system.pool.query(
      `update resource_relations set expires_at = now() - interval '1 second' where subject = $1`,
      [ana.subject],
    );
    assert.equal((await drive.check(ana.userId, document)).allowed, false);
    assert.deepEqual((await drive.call(`/relations?resource=${document}`)).body.items, []);
  });

  test('a cycle of parents is harmless', async () => {
    const [ana, ben] = [await drive.person(), await drive.person()];
    const [one, other, document] = [next('folder'), next('folder'), next('document')];
    await expectChanged(
      drive.write(
        [one, 'parent', other],
        [other, 'parent', one],
        [document, 'parent', one],
        [other, 'viewer', ana.subject],
      ),
    );
    assert.deepEqual((await drive.check(ana.userId, document)).becauseOfRelations, [
      { subject: ana.subject, relation: 'viewer', resource: other, through: [document, one] },
    ]);
    assert.equal((await drive.check(ben.userId, document)).denial, 'not_granted');
    expectProblem(await drive.write([one, 'parent', one]), 400, 'VALIDATION_FAILED');
  });

  test('what is above ten parents, or beyond the resources that a check looks at, is refused as such', async () => {
    const ana = await drive.person();
    const folders = Array.from({ length: 13 }, () => next('folder'));
    const [low = '', high = '', top = ''] = [folders[2], folders[1], folders[0]];
    const chain = folders
      .slice(1)
      .map((folder, index): [string, string, string] => [folder, 'parent', folders[index] ?? '']);
    await expectChanged(drive.write(...chain, [top, 'viewer', ana.subject]));
    const last = folders.at(-1) ?? '';
    assert.equal((await drive.check(ana.userId, last)).denial, 'limit_reached');
    await expectChanged(drive.write([low, 'viewer', ana.subject]));
    assert.equal((await drive.check(ana.userId, last)).allowed, true);
    assert.equal((await drive.check(ana.userId, folders[11])).allowed, true);
    assert.equal((await drive.check(ana.userId, high)).allowed, true);
    const wide = next('document');
    const { rows } = await latchkey.system.pool.query('select * from resource_relations where resource_id = $1', [
      last.split(':')[1],
    ]);
    const { workspace_id, project_id, environment } = rows[0];
    await latchkey.system.pool.query(
      `insert into resource_relations (workspace_id, project_id, environment, resource_type, resource_id, relation, subject, created_at)
       select $1, $2, $3, 'document', $4, 'parent', 'folder:wide-' || n, now() from generate_series(1, 10000) n`,
      [workspace_id, project_id, environment, wide.split(':')[1]],
    );
    assert.equal((await drive.check(ana.userId, wide)).denial, 'limit_reached');
    expectProblem(await drive.call(`/subjects?resource=${wide}&permission=documents:read`), 409, 'CONFLICT');
  });

  test('an unknown type, a permission that no relation of the type gives, and an unknown one are told apart', async () => {
    const ana = await drive.person();
    await drive.call('/v1/admin/permissions', 'POST', { key: 'invoices:read', description: 'Invoices' });
    const body = { userId: ana.userId, permission: 'documents:read', resource: 'invoice:1' };
    const unknown = await drive.call('/check', 'POST', body);
    expectProblem(unknown, 400, 'VALIDATION_FAILED');
    assert.deepEqual(unknown.body.errors, [
      { pointer: '/body/resource', message: '"invoice" is not a resource type of this project' },
    ]);
    assert.equal((await drive.check(ana.userId, 'document:1', { permission: 'invoices:read' })).denial, 'not_on_type');
    assert.equal((await drive.check(ana.userId, 'document:1', { permission: 'no:such' })).denial, 'unknown_permission');
    expectProblem(await drive.call('/check', 'POST', { permission: 'documents:read' }), 400, 'VALIDATION_FAILED');
  });

  test('BI-3 people, organizations and relations of another project do not count', async () => {
    const ana = await drive.person();
    await expectChanged(drive.write(['document:shared', 'viewer', ana.subject]));
    const other = await createTenant(latchkey, 'drive');
    const theirs = await startDrive(latchkey, await tenantManagementToken(latchkey, other));
    assert.equal((await theirs.check(ana.userId, 'document:shared')).denial, 'not_a_member');
    expectProblem(await theirs.write(['document:shared', 'viewer', ana.subject]), 400, 'VALIDATION_FAILED');
    const acme = await drive.organization();
    expectProblem(await theirs.write(['document:1', 'viewer', `organization:${acme}`]), 400, 'VALIDATION_FAILED');
    assert.deepEqual((await theirs.call('/relations')).body.items, []);
    assert.deepEqual(
      (await theirs.call(`/subjects?resource=document:shared&permission=documents:read`)).body.items,
      [],
    );
  });
});

describe('who may ask', () => {
  test('people ask about themselves', async () => {
    const ana = await drive.person();
    const document = next('document');
    await expectChanged(drive.write([document, 'viewer', ana.subject]));
    const own = (body: unknown) => drive.call('/v1/me/authorization/check', 'POST', body, ana.token);
    const { status, body } = await own({ permission: 'documents:read', resource: document });
    assert.deepEqual([status, body], [200, await drive.check(ana.userId, document)]);
    expectProblem(await own({ permission: 'documents:read', userId: ana.userId }), 400, 'VALIDATION_FAILED');
  });

  test('a back end checks with `roles:read`, and cannot see or change relations with it', async () => {
    const ana = await drive.person();
    const token = await managementToken(latchkey, 'roles:read');
    const asked = { userId: ana.userId, permission: 'documents:read', resource: 'document:1' };
    assert.equal((await drive.call('/check', 'POST', asked, token)).status, 200);
    expectProblem(await drive.call('/relations', 'GET', undefined, token), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await drive.call('/relations', 'POST', { write: [] }, token), 403, 'AUTHORIZATION_DENIED');
  });
});

describe('a batch of checks', () => {
  test('answers up to a hundred in their order, as single checks do', async () => {
    const [ana, ben] = [await drive.person(), await drive.person()];
    const documents = Array.from({ length: 5 }, () => next('document'));
    await expectChanged(
      drive.write([documents[1] ?? '', 'viewer', ana.subject], [documents[3] ?? '', 'editor', ben.subject]),
    );
    const checks = [ana, ben].flatMap(({ userId }) =>
      documents.map((resource) => ({ userId, permission: 'documents:read', resource })),
    );
    const { status, body } = await drive.call('/check-batch', 'POST', { checks });
    assert.equal(status, 200);
    assert.deepEqual(
      body.results.map(({ allowed }: { allowed: boolean }) => allowed),
      checks.map(({ userId, resource }) =>
        [`${ana.userId} ${documents[1]}`, `${ben.userId} ${documents[3]}`].includes(`${userId} ${resource}`),
      ),
    );
    assert.deepEqual(body.results[1], await drive.check(ana.userId, documents[1]));
    const many = Array.from({ length: 101 }, () => checks[0]);
    expectProblem(await drive.call('/check-batch', 'POST', { checks: many }), 400, 'VALIDATION_FAILED');
    const bad = await drive.call('/check-batch', 'POST', { checks: [checks[0], { ...checks[0], resource: 'ship:1' }] });
    assert.equal(bad.body.errors[0].pointer, '/body/checks/1/resource');
  });
});
