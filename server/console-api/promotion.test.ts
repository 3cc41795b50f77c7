import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, expectProblem, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';

type Value = { field: string; name: string; before: string | null; after: string | null; secret: boolean };
type Change = {
  id: string;
  action: string;
  kind: string;
  key: string;
  values: Value[];
  secrets: string[];
  issues: boolean;
};
type Environment = 'test' | 'production';

let latchkey: TestLatchkey;
let owner: Operator;
before(async () => {
  latchkey = await startTestLatchkey();
  owner = await signInOperator(latchkey);
});
after(() => latchkey.stop());

const PATH = '/console/v1/promotion';
const here = (environment: Environment) => ({ 'x-environment': environment });

function call(
  path: string,
  environment: Environment,
  { by = owner, ...sent }: { by?: Operator; method?: string; body?: unknown } = {},
) {
  return by.call(path, { ...sent, headers: here(environment) });
}

async function made(environment: Environment, path: string, body: unknown, method = 'POST') {
  const response = await call(`/console/v1/${path}`, environment, { method, body });
  assert.ok(response.status < 300, response.text);
  return response.body;
}

async function plan(environment: Environment, by = owner) {
  const response = await call(PATH, environment, { by });
  assert.equal(response.status, 200, response.text);
  return { ...response.body, text: response.text };
}

async function changeOf(environment: Environment, kind: string, key: string, by = owner): Promise<Change> {
  const { changes } = await plan(environment, by);
  const found = changes.find((one: Change) => one.kind === kind && one.key === key);
  assert.ok(found, `${kind} ${key} differs`);
  return found;
}

const apply = (environment: Environment, body: unknown, by = owner) => call(PATH, environment, { body, by });

async function applied(environment: Environment, changes: unknown[], secrets: unknown[] = []) {
  const response = await apply(environment, { changes, secrets });
  assert.equal(response.status, 200, response.text);
  return response.body;
}

async function settings(environment: Environment) {
  return (await call('/console/v1/settings', environment)).body;
}

describe('GET /console/v1/promotion', () => {
  test('shows what is added, changed with both values, and removed, in each direction', async () => {
    await made('test', 'permissions', { key: 'shown:read', description: 'Shown' });
    await made('test', 'settings', { passwordMinLength: 17 }, 'PATCH');
    const added = await changeOf('production', 'permissions', 'shown:read');
    assert.equal(added.action, 'create');
    assert.deepEqual(added.values, [
      { field: 'description', name: 'description', before: null, after: '"Shown"', secret: false },
    ]);
    const { passwordMinLength } = await settings('production');
    const changed = await changeOf('production', 'settings', '');
    const value = (change: Change) => change.values.find(({ field }) => field === 'passwordMinLength');
    assert.deepEqual(value(changed), {
      field: 'passwordMinLength',
      name: 'passwordMinLength',
      before: String(passwordMinLength),
      after: '17',
      secret: false,
    });
    const back = await changeOf('test', 'settings', '');
    assert.deepEqual([value(back)?.before, value(back)?.after], ['17', String(passwordMinLength)]);
    assert.equal((await changeOf('test', 'permissions', 'shown:read')).action, 'remove');
  });

  test('domains are left out, because a host serves one environment', async () => {
    await made('test', 'domains', { host: 'login.promotion.example' });
    const { text } = await plan('production');
    assert.doesNotMatch(text, /login\.promotion\.example/);
  });

  test('what the role may not read is not compared, and nothing of it is shown as removed', async () => {
    await made('production', 'billing/addons/sms/guard', { perNumber: 9 }, 'PATCH');
    const viewer = await teammate(latchkey, 'viewer');
    const { changes, notCompared } = await plan('production', viewer);
    assert.deepEqual(notCompared, [{ title: 'Rules against SMS pumping', permission: 'billing:read' }]);
    assert.ok(!changes.some(({ kind }: Change) => kind === 'sms-guard'));
    assert.equal((await changeOf('production', 'sms-guard', '')).action, 'change');
    const support = await teammate(latchkey, 'support');
    expectProblem(await call(PATH, 'production', { by: support }), 403, 'AUTHORIZATION_DENIED');
  });

  test('records that share a key are neither changed nor removed', async () => {
    const body = { kind: 'spa', name: 'Same', redirectUris: ['https://same.example/'] };
    await made('test', 'applications', body);
    await made('test', 'applications', body);
    await made('production', 'applications', body);
    const { changes, faults } = await plan('production');
    assert.ok(!changes.some(({ key }: Change) => key === 'Same'));
    assert.ok(
      faults.some((fault: string) => /^applications "Same" names several records/.test(fault)),
      String(faults),
    );
  });
});

