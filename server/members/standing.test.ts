import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { managementToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';

let latchkey: TestLatchkey;
let second: SecondProcess;
before(async () => {
  latchkey = await startTestLatchkey();
  second = await startSecondProcess(latchkey);
});
after(async () => {
  await second.stop();
  await latchkey.stop();
});

test('role and permission changes count on the next request in another process', async () => {
  const token = await managementToken(latchkey);
  const change = async (method: string, path: string, body: unknown) => {
    const answer = await latchkey.api(`/v1/admin/${path}`, { token, method, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const { email, access_token } = await register(latchkey);
  const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token });
  const [{ id }] = body.items;
  const status = async () => (await second.api('/v1/admin/roles', access_token)).status;
  assert.equal(await status(), 403);
  const role = await change('POST', 'roles', { key: 'helper', name: 'Helper', permissions: ['roles:read'] });
  await change('PUT', `members/${id}/roles`, { roles: ['helper'] });
  assert.equal(await status(), 200);
  await change('PUT', `roles/${role.id}/permissions`, { permissions: [] });
  assert.equal(await status(), 403);
  await change('PUT', `roles/${role.id}/permissions`, { permissions: ['roles:read'] });
  assert.equal(await status(), 200);
  await change('PUT', `members/${id}/roles`, { roles: [] });
  assert.equal(await status(), 403);
});
