import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { newOperator } from '#tests/operators.ts';
import { CLUSTER, preparePostgres } from '#tests/postgres.ts';
import { fillTenantTables } from '#tests/tenant-rows.ts';
import { createTenant, type Tenant } from '#tests/tenants.ts';
import { expectWhole, prepareMoves } from '#tests/workspace-moves.ts';

const skip = CLUSTER === null ? 'needs a Citus cluster (npm run test:citus)' : false;

/** Without a worker, rows stay as they are while a test compares them. */
const settings = { LATCHKEY_ROLES: 'auth,api,console' };

describe('a workspace that moves from one PostgreSQL to a Citus cluster, and on to another PostgreSQL', {
  skip,
}, () => {
  let servers: Awaited<ReturnType<typeof preparePostgres>>[];
  let moves: Awaited<ReturnType<typeof prepareMoves>>;
  let installations: TestLatchkey[];
  let tenant: Tenant;
  let email: string;

  before(async () => {
    servers = await Promise.all([preparePostgres(() => undefined), preparePostgres(() => undefined)]);
    moves = await prepareMoves();
    const [first, last] = servers.map(({ url }) => ({
      databaseUrl: url,
      settings: { ...settings, LATCHKEY_SECRET: `the secret of the installation at ${url}` },
    }));
    installations = await Promise.all([first, { settings }, last].map(startTestLatchkey));
    const [source] = installations;
    assert.ok(source);
    tenant = await createTenant(source, 'moving');
    ({ email } = await register(source, inTenant()));
    await fillTenantTables(source.system, tenant.scope);
  });
  after(async () => {
    await Promise.all(installations.map((latchkey) => latchkey.stop()));
    await Promise.all([moves.removeFiles(), ...servers.map((server) => server.stop())]);
  });

  const inTenant = () => ({ workspaceId: tenant.scope.workspaceId, projectId: tenant.scope.projectId });

  /** Moves the workspace, whose people then sign in where it is. */
  async function expectMove(source: TestLatchkey | undefined, target: TestLatchkey | undefined): Promise<void> {
    assert.ok(source && target);
    const file = await moves.exported(source, tenant.scope, '--close');
    const owner = await newOperator(target);
    const { status, errors } = await moves.command(target, 'import', file, '--owner', owner.email);
    assert.equal(status, 0, errors);
    await expectWhole(source, target, tenant);
    const body = { ...inTenant(), identifier: email, password: PASSWORD };
    const signedIn = await target.auth('/v1/auth/login/password', { body });
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.equal((await source.auth('/v1/auth/login/password', { body })).status, 400);
  }

  test('is there as a whole on the cluster, and then on the other PostgreSQL', async () => {
    const [first, cluster, last] = installations;
    await expectMove(first, cluster);
    await expectMove(cluster, last);
  });
});
