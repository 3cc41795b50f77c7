import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApi, storedGrants } from '#apis';
import { createApplication } from '#applications';
import { addDevProvider, DEV_APP_CALLBACK } from '#dev';
import { createProject, updateSettings } from '#environments';
import { addMember, setUpRoles } from '#members';
import { addTeamMember, createOperator, installationOf, workspaceScope } from '#operators';
import { createOrganization, joinOrganization } from '#organizations';
import { hashPassword } from '#passwords';
import { createUser } from '#people';
import { permissionKeys } from '#permissions';
import { type Environment, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { MemberId, OrganizationId, ProjectId, UserId, WorkspaceId } from '#platform/ids.ts';
import { at } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { createWorkspace, takeDefaultProject } from '#tenancy';

type DemoEnvironment = {
  authUrl: string;
  apiUrl: string;
  clientId: string;
  managementClientId: string;
  managementClientSecret: string;
  owner: { email: string; password: string };
  /** Of the first project. The owner is in both: owner of the first, admin of the second. */
  organizations: { id: OrganizationId; name: string; slug: string }[];
};

/** The demo workspace's addresses, ids and credentials, as `demo.json` holds them. */
export type Demo = {
  consoleUrl: string;
  /** The demo operator, who can sign in to the console. */
  operator: { email: string; password: string };
  workspaceId: WorkspaceId;
  projects: { id: ProjectId; name: string }[];
  environments: Record<Environment, DemoEnvironment>;
};

const DEMO_OWNER = 'owner@demo.example';
const ORGANIZATIONS = [
  { name: 'Acme Industries', slug: 'acme', roles: ['owner'] },
  { name: 'Globex Corporation', slug: 'globex', roles: ['admin'] },
];

/** Writes `demo.json` (mode 0600). */
export async function writeDemo({ config }: System, demo: Demo): Promise<void> {
  await writeFile(join(config.dataDir, 'demo.json'), `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
}

/**
 * Creates a workspace with two projects, their clients and an owner in both environments.
 * @param operatorEmail the address of the workspace's operator, who also owns the installation
 * @param options `organizations`: adds two in both environments, for people who look around
 */
export async function createDemo(
  system: System,
  operatorEmail: string,
  { organizations }: { organizations: boolean },
): Promise<Demo> {
  const operator = await newOwner(system, operatorEmail);
  const owners = { test: await newOwner(system, DEMO_OWNER), production: await newOwner(system, DEMO_OWNER) };
  const nowhere = systemCtx(
    system,
    { workspaceId: 'wrk_', projectId: 'prj_', environment: 'test' },
    'first-start',
    'first-start',
  );
  return transaction(nowhere, async (base) => {
    const workspace = await createWorkspace(base, 'Demo');
    const tx: TxCtx = at(base, { workspaceId: workspace.id });
    const projects = [await addProject(tx, 'Shop'), await addProject(tx, 'Helpdesk')];
    const inEnvironment = (environment: Environment) =>
      fillEnvironment(at(tx, { environment }), projects, { owner: owners[environment], organizations });
    const environments = { test: await inEnvironment('test'), production: await inEnvironment('production') };
    const { email, password, hash } = operator;
    const userId = await createOperator(tx, { email, displayName: 'Demo Operator', passwordHash: hash });
    for (const team of [workspace.id, installationOf(system).scope.workspaceId]) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      await addTeamMember(at(tx, workspaceScope(team)), userId, 'owner');
    }
    return {
      consoleUrl: system.config.addresses.console,
      operator: { email, password },
      workspaceId: workspace.id,
      projects,
      environments,
    };
  });
}

async function addProject(tx: TxCtx, name: string): Promise<Demo['projects'][number]> {
  return { id: await createProject(tx, name), name };
}

type Owner = { email: string; password: string; hash: string };

async function newOwner(system: System, email: string): Promise<Owner> {
  const password = randomBytes(15).toString('base64url');
  return { email, password, hash: await hashPassword({ system }, password) };
}

async function addOrganizations(
  project: TxCtx,
  who: { memberId: MemberId; userId: UserId },
): Promise<DemoEnvironment['organizations']> {
  const added = [];
  for (const { name, slug, roles } of ORGANIZATIONS) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    const { id } = await createOrganization(project, { name, slug });
    await joinOrganization(project, { ...who, organizationId: id }, roles);
    added.push({ id, name, slug });
  }
  return added;
}

type Wanted = { owner: Owner; organizations: boolean };

async function fillEnvironment(
  tx: TxCtx,
  projects: Demo['projects'],
  { owner, organizations: wanted }: Wanted,
): Promise<DemoEnvironment> {
  const [first, ...others] = projects.map(({ id }) => at(tx, { projectId: id }));
  if (!first) throw new Error('The demo needs a project.');
  for (const project of [first, ...others]) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await setUpRoles(project);
    // On one page: programs fill in its form, such as those that test OpenID Connect.
    await updateSettings(project, { signInLayout: 'combined' });
  }
  const userId = await createUser(first, {
    address: { kind: 'email', value: owner.email, verified: true },
    passwordHash: owner.hash,
    profile: { displayName: 'Demo Owner' },
  });
  const memberId = await addMember(first, userId, ['owner']);
  for (const project of others) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await addMember(project, userId, ['owner']);
  }
  const organizations = wanted ? await addOrganizations(first, { memberId, userId }) : [];
  await takeDefaultProject(first);
  const identifier = 'https://orders.demo.example';
  await createApi(first, {
    identifier,
    name: 'Orders',
    scopes: [
      { name: 'orders:read', description: 'See your orders' },
      { name: 'orders:write', description: 'Place and cancel orders' },
    ],
  });
  const client = await createApplication(first, {
    kind: 'spa',
    name: 'Demo app',
    apis: await storedGrants(first, { machine: false }, [{ identifier, scopes: ['orders:read', 'orders:write'] }]),
    redirectUris: ['http://localhost:5173/callback', `${first.system.config.addresses.console}${DEV_APP_CALLBACK}`],
    postLogoutRedirectUris: ['http://localhost:5173/', `${first.system.config.addresses.console}/`],
    origins: ['http://localhost:5173'],
  });
  await addDevProvider(first);
  const management = await createApplication(first, {
    kind: 'management',
    name: 'Demo back end',
    permissions: [...permissionKeys(first.system)],
  });
  if (management.secret === null) throw new Error('A management client always gets a secret.');
  const { auth, api } = tx.system.config.addresses[tx.scope.environment];
  return {
    authUrl: auth,
    apiUrl: api,
    clientId: client.clientId,
    managementClientId: management.clientId,
    managementClientSecret: management.secret,
    owner: { email: owner.email, password: owner.password },
    organizations,
  };
}
