import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { applySteps, makePlan, type Plan, readFolder, type Target, worldOf } from '#configuration';
import { admin, newApplication } from '#tests/apis.ts';
import { runLatchkey } from '#tests/command-line.ts';
import { type Domains, startDomains } from '#tests/domains.ts';
import type { TestLatchkey } from '#tests/harness.ts';
import { accessFrom, targetFor } from './configuration-client.ts';

let domains: Domains;
let latchkey: TestLatchkey;
let base: string;
let folder: string;
let credentials: string;
before(async () => {
  base = await mkdtemp(join(tmpdir(), 'latchkey-configuration-'));
  domains = await startDomains();
  latchkey = domains.latchkey;
  credentials = join(base, 'demo.json');
  await writeFile(credentials, JSON.stringify(latchkey.demo));
});
after(async () => {
  await domains.stop();
  await rm(base, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(base, 'files-'));
});

const run = (...words: string[]) => runLatchkey(['config', ...words, '--credentials', credentials], {});
const write = (name: string, text: string) => writeFile(join(folder, name), text);
const sources = () => ({ folder, environment: {} });
const PRUNE = { prune: true, setSecrets: false };

async function target(): Promise<Target> {
  return targetFor(await accessFrom({}, { credentials }));
}

async function planned(given?: Target): Promise<{ world: ReturnType<typeof worldOf>; plan: Plan }> {
  const world = worldOf(given ?? (await target()));
  const plan = await makePlan(world, await readFolder(sources()), { options: PRUNE, sources: sources() });
  return { world, plan };
}

async function applied(given?: Target, before?: Awaited<ReturnType<typeof planned>>) {
  const { world, plan } = before ?? (await planned(given));
  const onIssued = async () => undefined;
  return applySteps(world, plan.steps, { sources: sources(), setSecrets: false, onIssued, onDone: () => undefined });
}

const namesOf = async (path: string): Promise<string[]> => {
  const { items } = await admin(latchkey, `${path}?limit=100`);
  return items.map(({ name, key }: { name?: string; key?: string }) => key ?? name);
};

describe('changes of others', () => {
  test('a record that was changed since the plan keeps its change', async () => {
    await admin(latchkey, 'permissions', { body: { key: 'since:read', description: 'first' } });
    await write('permissions.yaml', '- key: since:read\n  description: mine\n');
    const before = await planned();
    await admin(latchkey, 'permissions/since:read', { method: 'PATCH', body: { description: 'theirs' } });
    const { failed } = await applied(undefined, before);
    assert.equal(failed?.reason, 'since:read was changed since the plan was made');
    assert.equal((await admin(latchkey, 'permissions/since:read')).description, 'theirs');
  });

  test('a change between reading and writing is refused by the ETag', async () => {
    await write('settings.yaml', 'passwordMinLength: 21\n');
    const real = await target();
    let changed = false;
    const call: Target['call'] = async (method, path, sent) => {
      if (method === 'PATCH' && !changed) {
        changed = true;
        await admin(latchkey, 'settings', { method: 'PATCH', body: { passwordMinLength: 22 } });
      }
      return real.call(method, path, sent);
    };
    const { failed } = await applied({ ...real, call });
    assert.equal(failed?.reason, 'it was changed since the plan was made');
    assert.equal((await admin(latchkey, 'settings')).passwordMinLength, 22);
  });

  test('two applies at the same time make one record', async () => {
    await write(
      'applications.yaml',
      '- name: Demo app\n- name: Twin\n  kind: spa\n  redirectUris: [https://twin.example/]\n',
    );
    const plans = await Promise.all([planned(), planned()]);
    const outcomes = await Promise.all(plans.map((before) => applied(undefined, before)));
    const made = (await namesOf('applications')).filter((name) => name === 'Twin');
    assert.deepEqual([made.length, outcomes.filter(({ failed }) => failed === null).length], [1, 1]);
  });
});

test('an apply that dies in the middle continues when it runs again', async () => {
  const keys = ['aa', 'bb', 'cc', 'dd'].map((name) => `dies:${name}`);
  await write('roles.yaml', '- key: dies\n  name: Dies\n  permissions: [dies:aa, dies:dd]\n');
  await write('permissions.yaml', keys.map((key) => `- key: ${key}\n  description: d\n`).join(''));
  const real = await target();
  let writes = 0;
  const call: Target['call'] = async (method, path, sent) => {
    if (method !== 'GET') writes += 1;
    if (writes === 3) throw new Error('the network is gone');
    return real.call(method, path, sent);
  };
  const died = await applied({ ...real, call });
  assert.match(died.failed?.reason ?? '', /the network is gone/);
  assert.equal(died.done.length, 2);
  assert.ok(died.left.length > 2);
  assert.equal((await applied()).failed, null);
  assert.deepEqual((await planned()).plan.steps, []);
});

