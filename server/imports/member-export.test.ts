import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

test('HEAD of an export of members sends the headers, and records no export', async () => {
  const path = '/v1/admin/members/export?passwordHashes=true';
  const exports = async () =>
    (
      await latchkey.system.pool.query(`select from events where type = 'membership.exported' and workspace_id = $1`, [
        latchkey.demo.workspaceId,
      ])
    ).rowCount;
  const before = await exports();
  const head = await latchkey.api(path, { token, method: 'HEAD' });
  assert.deepEqual(
    [head.status, head.text, head.headers.get('content-type'), head.headers.get('content-disposition')],
    [200, '', 'application/x-ndjson', 'attachment; filename="members.ndjson"'],
  );
  assert.equal(await exports(), before);
  const reader = await managementToken(latchkey, 'members:import');
  assert.equal((await latchkey.api(path, { token: reader, method: 'HEAD' })).status, 403);
  assert.equal((await latchkey.api(path, { token })).status, 200);
  assert.equal(await exports(), Number(before) + 1);
});