describe('POST /console/v1/promotion', () => {
  test('applies single fields of a change in the name of the operator, and leaves the others', async () => {
    await made('test', 'settings', { passwordMinLength: 18, locales: ['de', 'en'] }, 'PATCH');
    const before = await settings('production');
    const { id } = await changeOf('production', 'settings', '');
    const { done, failed, left } = await applied('production', [{ id, fields: ['passwordMinLength'] }]);
    assert.deepEqual(
      [done, failed, left],
      [[{ action: 'change', kind: 'settings', title: 'Settings, with the branding', key: '' }], null, []],
    );
    const after = await settings('production');
    assert.deepEqual([after.passwordMinLength, after.locales], [18, before.locales]);
    await eventually(async () => {
      const { items } = (await call('/console/v1/audit-log?limit=100', 'production')).body;
      const entry = items.find(({ action }: { action: string }) => action === 'project.settings.updated');
      assert.deepEqual([entry?.actor.kind, entry?.data], ['operator', { changed: ['passwordMinLength'] }]);
    });
    expectProblem(await apply('production', { changes: [{ id, fields: ['passwordMinLength'] }] }), 409, 'CONFLICT');
  });

  test('a change in between stops everything, and so does a choice of nothing or of another environment', async () => {
    await made('test', 'permissions', { key: 'between:read', description: 'First' });
    const { id } = await changeOf('production', 'permissions', 'between:read');
    await made('test', 'permissions/between:read', { description: 'Second' }, 'PATCH');
    expectProblem(await apply('production', { changes: [{ id }] }), 409, 'CONFLICT');
    const again = await changeOf('production', 'permissions', 'between:read');
    expectProblem(await apply('test', { changes: [{ id: again.id }] }), 409, 'CONFLICT');
    expectProblem(await apply('production', { changes: [{ id: again.id, fields: ['description'] }] }), 409, 'CONFLICT');
    expectProblem(await apply('production', { changes: [] }), 400, 'VALIDATION_FAILED');
    await made('production', 'permissions', { key: 'between:read', description: 'Own' });
    expectProblem(await apply('production', { changes: [{ id: again.id }] }), 409, 'CONFLICT');
    const kept = await changeOf('production', 'permissions', 'between:read');
    assert.deepEqual([kept.values[0]?.before, kept.values[0]?.after], ['"Own"', '"Second"']);
  });

  test('a change that fails in the middle: those before are made, those after are not', async () => {
    await made('test', 'permissions', { key: 'middle:read', description: 'Middle' });
    await made('test', 'roles', { key: 'middle', name: 'Middle', permissions: ['middle:read'] });
    await made('test', 'apis', { identifier: 'https://middle.example', name: 'Middle' });
    const role = await changeOf('production', 'roles', 'middle');
    const api = await changeOf('production', 'apis', 'https://middle.example');
    const own = await made('test', 'permissions', { key: 'before:read', description: 'Before' });
    const first = await changeOf('production', 'permissions', own.key);
    // The role grants a permission that was not chosen.
    const { done, failed, left } = await applied('production', [{ id: api.id }, { id: role.id }, { id: first.id }]);
    assert.deepEqual(done, [
      { action: 'create', kind: 'permissions', title: 'Permissions of the project', key: 'before:read' },
    ]);
    assert.deepEqual([failed.kind, failed.key], ['roles', 'middle']);
    assert.match(failed.reason, /^POST \/v1\/admin\/roles: 4\d\d /);
    assert.deepEqual(left, [
      { action: 'create', kind: 'apis', title: 'APIs (resource servers)', key: 'https://middle.example' },
    ]);
    assert.equal((await changeOf('production', 'roles', 'middle')).id, role.id);
    const permission = await changeOf('production', 'permissions', 'middle:read');
    const rest = await applied('production', [{ id: role.id }, { id: api.id }, { id: permission.id }]);
    assert.equal(rest.failed, null);
    const { changes } = await plan('production');
    assert.ok(!changes.some(({ key }: Change) => key.includes('middle')));
  });

  test('each change needs the permission of its kind, and the door its own', async () => {
    await made('test', 'billing/addons/sms/guard', { perNumber: 5 }, 'PATCH');
    await made('test', 'log-streams', { name: 'Lake', kind: 'json_lines', url: 'https://example.com/lake' });
    const developer = await teammate(latchkey, 'developer');
    const guard = await changeOf('production', 'sms-guard', '');
    expectProblem(await apply('production', { changes: [{ id: guard.id }] }, developer), 409, 'CONFLICT');
    const lake = await changeOf('production', 'log-streams', 'Lake', developer);
    const refused = await apply('production', { changes: [{ id: lake.id }] }, developer);
    assert.deepEqual(refused.body.done, []);
    assert.match(refused.body.failed.reason, /403 AUTHORIZATION_DENIED .*log-streams:write/);
    const viewer = await teammate(latchkey, 'viewer');
    expectProblem(await apply('production', { changes: [{ id: lake.id }] }, viewer), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await changeOf('production', 'log-streams', 'Lake')).id, lake.id);
  });

  test('secrets are never shown: the target keeps its own, and a new record needs one', async () => {
    const secret = 'hush-of-test-0123456789';
    const hidden = 'Bearer hush-of-header';
    const provider = { key: 'acme', name: 'Acme', preset: 'github', clientId: 'abc', clientSecret: secret };
    await made('test', 'identity-providers', provider);
    const url = 'https://example.com/promoted';
    const headers = { Authorization: hidden, 'X-Kind': 'plain' };
    await made('test', 'webhooks/endpoints', { url, events: ['user.*'], headers });
    const { text } = await plan('production');
    assert.doesNotMatch(text, /hush/);
    const acme = await changeOf('production', 'identity-providers', 'acme');
    const [name] = acme.secrets;
    assert.deepEqual(acme.secrets, ['IDENTITY_PROVIDERS_ACME_CLIENT_SECRET']);
    const without = await apply('production', { changes: [{ id: acme.id }] });
    expectProblem(without, 400, 'VALIDATION_FAILED');
    assert.match(without.body.detail, /IDENTITY_PROVIDERS_ACME_CLIENT_SECRET/);
    const hook = await changeOf('production', 'webhook-endpoints', url);
    assert.equal(hook.issues, true);
    const secrets = [...acme.secrets, ...hook.secrets].map((one) => ({ name: one, value: `of-production-${one}` }));
    assert.equal(secrets.length, 2, name);
    const { failed, issued } = await applied('production', [{ id: acme.id }, { id: hook.id }], secrets);
    assert.equal(failed, null);
    assert.deepEqual(
      issued.map((one: { kind: string; field: string }) => [one.kind, one.field]),
      [['webhook-endpoints', 'secret']],
    );
    const after = await plan('production');
    assert.ok(!after.changes.some(({ key }: Change) => key === 'acme' || key === url));
    assert.doesNotMatch(after.text, /hush|of-production/);
  });

  test('text that looks like a reference is text, and reads nothing of the server', async () => {
    const description = '$'.concat('{file:/etc/passwd} $', '{env:PATH}');
    await made('test', 'permissions', { key: 'looks:like', description });
    const { id, values, secrets } = await changeOf('production', 'permissions', 'looks:like');
    assert.deepEqual([values[0]?.after, secrets], [JSON.stringify(description), []]);
    await applied('production', [{ id }], [{ name: 'PATH', value: 'stolen' }]);
    const { items } = (await call('/console/v1/permissions?limit=100', 'production')).body;
    assert.equal(items.find(({ key }: Change) => key === 'looks:like').description, description);
  });

  test('removes what only the target has, and the same choice by two people at once is made once', async () => {
    await made('production', 'permissions', { key: 'gone:read', description: 'Gone' });
    const gone = await changeOf('production', 'permissions', 'gone:read');
    assert.equal(gone.action, 'remove');
    assert.equal((await applied('production', [{ id: gone.id }])).failed, null);
    await made('test', 'applications', { kind: 'spa', name: 'Twice', redirectUris: ['https://twice.example/'] });
    const { id } = await changeOf('production', 'applications', 'Twice');
    await Promise.all([apply('production', { changes: [{ id }] }), apply('production', { changes: [{ id }] })]);
    const { items } = (await call('/console/v1/applications?limit=100', 'production')).body;
    assert.equal(items.filter(({ name }: { name: string }) => name === 'Twice').length, 1);
  });
});

