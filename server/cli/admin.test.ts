import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Ran, runLatchkey } from '#tests/command-line.ts';
import { newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { newOperator, signInOperator } from '#tests/operators.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'removes every owner of the installation' });
});
after(() => latchkey.stop());

/** Runs the command as on the machine of the installation, while Latchkey runs. */
function createOwner(...more: string[]): Promise<Ran> {
  const { dataDir, addresses } = latchkey.system.config;
  return runLatchkey(['admin', 'create-owner', ...more], {
    DATABASE_URL: latchkey.databaseUrl,
    LATCHKEY_SECRET: 'a secret of the tests that is long enough',
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_PORT_BASE: new URL(addresses.console).port,
  });
}

const roleOf = async (person: { email: string; password: string }) => {
  const { call } = await signInOperator(latchkey, person);
  return (await call('/console/v1/session')).body.installation.role;
};

describe('latchkey admin create-owner', () => {
  test('prints the link for the first owner, which works once', async () => {
    await latchkey.system.pool.query('delete from team_members');
    const shown = await createOwner();
    assert.equal(shown.status, 0, shown.errors);
    const link = shown.output.trim().split('\n').at(-1) ?? '';
    assert.deepEqual(JSON.parse((await createOwner('--json')).output), { setUpLink: link });
    const browser = browserOf(latchkey);
    const owner = { email: newEmail(), password: 'a long and unusual password' };
    const names = { displayName: 'Ada', workspace: 'Acme', project: 'Store' };
    await browser.submit(await browser.open(link), { ...names, ...owner });
    assert.equal(await roleOf(owner), 'owner');
    assert.ok(!(await browser.open(link)).text.includes('<form'));
  });

  test('if there is an owner, prints no link and explains how to add another', async () => {
    const refused = await createOwner();
    assert.deepEqual([refused.status, refused.output], [1, '']);
    assert.match(refused.errors, /has an owner\. Use --email/);
  });

  test('--email makes a new user an owner, and prints the password', async () => {
    const email = newEmail();
    const result = await createOwner('--email', email);
    assert.equal(result.status, 0, result.errors);
    assert.ok(result.output.includes(`Sign in at ${latchkey.system.config.addresses.console}/console/`), result.output);
    const [, password = ''] = /^Password: (\S{20})$/m.exec(result.output) ?? [];
    assert.equal(await roleOf({ email, password }), 'owner');
  });

  test('--email resets the password of an existing operator, and ends their sessions', async () => {
    const { email, password, userId } = await newOperator(latchkey);
    const before = await signInOperator(latchkey, { email, password });
    const result = await createOwner('--email', email, '--json');
    const { password: fresh, ...rest } = JSON.parse(result.output);
    assert.deepEqual(rest, { email, signInUrl: `${latchkey.system.config.addresses.console}/console/` });
    assert.notEqual(fresh, password);
    assert.equal(await roleOf({ email, password: fresh }), 'owner');
    assert.equal((await before.call('/console/v1/session')).status, 401);
    const { rows } = await latchkey.system.pool.query(
      `select type from events where type like 'team.member.%' and data->>'userId' = $1`,
      [userId],
    );
    assert.deepEqual([...new Set(rows.map(({ type }) => type))], ['team.member.added']);
  });

  test('an invalid address is explained, and creates no user', async () => {
    const refused = await createOwner('--email', 'ada');
    assert.deepEqual([refused.status, refused.output, refused.errors], [1, '', '"ada" is not an email address.\n']);
  });
});
