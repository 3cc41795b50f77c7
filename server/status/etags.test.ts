import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  managementToken,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { seedComponents } from './components.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'the status page belongs to the whole installation' });
  await seedComponents(latchkey.system);
});
after(() => latchkey.stop());

const admin = async (path: string, call: Parameters<TestLatchkey['api']>[1] = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token: await managementToken(latchkey), ...call });
const made = async (path: string, body: Record<string, unknown>) =>
  `${path}/${(await admin(path, { body: { title: 'Mails', body: 'Late.', ...body } })).body.id}`;
const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

const records: [name: string, path: () => Promise<string>, changes: [object, object]][] = [
  ['a component', async () => '/components/auth', [{ name: 'Sign-in' }, { name: 'Login' }]],
  [
    'a group',
    async () => `/groups/${(await admin('/groups', { body: { name: 'Shop' } })).body.id}`,
    [{ name: 'Shops' }, { position: 5 }],
  ],
  ['the settings', async () => '/settings', [{ automatic: 'draft' }, { automatic: 'off' }]],
  ['an incident', () => made('/incidents', { severity: 'minor' }), [{ title: 'Late mails' }, { severity: 'major' }]],
  [
    'a maintenance',
    () => made('/maintenances', { componentIds: [], beginsAt: inHours(1), endsAt: inHours(2) }),
    [{ title: 'Upgrade' }, { endsAt: inHours(3) }],
  ],
];

describe('two people edit one record of the status', () => {
  for (const [name, pathOf, [mine, theirs]] of records)
    test(`${name}: a change based on an older version overwrites nothing`, async () => {
      const path = await pathOf();
      const seen = (await admin(path)).headers.get('etag') ?? '';
      assert.match(seen, /^"/);
      const change = (body: object, ifMatch: string) =>
        admin(path, { method: 'PATCH', body, headers: { 'if-match': ifMatch } });
      const first = await change(theirs, seen);
      assert.equal(first.status, 200, first.text);
      expectProblem(await change(mine, seen), 412, 'PRECONDITION_FAILED');
      const { body, headers } = await admin(path);
      for (const [field, value] of Object.entries(theirs)) assert.equal(body[field], value);
      assert.equal((await change(mine, headers.get('etag') ?? '')).status, 200);
    });

  test('a measurement does not change the version of a component', async () => {
    const seen = (await admin('/components/oidc')).headers.get('etag');
    await latchkey.system.pool.query(
      `update status_components set status = 'major_outage', status_since = now() where id = 'oidc' and environment = 'test'`,
    );
    const { body, headers } = await admin('/components/oidc');
    assert.deepEqual([body.status, headers.get('etag')], ['major_outage', seen]);
  });
});
