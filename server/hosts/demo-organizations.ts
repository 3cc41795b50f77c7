import { ownersOfIdentifiers } from '#identifiers';
import { addMember } from '#members';
import { joinOrganization, organizationSetUp } from '#organizations';
import { createUser } from '#people';
import { systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { MemberId, OrganizationId, UserId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import type { Demo } from './demo.ts';

type Person = { userId: UserId; memberId: MemberId };

/**
 * Adds two organizations to the demo's first project, in both environments. The demo owner is in both; the others sign in
 * by a mail to the inbox of development mode.
 */
export async function addDemoOrganizations(
  system: System,
  { workspaceId, projects, environments }: Demo,
): Promise<void> {
  const [first] = projects;
  if (!first) return;
  for (const environment of ['test', 'production'] as const) {
    const scope = { workspaceId, projectId: first.id, environment };
    // biome-ignore lint/performance/noAwaitInLoops: two transactions, one after the other
    await transaction(systemCtx(system, scope, 'first-start', 'first-start'), (tx) =>
      fill(tx, environments[environment].owner.email),
    );
  }
}

async function fill(tx: TxCtx, ownerEmail: string): Promise<void> {
  const owners = await ownersOfIdentifiers(tx, [{ kind: 'email', value: ownerEmail }]);
  const [ownerId] = owners.values();
  if (!ownerId) return;
  await organizationSetUp.createRole(tx, {
    key: 'billing',
    name: 'Billing',
    description: 'Sees the members of the organization and its audit log',
    delegable: true,
    permissions: ['org.members:read', 'org.audit:read'],
  });
  const owner = { userId: ownerId, memberId: await addMember(tx, ownerId) };
  const ada = await addPerson(tx, 'ada@acme.example', 'Ada Adams');
  const ben = await addPerson(tx, 'ben@acme.example', 'Ben Brown');
  const eve = await addPerson(tx, 'eve@globex.example', 'Eve Evans');
  const acme = await addOrganization(tx, 'Acme', 'acme.example');
  await join(tx, acme, ada, ['owner']);
  await join(tx, acme, ben, ['billing']);
  await join(tx, acme, owner, ['admin']);
  const globex = await addOrganization(tx, 'Globex', 'globex.example');
  await join(tx, globex, eve, ['owner']);
  await join(tx, globex, ben, []);
  await join(tx, globex, owner, []);
}

async function addPerson(tx: TxCtx, email: string, displayName: string): Promise<Person> {
  const address = { kind: 'email', value: email, verified: true } as const;
  const userId = await createUser(tx, { address, passwordHash: null, profile: { displayName } });
  return { userId, memberId: await addMember(tx, userId) };
}

/** Its mail domain waits for a DNS record that no server has. */
async function addOrganization(tx: TxCtx, name: string, domain: string): Promise<OrganizationId> {
  const { id } = await organizationSetUp.create(tx, { name, slug: name.toLowerCase() });
  await organizationSetUp.claimDomain(tx, id, domain);
  return id;
}

function join(tx: TxCtx, organizationId: OrganizationId, person: Person, roles: readonly string[]): Promise<void> {
  return joinOrganization(tx, { organizationId, ...person }, roles);
}
