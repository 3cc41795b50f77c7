import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { signInOperator } from '#tests/operators.ts';

const ENTRY = fileURLToPath(new URL('../latchkey.mjs', import.meta.url));

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'the command uses the demo of the data directory' });
});
after(() => latchkey.stop());

test('the demo traffic fills the overview with people, sign-ins, failures and deliveries, and fills two organizations', async () => {
  const operator = await signInOperator(latchkey);
  const child = spawn(process.execPath, [ENTRY, 'demo-traffic'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      LATCHKEY_DATA_DIR: latchkey.system.config.dataDir,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, output);
  assert.ok(output.includes(latchkey.demo.operator.password), output);
  await eventually(async () => {
    const { totals } = (await operator.call('/console/v1/overview?days=2')).body;
    assert.ok(totals.newMembers >= 30 && totals.signIns >= 60, JSON.stringify(totals));
    assert.ok(totals.activeMembersThisMonth >= 30 && totals.failures > 0, JSON.stringify(totals));
    assert.ok(totals.delivered > 60 && totals.deliveries > totals.delivered, JSON.stringify(totals));
  });
  const read = async (path: string) => (await operator.call(`/console/v1/${path}`)).body.items;
  const organizations: { id: string; slug: string }[] = await read('organizations');
  assert.deepEqual(organizations.map(({ slug }) => slug).sort(), ['acme', 'globex']);
  const made = latchkey.demo.environments.test.organizations;
  assert.deepEqual(organizations.map(({ id }) => id).sort(), made.map(({ id }) => id).sort());
  for (const { id } of organizations) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    const owners = await read(`organizations/${id}/members?role=owner`);
    assert.ok(owners.length > 0);
    const [invitation] = await read(`invitations?organizationId=${id}`);
    assert.deepEqual([invitation?.status, invitation?.organizationRoles], ['pending', ['billing']]);
  }
});
