import { lockUsers } from '#people';
import { allPermissionKeys, permissionKeys } from '#permissions';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import { heldPermissions, isOwner, withRoles } from './access.ts';

/** What each rule requires of the actor. */
export const RULES = {
  covers: 'Holds every permission that the target has, and every one that it would have afterwards.',
  outranks: 'Holds every built-in permission that the person has in this project.',
  account:
    'The account was created in this project and its person is a member of no other; the team of the workspace acts for all its projects. Holds every built-in permission that the person has anywhere. No customer acts on their own account here.',
  visible:
    'The person has entered the project; the account was created in it and its person is a member of no other; the team of the workspace acts for all its projects.',
  ordinary: 'The person is another user, and not an owner.',
  becomes: 'Could become the person: holds every permission that they have, including the project’s own.',
} as const;
type Rule = keyof typeof RULES;

/**
 * The rules an actor must satisfy for each act, in addition to the permission of the route. An act without rules
 * neither grants nor removes authority.
 */
export const AUTHORITY = {
  'role.create': { permission: 'roles:write', rules: ['covers'] },
  'role.change': { permission: 'roles:write', rules: ['covers'] },
  'role.delete': { permission: 'roles:write', rules: ['covers'] },
  'permission.delete': { permission: 'permissions:write', rules: ['covers'] },
  'member.add': { permission: 'members:write', rules: ['covers'] },
  'member.import': { permission: 'members:import', rules: ['covers'] },
  'member.roles.replace': { permission: 'members:write', rules: ['outranks', 'covers'] },
  'member.block': { permission: 'members:write', rules: ['outranks'] },
  'member.unblock': { permission: 'members:write', rules: ['outranks'] },
  'member.remove': { permission: 'members:write', rules: ['outranks'] },
  'member.password.reset': { permission: 'members:write', rules: ['outranks'] },
  'member.mfa.reset': { permission: 'members:write', rules: ['account'] },
  'member.account.read': { permission: 'members:read', rules: ['visible'] },
  'member.factor.remove': { permission: 'members:write', rules: ['account'] },
  'member.passkey.remove': { permission: 'members:write', rules: ['account'] },
  'member.identity.remove': { permission: 'members:write', rules: ['account'] },
  'member.unlock': { permission: 'members:write', rules: ['visible', 'outranks'] },
  'member.verification.send': { permission: 'members:write', rules: ['visible', 'outranks'] },
  'member.address.change': { permission: 'members:write', rules: ['account', 'becomes'] },
  'member.profile.change': { permission: 'members:write', rules: ['account'] },
  'member.impersonate': { permission: 'members:impersonate', rules: ['ordinary', 'becomes'] },
  // No rules, because this is for emergencies and a new sign-in undoes it. Other projects require the account to be in reach.
  'member.sessions.end': { permission: 'sessions:revoke', rules: [] },
  'invitation.create': { permission: 'invitations:write', rules: ['covers'] },
  'invitation.resend': { permission: 'invitations:write', rules: ['covers'] },
  'invitation.revoke': { permission: 'invitations:write', rules: ['covers'] },
  'invitation.accept': { permission: 'invitations:write', rules: ['covers'] },
  'organization.role.create': { permission: 'roles:write', rules: ['covers'] },
  'organization.role.change': { permission: 'roles:write', rules: ['covers'] },
  'organization.role.delete': { permission: 'roles:write', rules: ['covers'] },
  'resource.type.change': { permission: 'roles:write', rules: ['covers'] },
  'organization.member.add': { permission: 'organizations:write', rules: ['covers'] },
  'organization.member.roles.replace': { permission: 'organizations:write', rules: ['covers'] },
  'organization.member.remove': { permission: 'organizations:write', rules: ['covers'] },
  'organization.domain.change': { permission: 'organizations:write', rules: [] },
  'organization.connection.change': { permission: 'organizations:write', rules: ['covers'] },
  'organization.directory.change': { permission: 'organizations:write', rules: [] },
  'organization.policy.change': { permission: 'organizations:write', rules: [] },
  'organization.setup_link.create': { permission: 'organizations:write', rules: ['covers'] },
  'application.create': { permission: 'applications:write', rules: ['covers'] },
  'application.change': { permission: 'applications:write', rules: ['covers'] },
  'application.delete': { permission: 'applications:write', rules: ['covers'] },
  'application.secret.add': { permission: 'applications:write', rules: ['covers'] },
  'application.secret.remove': { permission: 'applications:write', rules: ['covers'] },
} as const satisfies Record<string, { permission: string; rules: readonly Rule[] }>;
export type Act = keyof typeof AUTHORITY;

