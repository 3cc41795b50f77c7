import { createApplication } from '#applications';
import { createProject } from '#environments';
import { addMember, setUpRoles } from '#members';
import { hashPassword } from '#passwords';
import { createUser } from '#people';
import { permissionKeys } from '#permissions';
import type { Scope, TxCtx } from '#platform/ctx.ts';
import type { ProjectId } from '#platform/ids.ts';
import { createWorkspace } from '#tenancy';
import { PASSWORD, type TestLatchkey } from './harness.ts';

export type Tenant = { scope: Scope; owner: string; clientId: string; clientSecret: string };

/** Creates a workspace beside the demo: a project with an owner and a management client in the test environment. */
export async function createTenant(latchkey: TestLatchkey, name: string): Promise<Tenant> {
  const passwordHash = await hashPassword(latchkey, PASSWORD);
  return latchkey.inProject(async (base) => {
    const { id: workspaceId } = await createWorkspace(base, name);
    const projectId = await createProject({ ...base, scope: { ...base.scope, workspaceId } }, `${name} project`);
    const tx = { ...base, scope: { workspaceId, projectId, environment: 'test' } as const };
    await setUpRoles(tx);
    return staff(tx, name, passwordHash);
  });
}

/** Adds an owner and a management client to a project of the demo. */
export async function staffProject(latchkey: TestLatchkey, projectId: ProjectId, name: string): Promise<Tenant> {
  const passwordHash = await hashPassword(latchkey, PASSWORD);
  return latchkey.inProject((tx) => staff(tx, name, passwordHash), { projectId });
}

async function staff(tx: TxCtx, name: string, passwordHash: string): Promise<Tenant> {
  const owner = `owner@${name}.example`;
  const address = { kind: 'email', value: owner, verified: true } as const;
  await addMember(tx, await createUser(tx, { address, passwordHash, profile: {} }), ['owner']);
  const application = { kind: 'management', name: 'Back end', permissions: permissionKeys(tx.system) } as const;
  const { clientId, secret } = await createApplication(tx, application);
  return { scope: tx.scope, owner, clientId, clientSecret: secret ?? '' };
}

/**
 * Signs the tenant's owner in.
 * @returns an access token
 */
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
