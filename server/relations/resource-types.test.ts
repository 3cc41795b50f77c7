import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Drive, startDrive } from '#tests/relations.ts';

let latchkey: TestLatchkey;
let drive: Drive;
before(async () => {
  latchkey = await startTestLatchkey();
  drive = await startDrive(latchkey);
});
after(() => latchkey.stop());

const PLAN = {
  key: 'plan',
  name: 'Plan',
  relations: [{ key: 'drawer', permissions: ['documents:write'] }],
  parents: [{ type: 'folder', inherits: { owner: 'drawer' } }],
};

describe('resource types', () => {
  test('one is added, read, listed, changed and removed, with an event for each change', async () => {
    const { status, body } = await drive.call('/types', 'POST', PLAN);
    assert.equal(status, 201);
    assert.deepEqual(
      { ...body, createdAt: '', updatedAt: '' },
      { ...PLAN, description: '', createdAt: '', updatedAt: '' },
    );
    assert.deepEqual((await drive.call('/types/plan')).body, body);
    const list = (await drive.call('/types')).body.items.map(({ key }: { key: string }) => key);
    assert.deepEqual(list, ['document', 'folder', 'plan']);
    expectProblem(await drive.call('/types', 'POST', PLAN), 409, 'ALREADY_EXISTS');
    const relations = [...PLAN.relations, { key: 'reader', permissions: ['documents:read'] }];
    const changed = await drive.call('/types/plan', 'PATCH', { name: 'Drawing', relations });
    assert.deepEqual([changed.body.name, changed.body.relations], ['Drawing', relations]);
    assert.equal((await drive.call('/types/plan', 'DELETE')).status, 204);
    expectProblem(await drive.call('/types/plan'), 404, 'NOT_FOUND');
    const { rows } = await latchkey.system.pool.query(
      `select type from events where type like 'resource_type.%' and data->>'key' = 'plan' order by id`,
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['resource_type.created', 'resource_type.updated', 'resource_type.deleted'],
    );
  });

  test('a change with an old ETag is refused', async () => {
    const { headers } = await drive.call('/types/document');
    await drive.call('/types/document', 'PATCH', { description: 'A text' });
    const stale = await latchkey.api('/v1/admin/authorization/types/document', {
      token: drive.token,
      method: 'PATCH',
      headers: { 'if-match': headers.get('etag') ?? '' },
      body: { description: 'Another text' },
    });
    assert.equal(stale.status, 412);
  });

  test('what a type names must exist', async () => {
    const refused = [
      { ...PLAN, key: 'user' },
      { ...PLAN, relations: [{ key: 'parent', permissions: [] }] },
      { ...PLAN, relations: [{ key: 'organization', permissions: [] }] },
      { ...PLAN, relations: [...PLAN.relations, ...PLAN.relations] },
      { ...PLAN, relations: [{ key: 'drawer', permissions: ['members:read'] }] },
      { ...PLAN, relations: [{ key: 'drawer', permissions: ['no:such'] }] },
      { ...PLAN, parents: [{ type: 'ship', inherits: {} }] },
      { ...PLAN, parents: [{ type: 'folder', inherits: { captain: 'drawer' } }] },
      { ...PLAN, parents: [{ type: 'folder', inherits: { owner: 'captain' } }] },
    ];
    for (const type of refused) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await drive.call('/types', 'POST', type), 400, 'VALIDATION_FAILED');
    }
  });

  test('a change leaves no relation without a meaning', async () => {
    const { subject } = await drive.person();
    await drive.write(['folder:kept', 'viewer', subject], ['document:kept', 'parent', 'folder:kept']);
    const { relations, parents } = (await drive.call('/types/folder')).body;
    const change = (key: string, body: unknown) => drive.call(`/types/${key}`, 'PATCH', body);
    const owner = relations.filter(({ key }: { key: string }) => key === 'owner');
    expectProblem(await change('folder', { relations: owner, parents: [] }), 400, 'VALIDATION_FAILED');
    await change('document', { parents: [{ type: 'folder', inherits: { owner: 'editor' } }] });
    expectProblem(await change('folder', { relations: owner, parents: [] }), 409, 'CONFLICT');
    expectProblem(await change('document', { parents: [] }), 409, 'CONFLICT');
    expectProblem(await drive.call('/types/folder', 'DELETE'), 409, 'CONFLICT');
    await drive.remove(['document:kept', 'parent', 'folder:kept'], ['folder:kept', 'viewer', subject]);
    assert.equal((await change('folder', { relations: owner, parents: [] })).status, 200);
    assert.equal((await change('folder', { relations, parents })).status, 200);
    const inherits = { owner: 'editor', viewer: 'viewer' };
    assert.equal((await change('document', { parents: [{ type: 'folder', inherits }] })).status, 200);
  });

  test('a removed type takes its relations with it', async () => {
    const { subject, userId } = await drive.person();
    await drive.call('/types', 'POST', { ...PLAN, key: 'sketch' });
    await drive.write(['sketch:1', 'drawer', subject]);
    assert.equal((await drive.call('/types/sketch', 'DELETE')).status, 204);
    await drive.call('/types', 'POST', { ...PLAN, key: 'sketch' });
    assert.equal((await drive.check(userId, 'sketch:1', { permission: 'documents:write' })).allowed, false);
  });

  test('a permission that a type names stays', async () => {
    expectProblem(await drive.call('/v1/admin/permissions/documents:write', 'DELETE'), 409, 'CONFLICT');
  });

  test('nobody gives by a type a permission that they do not have', async () => {
    const token = await managementToken(latchkey, 'roles:read roles:write');
    const response = await drive.call('/types', 'POST', { ...PLAN, key: 'scheme' }, token);
    expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    assert.equal(response.body.requiredPermission, 'documents:write');
    assert.equal((await drive.call('/types', 'POST', { key: 'scheme', name: 'Scheme' }, token)).status, 201);
  });
});
