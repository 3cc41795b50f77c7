import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { newOperator, signInOperator } from '#tests/operators.ts';
import { createOwner, setUpLink } from './set-up.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'removes every owner of the installation' });
});
after(() => latchkey.stop());

/** The state after a first start in production mode: no operator exists. */
async function withoutOwner(): Promise<void> {
  await latchkey.system.pool.query('delete from team_members');
}

const FIELDS = { displayName: 'Ada', password: 'a long and unusual password', workspace: 'Acme', project: 'Store' };

describe('the first start', () => {
  test('creates one owner by its link, with a workspace and a project, and never again', async () => {
    await withoutOwner();
    const { console } = latchkey.system.config.addresses;
    const link = (await setUpLink(latchkey.system)) ?? '';
    assert.ok(link.startsWith(`${console}/console/setup?token=`));
    const browser = browserOf(latchkey);
    const lost = await browser.open(`${console}/console/v1/sign-in`);
    assert.equal(lost.url, `${console}/console/setup`);
    assert.match(lost.text, /latchkey admin create-owner/);
    assert.match((await browser.open(`${link.slice(0, -4)}AAAA`)).text, /does not work/);
    const page = await browser.open(link);
    const weak = await browser.submit(page, { ...FIELDS, email: newEmail(), password: 'password' });
    assert.match(weak.text, /role="alert"/);
    const emails = [newEmail(), newEmail()];
    const both = await Promise.all(emails.map((email) => browserOf(latchkey).submit(page, { ...FIELDS, email })));
    const [done, ...others] = both.filter(({ url }) => url.includes('/sign-in/'));
    assert.ok(done && others.length === 0, both.map(({ url }) => url).join());
    const email = emails[both.indexOf(done)] ?? '';
    const owner = await signInOperator(latchkey, { email, password: FIELDS.password });
    const session = (await owner.call('/console/v1/session')).body;
    assert.deepEqual(
      session.workspaces.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ['Acme', 'owner'],
        ['Latchkey', 'owner'],
      ],
    );
    const workspace = session.workspaces[0].id;
    const projects = await owner.call('/console/v1/projects', { headers: { 'x-workspace-id': workspace } });
    assert.deepEqual(
      projects.body.items.map(({ name }: { name: string }) => name),
      ['Store'],
    );
    assert.equal(await setUpLink(latchkey.system), null);
    assert.ok(!(await browser.open(link)).text.includes('<form'));
  });

  test('create-owner lets the administrator of the machine in, even to an account that lost its password', async () => {
    const person = await newOperator(latchkey);
    const before = await signInOperator(latchkey, person);
    const password = await createOwner(latchkey.system, person.email);
    assert.equal((await before.call('/console/v1/session')).status, 401);
    const owner = await signInOperator(latchkey, { email: person.email, password });
    const { body } = await owner.call('/console/v1/session');
    assert.equal(body.installation.role, 'owner');
    const fresh = newEmail();
    const again = await createOwner(latchkey.system, fresh);
    await signInOperator(latchkey, { email: fresh, password: again });
  });
});