describe('what a client may not see', () => {
  test('is unknown, and nothing is applied or removed', async () => {
    await admin(latchkey, 'permissions', { body: { key: 'unseen:read', description: 'd' } });
    const permissions = ['roles:read', 'roles:write', 'permissions:write'];
    const body = { kind: 'management', name: 'Half', permissions, redirectUris: [] };
    const half = await newApplication(latchkey, body);
    const file = join(folder, '.half.json');
    const { test: known } = latchkey.demo.environments;
    const environments = {
      test: { ...known, managementClientId: half.clientId, managementClientSecret: half.secret },
    };
    await writeFile(file, JSON.stringify({ ...latchkey.demo, environments }));
    await write('permissions.yaml', '[]');
    await write('roles.yaml', '- key: unseen\n  name: Unseen\n');
    const runHalf = (...words: string[]) => runLatchkey(['config', ...words, '--credentials', file], {});
    const plan = await runHalf('plan', folder, '--prune');
    assert.equal(plan.status, 1);
    assert.match(plan.output, /Not compared: permissions, because the client lacks the permission permissions:read/);
    const refused = await runHalf('apply', folder, '--prune', '--yes');
    assert.equal(refused.status, 1);
    assert.match(refused.errors, /Nothing was changed, because permissions could not be compared/);
    assert.ok((await namesOf('permissions')).includes('unseen:read'));
    const exported = await runHalf('export', folder, '--only', 'permissions,roles');
    assert.match(exported.output, /Not exported: permissions, because .*permissions:read/);
    assert.equal(await readFile(join(folder, 'permissions.yaml'), 'utf8'), '[]');
    const only = await runHalf('apply', folder, '--yes', '--only', 'roles');
    assert.equal(only.status, 0, only.errors);
  });
});

