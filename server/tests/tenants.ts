import { createApplication } from '#applications';
import { createUser, hashPassword } from '#identity';
import { addMember, permissionKeys, setUpRoles } from '#members';
import type { Scope } from '#platform/ctx.ts';
import { createProject, createWorkspace } from '#tenancy';
import { PASSWORD, type TestLatchkey } from './harness.ts';

export type Tenant = { scope: Scope; owner: string; clientId: string; clientSecret: string };

/** Makes a workspace of its own beside the demo: a project with an owner and a management client in the test environment. */
export async function createTenant(latchkey: TestLatchkey, name: string): Promise<Tenant> {
  const passwordHash = await hashPassword(latchkey.system, PASSWORD);
  return latchkey.inProject(async (base) => {
    const { id: workspaceId } = await createWorkspace(base, name);
    const projectId = await createProject({ ...base, scope: { ...base.scope, workspaceId } }, `${name} project`);
    const scope: Scope = { workspaceId, projectId, environment: 'test' };
    const tx = { ...base, scope };
    await setUpRoles(tx);
    const owner = `owner@${name}.example`;
    await addMember(
      tx,
      await createUser(tx, { address: { kind: 'email', value: owner, verified: true }, passwordHash, profile: {} }),
      ['owner'],
    );
    const { clientId, secret } = await createApplication(tx, {
      kind: 'management',
      name: 'Back end',
      permissions: permissionKeys,
    });
    return { scope, owner, clientId, clientSecret: secret ?? '' };
  });
}

/** Signs the tenant's owner in. @returns an access token */
export async function tenantToken(latchkey: TestLatchkey, { scope, owner }: Tenant): Promise<string> {
  const { body } = await latchkey.auth('/v1/auth/login/password', {
    body: { workspaceId: scope.workspaceId, projectId: scope.projectId, identifier: owner, password: PASSWORD },
  });
  return body.access_token;
}

/** A management token of the tenant's back end. */
export async function tenantManagementToken(latchkey: TestLatchkey, tenant: Tenant): Promise<string> {
  const { workspaceId, projectId, environment } = tenant.scope;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    workspaceId,
    projectId,
    environment,
    client_id: tenant.clientId,
    client_secret: tenant.clientSecret,
  });
  return (await latchkey.auth('/connect/token', { body })).body.access_token;
}
