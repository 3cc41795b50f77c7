import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { admin } from '#tests/apis.ts';
import { runLatchkey, spawnLatchkey } from '#tests/command-line.ts';
import { managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let base: string;
let folder: string;
let credentials: string;
before(async () => {
  base = await mkdtemp(join(tmpdir(), 'latchkey-configuration-'));
  latchkey = await startTestLatchkey({});
  credentials = join(base, 'demo.json');
  await writeFile(credentials, JSON.stringify(latchkey.demo));
});
after(async () => {
  await latchkey.stop();
  await rm(base, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(base, 'files-'));
});

const run = (...words: string[]) => runLatchkey(['config', ...words, '--credentials', credentials], {});
const write = (name: string, text: string) => writeFile(join(folder, name), text);
const read = (name: string) => readFile(join(folder, name), 'utf8');

const reference = (source: string) => `\${${source}}`;

async function expectDone(...words: string[]) {
  const ran = await run(...words);
  assert.equal(ran.status, 0, ran.output + ran.errors);
  return ran;
}

async function expectStatus(status: number, ...words: string[]) {
  const ran = await run(...words);
  assert.equal(ran.status, status, ran.output + ran.errors);
  return ran;
}

describe('latchkey config export', () => {
  test('writes a folder that a plan finds unchanged, and the same folder again', async () => {
    await expectDone('export', folder);
    const files = (await readdir(folder)).sort();
    assert.ok(files.includes('settings.yaml') && files.includes('status-settings.yaml'), String(files));
    const texts = await Promise.all(files.filter((name) => name.endsWith('.yaml')).map(read));
    const planned = await expectDone('plan', folder);
    assert.equal(planned.output, 'No changes.\n');
    await expectDone('export', folder);
    assert.deepEqual(await Promise.all(files.filter((name) => name.endsWith('.yaml')).map(read)), texts);
    assert.match(texts.join(''), /^# yaml-language-server: \$schema=\.schema\/apis\.json\n# APIs/m);
    assert.doesNotMatch(texts.join(''), /[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}/, 'no id of one environment');
  });

  test('production takes what test has, and a second plan is empty', async () => {
    await admin(latchkey, 'permissions', { body: { key: 'promoted:read', description: 'yes' } });
    await admin(latchkey, 'roles', { body: { key: 'promoted', name: 'no', permissions: ['promoted:read'] } });
    await expectDone('export', folder, '--only', 'permissions,roles,apis,organization-roles');
    const planned = await expectStatus(2, 'plan', folder, '--environment', 'production');
    assert.match(planned.output, /\+ roles promoted\n {4}name {9}"no"/);
    await expectDone('apply', folder, '--environment', 'production', '--yes');
    assert.equal((await expectDone('plan', folder, '--environment', 'production')).output, 'No changes.\n');
  });
});

test('variables name the environment and the client, in a process of its own', async () => {
  const { authUrl, apiUrl, managementClientId, managementClientSecret } = latchkey.demo.environments.production;
  const access = {
    LATCHKEY_ISSUER: authUrl,
    LATCHKEY_API: `${apiUrl}/`,
    LATCHKEY_CLIENT_ID: managementClientId,
    LATCHKEY_CLIENT_SECRET: managementClientSecret,
    LATCHKEY_WORKSPACE: latchkey.demo.workspaceId,
    LATCHKEY_PROJECT: latchkey.demo.projects[0]?.id ?? '',
    LATCHKEY_ENVIRONMENT: 'prod',
  };
  const long = `${'Zeile „eins“\n\n  - zwei: "x"\n'.repeat(200)}{link}`;
  const body = { subject: '{project}', body: long, action: 'x' };
  await latchkey.api(
    '/v1/admin/settings/messages/invitation/fr',
    { method: 'PUT', body, token: await managementToken(latchkey, undefined, 'production') },
    'production',
  );
  const exported = await spawnLatchkey(['config', 'export', folder], access);
  assert.match(exported.output, /of the production environment/, exported.errors);
  const planned = await spawnLatchkey(['config', 'plan', folder, '--json'], access);
  assert.deepEqual(JSON.parse(planned.output), { changes: [], onlyInProject: [], notCompared: [], missing: [] });
  const wrong = await spawnLatchkey(['config', 'plan', folder], { ...access, LATCHKEY_CLIENT_SECRET: 'wrong-secret' });
  assert.equal(wrong.status, 1);
  assert.match(wrong.errors, /^The client got no management token \(/);
  assert.doesNotMatch(wrong.errors, /wrong-secret/);
  const away = await spawnLatchkey(['config', 'plan', folder], { ...access, LATCHKEY_ISSUER: 'http://127.0.0.1:9' });
  assert.match(away.errors, /^http:\/\/127\.0\.0\.1:9 does not respond/);
});

describe('latchkey config apply', () => {
  test('creates, changes and removes records of every kind, and is idempotent', async () => {
    process.env['CONFIG_TEST_SECRET'] = 'a-secret-of-the-provider';
    await writeEverything();
    const secrets = join(folder, 'issued.ndjson');
    const first = await expectStatus(2, 'plan', folder);
    assert.doesNotMatch(first.output + first.errors, /a-secret-of-the-provider/);
    const refused = await expectStatus(1, 'apply', folder, '--yes');
    assert.match(refused.errors, /gets a secret that is shown once/);
    await write('open.ndjson', '');
    const readable = await expectStatus(1, 'apply', folder, '--yes', '--secrets-to', join(folder, 'open.ndjson'));
    assert.match(readable.errors, /Nothing was changed, because others may read/);
    const nowhere = await expectStatus(1, 'apply', folder, '--yes', '--secrets-to', join(folder, 'no', 'file'));
    assert.match(nowhere.errors, /Nothing was changed, because .* cannot be written \(ENOENT\)/);
    const applied = await expectDone('apply', folder, '--yes', '--secrets-to', secrets);
    assert.match(applied.errors, /done {2}create applications Shop 😀/);
    assert.equal((await stat(secrets)).mode & 0o777, 0o600);
    const issued = (await readFile(secrets, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(issued.map(({ kind, field }) => `${kind} ${field}`).sort(), [
      'applications secret',
      'status-components heartbeatUrl',
      'webhook-endpoints secret',
    ]);
    assert.match((await expectDone('plan', folder)).output, /No changes\.\n$/);
    await expectDone('export', folder);
    assert.doesNotMatch(await read('webhook-endpoints.yaml'), /hush/);
    assert.match(await read('webhook-endpoints.yaml'), /\$\{env:WEBHOOK_ENDPOINTS_/);
    assert.match(
      await read('identity-providers.yaml'),
      /clientSecret: \$\{env:IDENTITY_PROVIDERS_ACME_CLIENT_SECRET\}/,
    );
    assert.match((await expectDone('plan', folder)).output, /No changes\.\n$/);
  });

  test('keeps strange values as they are', async () => {
    const strange = [
      'yes',
      'no',
      '1e3',
      '0x1f',
      'null',
      '~',
      'a: b # c',
      '"quoted"',
      "it's",
      ' lead',
      '- x',
      '{a}',
      '\ttab',
      'é😀\u202e',
    ];
    const records = strange.map((description, index) => ({ key: `strange:n${index}`, description }));
    records.push({
      key: 'strange:env',
      description: `costs ${reference('env:NOT_A_VARIABLE')} and $${reference('file:x')}`,
    });
    for (const body of records) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await admin(latchkey, 'permissions', { body });
    }
    await expectDone('export', folder, '--only', 'permissions');
    assert.equal((await expectDone('plan', folder)).output, 'No changes.\n');
    const page = await admin(latchkey, 'permissions?limit=100');
    const before = page.items.filter(({ builtIn }: { builtIn: boolean }) => !builtIn);
    await expectDone('apply', folder, '--environment', 'production', '--yes');
    assert.match((await expectDone('plan', folder, '--environment', 'production', '--prune')).output, /^No changes/);
    assert.ok(before.length >= records.length);
  });

  test('removes only with --prune, and never the client it uses', async () => {
    await admin(latchkey, 'permissions', { body: { key: 'pruned:read', description: 'Old' } });
    await admin(latchkey, 'roles', { body: { key: 'pruned', name: 'Pruned', permissions: ['pruned:read'] } });
    await write('permissions.yaml', '[]');
    await write('roles.yaml', '[]');
    const emptied = ['applications', 'organization-roles', 'resource-types', 'webhook-endpoints'];
    await Promise.all(emptied.map((name) => write(`${name}.yaml`, '[]')));
    const kept = await expectDone('plan', folder);
    assert.match(kept.output, /Only in the project, removed with --prune: roles .*pruned/);
    await expectDone('apply', folder, '--yes', '--prune');
    assert.equal((await expectDone('plan', folder, '--prune')).output, 'No changes.\n');
    const { items } = await admin(latchkey, 'applications');
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ['Demo back end'],
    );
  });
});

async function writeEverything(): Promise<void> {
  await write(
    'permissions.yaml',
    '- key: orders:refund\n  description: Refund\n- key: orders:see\n  description: See\n',
  );
  await write('roles.yaml', '- key: support\n  name: Support\n  permissions: [orders:see, orders:refund]\n');
  await write('organization-roles.yaml', '- key: buyer\n  name: Buyer\n  permissions: [orders:see]\n');
  await write(
    'resource-types.yaml',
    '- key: sheet\n  name: Sheet\n  parents: [{ type: drawer, inherits: { reader: reader } }]\n  relations: [{ key: reader, permissions: [orders:see] }]\n- key: drawer\n  name: Drawer\n  relations: [{ key: reader, permissions: [orders:see] }]\n',
  );
  await write(
    'apis.yaml',
    '- identifier: https://stock.example\n  name: Stock\n  scopes: [{ name: "stock:read", description: "" }]\n',
  );
  await write(
    'identity-providers.yaml',
    `- key: acme\n  name: Acme\n  preset: github\n  clientId: abc\n  clientSecret: ${reference('env:CONFIG_TEST_SECRET')}\n`,
  );
  await write(
    'applications.yaml',
    '- name: Shop 😀\n  kind: web\n  enabled: false\n  redirectUris: [https://shop.example/callback]\n  apis: [{ identifier: https://stock.example, scopes: ["stock:read"] }]\n',
  );
  await write('secret.txt', 'hush\n');
  await write(
    'webhook-endpoints.yaml',
    `url: https://example.com/hooks\nevents: ["user.*"]\nheaders:\n  Authorization: ${reference('file:secret.txt')}\n  X-Kind: plain\n`,
  );
  await write(
    'log-streams.yaml',
    `- name: Lake\n  kind: json_lines\n  url: https://example.com/lake\n  secret: ${reference('env:CONFIG_TEST_SECRET')}\n`,
  );
  await write(
    'message-texts.yaml',
    '- template: invitation\n  locale: de\n  subject: Hallo\n  body: |\n    Zeile eins\n    {link}\n  action: Öffnen\n',
  );
  await write('sms-guard.yaml', 'perNumber: 7\n');
  await write('settings.yaml', 'passwordMinLength: 17\nlocales: [de, en]\ndefaultLanguage: de\n');
  await write('status-groups.yaml', '- name: Own\n  position: 7\n');
  await write(
    'status-components.yaml',
    '- name: Nightly job\n  group: Own\n  check: { kind: heartbeat, intervalSeconds: 3600 }\n',
  );
  await write('status-settings.yaml', 'automatic: draft\n');
}