test('the status page of a project is promoted whole: itself, then what is on it', async () => {
  const project = latchkey.demo.projects[1]?.id;
  const at = (environment: Environment) => ({ 'x-project-id': project, 'x-environment': environment });
  const shop = async (environment: Environment, path: string, sent: { method?: string; body?: unknown } = {}) => {
    const response = await owner.call(`/console/v1/${path}`, { ...sent, headers: at(environment) });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  await shop('test', 'status/page', { method: 'PUT', body: { published: true, address: 'shop' } });
  const { id: groupId } = await shop('test', 'status/groups', { body: { name: 'Shops' } });
  const { id } = await shop('test', 'status/components', {
    body: { name: 'Shop', groupId, check: { kind: 'manual' } },
  });
  const template = { kind: 'incident', name: 'Slow', title: 'Slow', body: 'x', componentIds: [id] };
  await shop('test', 'status/templates', { body: template });
  const { changes } = await shop('production', 'promotion');
  const ofPage: Change[] = changes.filter(({ kind }: Change) => kind.startsWith('status-'));
  assert.deepEqual(
    ofPage.map(({ action, kind, key }) => `${action} ${kind} ${key}`.trim()),
    [
      'change status-page',
      'create status-groups Shops',
      'create status-components Shop',
      'create status-templates incident/Slow',
    ],
  );
  const body = { changes: ofPage.map(({ id: change }) => ({ id: change })), secrets: [] };
  const outcome = await shop('production', 'promotion', { body });
  assert.equal(outcome.failed, null);
  const { address } = await shop('production', 'status/page');
  assert.match(address, /^shop-/);
  assert.notEqual(address, (await shop('test', 'status/page')).address);
  const again = await shop('production', 'promotion');
  assert.ok(!again.changes.some(({ kind }: Change) => kind.startsWith('status-')));
  await shop('production', 'status/page', { method: 'PUT', body: { published: false } });
  await shop('test', 'status/page', { method: 'PUT', body: { published: false } });
});