/** The target of an act: the permissions it grants or holds, before and after, and the user it belongs to. */
type Target = { grants?: readonly string[]; userId?: UserId };

/**
 * Checks that the actor is at least as strong as the target. The caller must have locked the target, so that it can't
 * gain permissions concurrently.
 * @throws Problem AUTHORIZATION_DENIED, with `requiredPermission` if a permission is missing
 */
export async function requireAuthority(tx: TxCtx, act: Act, target: Target): Promise<void> {
  for (const rule of AUTHORITY[act].rules) {
    // biome-ignore lint/performance/noAwaitInLoops: at most two, on one connection
    await CHECKS[rule](tx, target);
  }
}

const CHECKS: Record<Rule, (tx: TxCtx, target: Target) => Promise<void>> = {
  covers: async (tx, { grants = [] }) => refuse(await excessOf(tx, grants), 'this'),
  outranks: async (tx, target) => {
    const grants = await grantsOf(tx, personIn(target));
    const here = grants.filter(({ projectId }) => projectId === tx.scope.projectId);
    refuse(await excessOf(tx, builtInIn(tx, here)), 'this person');
  },
  account: async (tx, target) => {
    await requireAccountInReach(tx, personIn(target));
    const grants = await grantsOf(tx, personIn(target));
    refuse(await excessOf(tx, builtInIn(tx, grants)), 'this person');
  },
  visible: async (tx, target) => {
    const userId = personIn(target);
    if (await isStranger(tx, userId))
      throw problem('AUTHORIZATION_DENIED', 'The project sees the account of a person once they have entered it.');
    if (await isAccountInReach(tx, userId)) return;
    throw problem('AUTHORIZATION_DENIED', 'This account belongs to other projects, too.');
  },
  ordinary: async (tx, target) => {
    const userId = personIn(target);
    const owner = (await grantsOf(tx, userId)).some((grant) => grant.owner);
    if (owner || (tx.actor.kind === 'customer' && tx.actor.userId === userId))
      throw problem('AUTHORIZATION_DENIED', 'You cannot act as an owner or as yourself.');
  },
  becomes: async (tx, target) => {
    const grants = await grantsOf(tx, personIn(target));
    const all = grants.flatMap(({ permissions }) => permissions);
    refuse(await excessOf(tx, all), 'this person');
  },
};

/** A project's custom permissions give no power over members. */
function builtInIn({ system }: TxCtx, grants: readonly { permissions: readonly string[] }[]): string[] {
  const builtIn = permissionKeys(system);
  return grants.flatMap(({ permissions }) => permissions.filter((key) => builtIn.includes(key)));
}

function personIn({ userId }: Target): UserId {
  if (userId === undefined) throw new Error('This act is about a person.');
  return userId;
}

function refuse(excess: string | undefined, about: string): void {
  if (excess === undefined) return;
  throw problem('AUTHORIZATION_DENIED', {
    detail: `You can only grant, or act on, permissions that you have; ${about} has or would have "${excess}", and you do not.`,
    extensions: { requiredPermission: excess },
  });
}