describe('keys', () => {
  test('that several records share are faults, and keep the records', async () => {
    await newApplication(latchkey, { name: 'Same' });
    await newApplication(latchkey, { name: 'Same' });
    await write('applications.yaml', '- name: Same\n');
    const plan = await run('plan', folder, '--prune');
    assert.equal(plan.status, 1);
    assert.match(plan.errors, /^applications\.yaml:1 "Same" names several records of the project/m);
    await write('applications.yaml', '- name: Demo app\n');
    const pruned = await planned();
    assert.ok(!pruned.plan.steps.some(({ key }) => key === 'Same' || key === 'Demo back end'));
    await run('export', folder, '--only', 'applications');
    const text = await readFile(join(folder, 'applications.yaml'), 'utf8');
    assert.match(text, /# Not listed: several records are named "Same"\./);
  });

  test('of built-in records and of the own client are faults', async () => {
    await write('roles.yaml', '- key: owner\n  name: Mine\n');
    await write('applications.yaml', '- name: Demo back end\n  kind: management\n');
    const { errors, status } = await run('plan', folder);
    assert.equal(status, 1);
    assert.match(errors, /^roles\.yaml:1 "owner" is built in/m);
    assert.match(errors, /^applications\.yaml:1 "Demo back end" is the client that this command uses/m);
  });

  test('a field that cannot be changed is a fault, and so is a new record that is not whole', async () => {
    await write('applications.yaml', '- name: Demo app\n  kind: native\n');
    await write('apis.yaml', '- identifier: https://new.example\n');
    const { errors } = await run('plan', folder);
    assert.match(errors, /^applications\.yaml:1 kind cannot be changed: remove "Demo app" first/m);
    assert.match(errors, /^apis\.yaml:1 is new and needs name$/m);
  });
});

test('an application by SAML names its organization, not an id', async () => {
  const { id: organizationId } = await admin(latchkey, 'organizations', { body: { name: 'Initech', slug: 'initech' } });
  const consumers = [{ url: 'https://sp.example/acs', index: 0 }];
  const saml = { entityId: 'https://sp.example', consumers, organizationId };
  await admin(latchkey, 'applications', { body: { kind: 'saml', name: 'Portal', saml } });
  await run('export', folder, '--only', 'applications');
  const text = await readFile(join(folder, 'applications.yaml'), 'utf8');
  assert.match(text, /organization: initech\n/);
  assert.doesNotMatch(text, /org_/);
  const exported = await run('plan', folder);
  assert.match(exported.output, /^No changes/, exported.errors);
  await write('applications.yaml', '- name: Portal\n  saml: { organization: nobody, sessionSeconds: 600 }\n');
  const unknown = await run('apply', folder, '--yes');
  assert.match(unknown.errors, /Stopped at change applications Portal: there is no organization "nobody"/);
  await write('applications.yaml', '- name: Portal\n  saml: { organization: null, sessionSeconds: 600 }\n');
  const plan = await run('plan', folder);
  assert.match(plan.output, /saml\.organization: "initech" → null\n {4}saml\.sessionSeconds: null → 600/);
  assert.equal((await run('apply', folder, '--yes')).status, 0);
  assert.match((await run('plan', folder)).output, /No changes\.\n$/);
});

test('an application of each kind is the same in production', async () => {
  const { items: before } = await admin(latchkey, 'applications?limit=100');
  await Promise.all(
    before
      .filter(({ name }: { name: string }) => name !== 'Demo back end')
      .map(({ id }: { id: string }) => admin(latchkey, `applications/${id}`, { method: 'DELETE' })),
  );
  await Promise.all(
    ['spa', 'web', 'native', 'management', 'device'].map((kind) =>
      admin(latchkey, 'applications', {
        body: {
          kind,
          name: `Of kind ${kind}`,
          ...(['spa', 'web', 'native'].includes(kind) && { redirectUris: [`https://${kind}.example/callback`] }),
        },
      }),
    ),
  );
  const saml = { entityId: 'https://other.example', consumers: [{ url: 'https://other.example/acs', index: 0 }] };
  await admin(latchkey, 'applications', { body: { kind: 'saml', name: 'Of kind saml', saml } });
  await run('export', folder, '--only', 'applications');
  const words = [folder, '--environment', 'production', '--prune'];
  const done = await run('apply', ...words, '--yes', '--secrets-to', join(folder, '.issued'));
  assert.equal(done.status, 0, done.errors);
  assert.match((await run('plan', ...words)).output, /^No changes/);
});

test('a record that others refer to is not removed, and the rest is', async () => {
  await admin(latchkey, 'permissions', { body: { key: 'held:read', description: 'd' } });
  await admin(latchkey, 'organization-roles', { body: { key: 'holder', name: 'Holder', permissions: ['held:read'] } });
  await write('permissions.yaml', '[]');
  const ran = await run('apply', folder, '--yes', '--prune');
  assert.match(ran.errors, /Stopped at remove permissions held:read: .* 409 CONFLICT/);
  assert.equal(ran.status, 1);
  assert.ok((await namesOf('permissions')).includes('held:read'));
});

test('a domain is added, waits for its proof, and is bound by the next apply', async () => {
  const host = 'login.as-code.example';
  await write('domains.yaml', `- host: ${host}\n  purposes: [auth]\n`);
  const waiting = await run('apply', folder, '--yes');
  assert.equal(waiting.status, 1);
  assert.match(
    waiting.errors,
    /is not verified\. Publish the TXT record _latchkey-verification\.login\.as-code\.example/,
  );
  const { items } = await admin(latchkey, 'domains');
  domains.publish(items.find((one: { host: string }) => one.host === host));
  const bound = await run('apply', folder, '--yes');
  assert.equal(bound.status, 0, bound.errors);
  assert.match((await run('plan', folder, '--prune')).output, /^No changes/);
  await write('domains.yaml', '[]');
  assert.equal((await run('apply', folder, '--yes', '--prune')).status, 0);
  assert.match((await run('plan', folder, '--prune')).output, /^No changes/);
  const kept = (await admin(latchkey, 'domains')).items.map((one: { host: string }) => one.host);
  assert.ok(kept.includes(host));
});

test('wrong words end with 1, because 2 means changes', async () => {
  assert.equal((await run('plan')).status, 1);
  assert.equal((await run('plan', folder, '--prnue')).status, 1);
  const nothing = await run('plan', folder);
  assert.deepEqual([nothing.status, /has no files of configuration/.test(nothing.errors)], [1, true]);
  const unnamed = await runLatchkey(['config', 'plan', folder], {});
  assert.match(unnamed.errors, /^Set LATCHKEY_ISSUER, LATCHKEY_API, LATCHKEY_CLIENT_ID/);
});
