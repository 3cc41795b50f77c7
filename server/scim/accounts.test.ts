import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createProject } from '#environments';
import { addMember } from '#members';
import { newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { newDirectory, type TestDirectory } from '#tests/scim.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

async function newPerson() {
  const [directory, email] = [await newDirectory(latchkey), newEmail()];
  const id = await directory.addUser(email, { displayName: 'Ada' });
  const [{ id: memberId, userId }] = (await directory.admin(`members?q=${encodeURIComponent(email)}`)).body.items;
  const member = async () => (await directory.admin(`members/${memberId}`)).body;
  const act = (what: 'block' | 'unblock') => directory.admin(`members/${memberId}/${what}`, { method: 'POST' });
  return { directory, email, id, memberId, userId, member, act };
}

async function setActive({ patch }: TestDirectory, id: string, value: boolean): Promise<void> {
  const { status, text } = await patch(`/Users/${id}`, { op: 'replace', path: 'active', value });
  assert.equal(status, 200, text);
}

describe('an account that a directory created', () => {
  test('is not changed or blocked by it while its person is in another project', async () => {
    const { directory, email, id, userId, member } = await newPerson();
    await latchkey.inProject(async (tx) => {
      const projectId = await createProject(tx, 'Second project');
      await addMember({ ...tx, scope: { ...tx.scope, projectId } }, userId);
    });
    const taken = { displayName: 'Mallory', userName: 'mallory', emails: [{ value: newEmail() }] };
    assert.equal((await directory.patch(`/Users/${id}`, { op: 'replace', value: taken })).status, 200);
    const { email: now, displayName } = await member();
    assert.deepEqual([now, displayName], [email, 'Ada']);
    await setActive(directory, id, false);
    assert.equal((await member()).status, 'active');
    assert.equal((await directory.scim('DELETE', `/Users/${id}`)).status, 204);
    assert.equal((await member()).status, 'active', 'it stays in the project');
  });

  test('stays blocked by an administrator, whatever the directory sends', async () => {
    const { directory, id, member, act } = await newPerson();
    await act('block');
    await setActive(directory, id, false);
    await setActive(directory, id, true);
    assert.equal((await member()).status, 'blocked', 'blocked before the directory did it');
    await act('unblock');
    await setActive(directory, id, false);
    assert.equal((await act('block')).status, 200);
    await setActive(directory, id, true);
    assert.equal((await member()).status, 'blocked', 'blocked after the directory did it');
  });

  test('is unblocked by the directory that blocked it, though its person got a role meanwhile', async () => {
    const { directory, id, memberId, member } = await newPerson();
    await setActive(directory, id, false);
    await directory.admin(`members/${memberId}/roles`, { method: 'PUT', body: { roles: ['viewer'] } });
    assert.equal((await member()).status, 'blocked');
    await setActive(directory, id, true);
    assert.equal((await member()).status, 'active');
  });
});