/** The first of these permissions that the actor does not hold now. */
async function excessOf(ctx: Ctx | TxCtx, permissions: readonly string[]): Promise<string | undefined> {
  return permissions.length === 0 ? undefined : excessAmong(ctx, await heldPermissions(ctx), permissions);
}

/**
 * The only comparison of strength: returns the first of these permissions that the actor does not hold. Operators can't
 * hold a project's custom permissions, so an actor with every built-in permission counts as holding them.
 */
export function excessAmong(
  { actor, system }: Pick<TxCtx, 'actor' | 'system'>,
  held: readonly string[],
  permissions: readonly string[],
): string | undefined {
  const builtIn = permissionKeys(system);
  const coversOwn = actsForWorkspace({ actor }) || builtIn.every((key) => held.includes(key));
  return permissions.find((key) => !held.includes(key) && !(coversOwn && !builtIn.includes(key)));
}

/**
 * Team members of a workspace and the system act for all its projects; every other actor only for the project they are
 * in.
 */
function actsForWorkspace({ actor }: Pick<Ctx, 'actor'>): boolean {
  return actor.kind === 'operator' || actor.kind === 'system';
}

/** The permissions a user's roles grant, in each project of the workspace. */
async function grantsOf(tx: TxCtx, userId: UserId) {
  const rows = await withRoles(tx, userId)
    .select(['m.project_id as projectId', 'r.permissions', isOwner.as('owner')])
    .where('r.id', 'is not', null)
    .execute();
  const everything = rows.some((row) => row.owner) ? await allPermissionKeys(tx) : [];
  return rows.map(({ projectId, permissions, owner }) => ({
    projectId,
    owner,
    permissions: owner ? everything : (permissions ?? []),
  }));
}

/**
 * An account belongs to its person, not to the administrators of one project. The administrators of the project that
 * created it manage it only while its person is a member of no other project.
 */
async function requireAccountInReach(tx: TxCtx, userId: UserId): Promise<void> {
  if (tx.actor.kind === 'customer' && tx.actor.userId === userId)
    throw problem('AUTHORIZATION_DENIED', 'Change your own account at /v1/me, which asks for a fresh proof.');
  if (await isAccountInReach(tx, userId)) return;
  throw problem(
    'AUTHORIZATION_DENIED',
    'This account was not created in this project, or its person is in other projects, too; only that person can change it.',
  );
}

/** Whether the project added the person and they have not entered it. Served by members_of_user. */
async function isStranger(tx: TxCtx, userId: UserId): Promise<boolean> {
  const row = await tx.db
    .selectFrom('members')
    .select('known_as as knownAs')
    .where(inScope(tx))
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.knownAs !== null;
}

/** Whether the actor may change the account: they act for all projects, or {@link isOnlyHere}. */
export async function isAccountInReach(tx: TxCtx, userId: UserId): Promise<boolean> {
  return actsForWorkspace(tx) || (await isOnlyHere(tx, userId));
}

/**
 * Whether the account was created in `tx.scope`'s project and its person is in no other. Holds until the transaction
 * ends.
 */
async function isOnlyHere(tx: TxCtx, userId: UserId): Promise<boolean> {
  // The lock keeps the person from joining another project: inserting a membership needs a lock on the user's row.
  const homeProjects = await lockUsers(tx, [userId]);
  if (homeProjects.get(userId) !== tx.scope.projectId) return false;
  const elsewhere = await tx.db
    .selectFrom('members')
    .select('id')
    .where(acrossProjects(tx))
    .where('user_id', '=', userId)
    .where('project_id', '!=', tx.scope.projectId)
    .limit(1)
    .executeTakeFirst();
  return elsewhere === undefined;
}

/** {@link isAccountInReach} for an account that was read without a lock: a person may join another project meanwhile. */
export function isInReachAsRead(ctx: Ctx, account: { homeProjectId: ProjectId | null; isElsewhere: boolean }): boolean {
  return actsForWorkspace(ctx) || (account.homeProjectId === ctx.scope.projectId && !account.isElsewhere);
}
