import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { applySteps, makePlan, readFolder, type Target, worldOf } from '#configuration';
import { runLatchkey } from '#tests/command-line.ts';
import { startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { createTenant, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { accessFrom, targetFor } from './configuration-client.ts';

let latchkey: TestLatchkey;
let base: string;
let folder: string;
before(async () => {
  base = await mkdtemp(join(tmpdir(), 'latchkey-configuration-'));
  latchkey = await startTestLatchkey();
});
after(async () => {
  await latchkey.stop();
  await rm(base, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(base, 'files-'));
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const read = (name: string) => readFile(join(folder, name), 'utf8');

/** A project of its own, with a file of credentials for its client. */
async function project(name: string): Promise<{ tenant: Tenant; credentials: string }> {
  const tenant = await createTenant(latchkey, name);
  const { workspaceId, projectId } = tenant.scope;
  const { test: known } = latchkey.demo.environments;
  const environment = { ...known, managementClientId: tenant.clientId, managementClientSecret: tenant.clientSecret };
  const credentials = join(base, `${name}.json`);
  await writeFile(
    credentials,
    JSON.stringify({
      ...latchkey.demo,
      workspaceId,
      projects: [{ id: projectId }],
      environments: { test: environment },
    }),
  );
  return { tenant, credentials };
}

type Project = Awaited<ReturnType<typeof project>>;

const run = ({ credentials }: Project, ...words: string[]) =>
  runLatchkey(['config', ...words, '--credentials', credentials], {});

async function expectStatus(status: number, of: Project, ...words: string[]) {
  const ran = await run(of, ...words);
  assert.equal(ran.status, status, ran.output + ran.errors);
  return ran;
}

async function admin(
  { tenant }: Project,
  path: string,
  options: { method?: string; body?: unknown } = {},
): Promise<TestResponse> {
  const token = await tenantManagementToken(latchkey, tenant);
  return latchkey.api(`/v1/admin/status/${path}`, { token, ...options });
}

async function itemsOf(of: Project, path: string) {
  const { status, body, text } = await admin(of, path);
  assert.equal(status, 200, text);
  return body.items;
}

async function writeWholePage(): Promise<void> {
  await write('status-page.yaml', 'published: true\naddress: shop\n');
  await write('status-groups.yaml', '- name: Shops\n  position: 10\n- name: Back office\n');
  await write(
    'status-components.yaml',
    `- name: Shop
  group: Shops
  check: { kind: http, url: https://shop.example/health, intervalSeconds: 60, timeoutSeconds: 10, expectedStatus: 200 }
- name: Nightly job
  group: Back office
  shown: when_degraded
  check: { kind: heartbeat, intervalSeconds: 3600 }
`,
  );
  await write(
    'status-templates.yaml',
    `- kind: incident
  name: Slow
  title: "{components} is slow"
  body: We are looking into it.
  severity: major
  components: [Shop, Nightly job]
- kind: maintenance
  name: Slow
  title: Upgrade
  body: From {begins} to {ends}.
  durationMinutes: 30
`,
  );
  await write('status-settings.yaml', 'name: The shop\nautomatic: draft\nalertEmails: [team@shop.example]\n');
}

describe('the status page of a project in files', () => {
  test('is made whole by one apply, exported without ids, and the same in another project', async () => {
    const [first, second] = [await project('files-first'), await project('files-second')];
    await writeWholePage();
    const planned = await expectStatus(2, first, 'plan', folder);
    assert.match(planned.output, /~ status-page\n {4}published: false → true\n {4}address: null → "shop"/);
    assert.match(planned.output, /\+ status-templates incident\/Slow/);
    assert.match(planned.output, /~ status-settings\n {4}name: null → "The shop"/);
    const refused = await expectStatus(1, first, 'apply', folder, '--yes');
    assert.match(refused.errors, /status-components Nightly job gets a secret that is shown once/);
    assert.equal((await admin(first, 'page')).body.address, null, 'nothing was changed');
    const secrets = join(base, 'first.ndjson');
    await expectStatus(0, first, 'apply', folder, '--yes', '--secrets-to', secrets);
    assert.match(await readFile(secrets, 'utf8'), /"heartbeatUrl","value":"http[^"]+\/api\/status\/heartbeats\//);
    const { body: page } = await admin(first, 'page');
    assert.match(page.address, /^shop-[0-9a-f]{10}$/);
    assert.ok(page.published);
    const [incident] = (await itemsOf(first, 'templates')).filter(({ kind }: { kind: string }) => kind === 'incident');
    const components = await itemsOf(first, 'components');
    assert.deepEqual(incident.componentIds.toSorted(), components.map(({ id }: { id: string }) => id).toSorted());
    assert.match((await expectStatus(0, first, 'plan', folder)).output, /Only in the project.*status-groups Services/);

    await expectStatus(0, first, 'export', folder);
    assert.match(await read('status-page.yaml'), /\npublished: true\naddress: shop\naudience: public\n$/);
    assert.match(await read('status-templates.yaml'), /components:\n {4}- Nightly job\n {4}- Shop\n/);
    const files = ['page', 'groups', 'components', 'templates', 'settings'].map((name) => read(`status-${name}.yaml`));
    assert.doesNotMatch((await Promise.all(files)).join(''), /(cmp|grp|stt)_|heartbeats\//);
    const only = 'status-page,status-groups,status-components,status-templates,status-settings';
    const other = join(base, 'second.ndjson');
    await expectStatus(0, second, 'apply', folder, '--yes', '--only', only, '--secrets-to', other);
    assert.equal((await expectStatus(0, second, 'plan', folder, '--only', only, '--prune')).output, 'No changes.\n');
    assert.notEqual((await admin(second, 'page')).body.address, page.address);
  });

  test('drifts when somebody hides it, keeps its address, and --prune removes what files do not name', async () => {
    const shop = await project('files-drift');
    await writeWholePage();
    await expectStatus(0, shop, 'apply', folder, '--yes', '--prune', '--secrets-to', join(base, 'drift.ndjson'));
    assert.deepEqual(
      (await itemsOf(shop, 'groups')).map(({ name }: { name: string }) => name),
      ['Shops', 'Back office'],
    );
    const { address } = (await admin(shop, 'page')).body;
    await admin(shop, 'page', { method: 'PUT', body: { published: false } });
    await admin(shop, 'templates', { body: { kind: 'incident', name: 'By hand', title: 'x', body: 'y' } });
    const drifted = await expectStatus(2, shop, 'plan', folder, '--prune');
    assert.match(drifted.output, /~ status-page\n {4}published: false → true\n\n- status-templates incident\/By hand/);
    await expectStatus(0, shop, 'apply', folder, '--yes', '--prune');
    assert.deepEqual((await admin(shop, 'page')).body.address, address);
    // A template names components; one that is removed goes from it.
    await write('status-components.yaml', '[]');
    await write('status-templates.yaml', '- kind: incident\n  name: Slow\n  components: []\n');
    await expectStatus(0, shop, 'apply', folder, '--yes', '--prune');
    assert.equal((await expectStatus(0, shop, 'plan', folder, '--prune')).output, 'No changes.\n');
    await write('status-page.yaml', 'published: true\naddress: store\n');
    await expectStatus(0, shop, 'apply', folder, '--yes');
    assert.match((await admin(shop, 'page')).body.address, /^store-/);
  });

  test('a template keeps no trace of a component that was removed by hand', async () => {
    const shop = await project('files-removed');
    await writeWholePage();
    await expectStatus(0, shop, 'apply', folder, '--yes', '--secrets-to', join(base, 'removed.ndjson'));
    const [{ id }] = await itemsOf(shop, 'components');
    assert.equal((await admin(shop, `components/${id}`, { method: 'DELETE' })).status, 204);
    await expectStatus(0, shop, 'export', folder, '--only', 'status-templates,status-components');
    assert.doesNotMatch(await read('status-templates.yaml'), /cmp_/);
    assert.equal((await expectStatus(0, shop, 'plan', folder, '--only', 'status-templates')).output, 'No changes.\n');
  });

  test('without a page its parts are not compared', async () => {
    const shop = await project('files-none');
    await write('status-groups.yaml', '- name: Own\n');
    const none = await expectStatus(1, shop, 'plan', folder);
    assert.match(none.output, /Not compared: status-groups, because the project has no status page yet/);
    await expectStatus(1, shop, 'apply', folder, '--yes');
    await write('status-page.yaml', 'published: false\naddress: later\n');
    await expectStatus(0, shop, 'apply', folder, '--yes');
    assert.deepEqual((await admin(shop, 'page')).body.published, false);
    const exported = await expectStatus(0, await project('files-empty'), 'export', folder);
    assert.match(exported.output, /Not exported: status-templates, because .*no status page yet/);
    assert.match(await read('status-page.yaml'), /\npublished: false\naudience: public\n$/);
  });

  test('a client that may only read plans, and changes nothing', async () => {
    const shop = await project('files-reader');
    const token = await tenantManagementToken(latchkey, shop.tenant);
    const body = { kind: 'management', name: 'Reader', permissions: ['status:read'], redirectUris: [] };
    const { body: reader } = await latchkey.api('/v1/admin/applications', { token, body });
    const weak = await project('files-unused');
    const known = JSON.parse(await readFile(shop.credentials, 'utf8'));
    const environments = {
      test: { ...known.environments.test, managementClientId: reader.clientId, managementClientSecret: reader.secret },
    };
    await writeFile(weak.credentials, JSON.stringify({ ...known, environments }));
    await write('status-page.yaml', 'published: true\n');
    await write('status-settings.yaml', 'name: Taken over\n');
    await expectStatus(2, weak, 'plan', folder);
    const refused = await expectStatus(1, weak, 'apply', folder, '--yes');
    assert.match(refused.errors, /Stopped at change status-page: .*403 .*status:write is missing/);
    assert.equal((await admin(shop, 'page')).body.address, null);
  });

  test('the default project has the page of the installation, which no file changes', async () => {
    const demo = join(base, 'demo.json');
    await writeFile(demo, JSON.stringify(latchkey.demo));
    const runDemo = (...words: string[]) => runLatchkey(['config', ...words, '--credentials', demo], {});
    const exported = await runDemo('export', folder);
    assert.match(exported.output, /Not exported: status-page, because the default project has the page/);
    await write('status-page.yaml', 'published: false\n');
    const planned = await runDemo('plan', folder);
    assert.match(planned.errors, /^status-page\.yaml:1 is not for the default project/m);
  });

  test('hostile and wrong files are faults, each with its line', async () => {
    const shop = await project('files-hostile');
    await write(
      'status-page.yaml',
      'published: yes\naddress: "../../admin"\nslug: x\nurl: https://elsewhere.example\n',
    );
    await write('status-templates.yaml', '- kind: incident\n  name: A\n  components: [&x Shop, *x]\n');
    const wrong = await expectStatus(1, shop, 'plan', folder);
    for (const fault of [
      /^status-page\.yaml:1 published must be boolean/m,
      /^status-page\.yaml:2 address must match pattern/m,
      /^status-page\.yaml:3 slug is no field of this kind/m,
      /^status-page\.yaml:4 url is no field of this kind/m,
      /^status-templates\.yaml:3 anchors and aliases are not allowed/m,
    ])
      assert.match(wrong.errors, fault);
    await write('status-page.yaml', 'published: true\n');
    await write(
      'status-templates.yaml',
      '- kind: incident\n  name: A\n  title: a\n  body: b\n  components: [Nobody]\n',
    );
    const unknown = await expectStatus(1, shop, 'apply', folder, '--yes');
    assert.match(unknown.errors, /Stopped at create status-templates incident\/A: there is no components "Nobody"/);
    await write('status-templates.yaml', '- kind: maintenance\n  name: A\n  title: a\n  body: b\n  severity: minor\n');
    const unfit = await expectStatus(1, shop, 'apply', folder, '--yes');
    assert.match(unfit.errors, /\/body\/severity must be null/);
    const many = Array.from(
      { length: 51 },
      (_, index) => `- name: c${index}\n  group: Services\n  check: { kind: manual }`,
    );
    await rm(join(folder, 'status-templates.yaml'));
    await write('status-components.yaml', many.join('\n'));
    const full = await expectStatus(1, shop, 'apply', folder, '--yes');
    assert.match(full.errors, /Stopped at create status-components c\d+: .*A page has at most 50 components/);
  });
});

describe('two at once', () => {
  const target = async ({ credentials }: Project): Promise<Target> => targetFor(await accessFrom({}, { credentials }));
  const planned = async (of: Project) => {
    const world = worldOf(await target(of));
    const sources = { folder, environment: {} };
    const options = { prune: true, setSecrets: false };
    return { world, plan: await makePlan(world, await readFolder(sources), { options, sources }) };
  };
  const applied = ({ world, plan }: Awaited<ReturnType<typeof planned>>) =>
    applySteps(world, plan.steps, {
      sources: { folder, environment: {} },
      setSecrets: false,
      onIssued: async () => undefined,
      onDone: () => undefined,
    });

  test('make one page, with each record once', async () => {
    const shop = await project('files-twice');
    await writeWholePage();
    const plans = await Promise.all([planned(shop), planned(shop)]);
    await Promise.all(plans.map(applied));
    assert.equal((await applied(await planned(shop))).failed, null, 'what one of them left');
    assert.deepEqual((await planned(shop)).plan.steps, []);
    const counts = await Promise.all(['groups', 'components', 'templates'].map((path) => itemsOf(shop, path)));
    assert.deepEqual(
      counts.map(({ length }) => length),
      [2, 2, 2],
    );
  });

  test('a page that somebody hid since the plan stays hidden', async () => {
    const shop = await project('files-changed');
    await admin(shop, 'page', { method: 'PUT', body: { published: true, address: 'one' } });
    await write('status-page.yaml', 'published: true\naddress: two\n');
    const plan = await planned(shop);
    await admin(shop, 'page', { method: 'PUT', body: { published: false } });
    const { failed } = await applied(plan);
    assert.match(failed?.reason ?? '', /status-page was changed since the plan was made/);
    const { body } = await admin(shop, 'page');
    assert.deepEqual([body.published, body.address.slice(0, 4)], [false, 'one-']);
  });
});
