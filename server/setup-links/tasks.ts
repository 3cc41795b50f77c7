import { Type } from 'typebox';
import { connectionSetUp } from '#connections';
import { authorityNow } from '#members';
import { inside as insiders, organizationSetUp, ownPermissions } from '#organizations';
import { type Ctx, customerOf, type ResponsibleActor, responsibleFor, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';

type Authority = ReturnType<typeof insiders.authority>;
type Act = Parameters<typeof authorityNow>[2];
type ActInside = Parameters<Authority>[1];
type OrganizationRole = Parameters<Authority>[2][number];

/** What a task takes: permissions in the project, or an act that members may do in the organization. */
type Need = { act: Act; grants?: readonly string[]; inside: ActInside };

/** What can be set up with a link, and what its maker must be able to do for it. */
const TASKS = {
  domains: { act: 'organization.domain.change', inside: 'organization.domain.change' },
  connection: {
    act: 'organization.connection.change',
    grants: connectionSetUp.grants([]),
    inside: 'organization.connection.change',
  },
  directory: { act: 'organization.directory.change', inside: 'organization.directory.change' },
  policies: { act: 'organization.policy.change', inside: 'organization.policy.change' },
  team: { act: 'invitation.create', inside: 'invitation.create' },
} as const satisfies Record<string, Need>;

export type Task = keyof typeof TASKS;
/** In the order in which they are best done. */
const tasks: readonly Task[] = ['domains', 'connection', 'directory', 'policies', 'team'];
export const Task = Type.Enum([...tasks]);

/** The acts of tasks that give roles to chosen people. */
const GIVES: { readonly [T in Task]?: Act & ActInside } = {
  directory: 'organization.directory.change',
  team: 'invitation.create',
};

export function actsThatGive(wanted: readonly Task[]): (Act & ActInside)[] {
  return wanted.flatMap((task) => GIVES[task] ?? []);
}

/** The person or client who made a link, and the organization that it is for. */
type Backing = { maker: ResponsibleActor; organizationId: OrganizationId };

/** Those of the tasks that the maker of a link may still do. Work with a link never has more rights than its maker. */
export async function backedTasks<T extends Task>(
  tx: TxCtx,
  backing: Backing,
  wanted: readonly T[],
): Promise<readonly T[]> {
  const backed: T[] = [];
  for (const task of wanted) {
    const need: Need = TASKS[task];
    // biome-ignore lint/performance/noAwaitInLoops: at most five, on one connection
    if ((await mayInProject(tx, backing, need)) || (await maySo(tx, backing, need.inside, []))) backed.push(task);
  }
  return backed;
}

async function mayInProject(
  tx: TxCtx,
  { maker }: Backing,
  { act, grants = [] }: Omit<Need, 'inside'>,
): Promise<boolean> {
  const authority = await authorityNow(tx, maker, act);
  return authority?.covers(grants) === true && (await managesOrganizations(tx, maker));
}

async function managesOrganizations(tx: TxCtx, maker: ResponsibleActor): Promise<boolean> {
  return (await authorityNow(tx, maker, 'organization.setup_link.create')) !== null;
}

async function maySo(
  tx: TxCtx,
  { maker, organizationId }: Backing,
  act: ActInside,
  roles: readonly OrganizationRole[],
): Promise<boolean> {
  if (maker.kind !== 'customer') return false;
  const who = { organizationId, userId: maker.userId };
  return (
    (await insiders.may(tx, who, 'organization.setup_link.create', [])) && (await insiders.may(tx, who, act, roles))
  );
}

/** Acts in which a link gives only its own roles. */
const LIMITED: readonly ActInside[] = [
  'invitation.create',
  'invitation.resend',
  'invitation.revoke',
  'organization.directory.change',
];

/**
 * The authority of a person with a link: that of its maker now.
 * @param only the roles that the link may give, for acts that give roles to chosen people or groups
 */
export function asMakerOf(backing: Backing, only: readonly string[]): Authority {
  return async (tx, act, roles) => {
    const within = !LIMITED.includes(act) || roles.every(({ key }) => only.includes(key));
    const always: readonly string[] = act === TASKS.connection.act ? TASKS.connection.grants : [];
    const grants = [...always, ...roles.flatMap(({ permissions }) => ownPermissions(permissions))];
    const may =
      within && ((await mayInProject(tx, backing, { act, grants })) || (await maySo(tx, backing, act, roles)));
    if (!may) throw problem('AUTHORIZATION_DENIED', 'This link does not allow this, or does not give these roles.');
  };
}

/** The tasks for which the signed-in member may make a link of each of these organizations. */
export function ownTasks(
  ctx: Ctx,
  organizationIds: readonly OrganizationId[],
): Promise<ReadonlyMap<OrganizationId, readonly Task[]>> {
  return transaction(ctx, async (tx) => {
    const { userId } = customerOf(tx);
    const found = new Map<OrganizationId, readonly Task[]>();
    for (const organizationId of organizationIds) {
      const who = { organizationId, userId };
      // biome-ignore lint/performance/noAwaitInLoops: on one connection
      if (await insiders.may(tx, who, 'organization.setup_link.create', []))
        found.set(organizationId, await backedTasks(tx, { maker: responsibleFor(tx.actor), organizationId }, tasks));
    }
    return found;
  });
}

/** More than there are: a project has up to a hundred roles of its own. */
const MAX_LISTED = 200;

/** The keys of the roles that the signed-in member may give in an organization with a link that has these tasks. */
export async function ownRoles(ctx: Ctx, organizationId: OrganizationId, wanted: readonly Task[]): Promise<string[]> {
  const acts = actsThatGive(wanted);
  if (acts.length === 0) return [];
  const { items } = await organizationSetUp.listRoles(ctx, { limit: MAX_LISTED });
  return transaction(ctx, async (tx) => {
    const given = await insiders.givable(tx, { organizationId, userId: customerOf(tx).userId }, acts, items);
    return given.map(({ key }) => key);
  });
}

/** @throws Problem AUTHORIZATION_DENIED for a task that the maker may not do themselves */
export async function requireTasks(tx: TxCtx, backing: Backing, wanted: readonly Task[]): Promise<void> {
  const backed: readonly Task[] = await backedTasks(tx, backing, wanted);
  const missing = wanted.find((task) => !backed.includes(task));
  if (missing !== undefined)
    throw problem(
      'AUTHORIZATION_DENIED',
      `A link does only what you may do yourself, and you may not do "${missing}".`,
    );
}
