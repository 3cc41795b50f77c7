import { type accessOf, accessOfEach } from '#members';
import { usersAwaitingErasure } from '#people';
import type { Ctx } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import { type OrganizationMembership, organizationsIn } from '#platform/standing.ts';
import { groupsOfMembers } from '#scim';

/** A person as a check sees them. */
export type Person = {
  userId: UserId;
  access: Awaited<ReturnType<typeof accessOf>>;
  /** The person has asked to be erased. */
  isLeaving: boolean;
  /** Empty for everybody who is not an active member of the project. */
  memberships: readonly OrganizationMembership[];
  /** The groups of directories of those organizations. */
  groups: readonly { organizationId: OrganizationId; groupId: string }[];
};

/** Only an active member has permissions. */
export function isActive({ access, isLeaving }: Pick<Person, 'access' | 'isLeaving'>): boolean {
  return access.status === 'active' && !isLeaving;
}

/** Reads these people in a fixed number of statements. Nothing is cached: a check sees every change before it. */
export async function readPeople(
  ctx: Ctx,
  userIds: readonly UserId[],
  withOrganizations = true,
): Promise<Map<UserId, Person>> {
  const [access, leaving] = await Promise.all([accessOfEach(ctx, userIds), usersAwaitingErasure(ctx, userIds)]);
  const memberIds = (withOrganizations ? userIds : []).flatMap((userId) => {
    const its = access.get(userId);
    return its?.memberId && isActive({ access: its, isLeaving: leaving.has(userId) }) ? [its.memberId] : [];
  });
  const [memberships, groups] = await Promise.all([
    organizationsIn(ctx).memberships(ctx, memberIds),
    groupsOfMembers(ctx, memberIds),
  ]);
  return new Map(
    [...access].map(([userId, its]) => {
      const own = memberships.filter(({ memberId }) => memberId === its.memberId);
      const person: Person = {
        userId,
        access: its,
        isLeaving: leaving.has(userId),
        memberships: own,
        groups: groups.filter(
          ({ memberId, organizationId }) =>
            memberId === its.memberId && own.some((membership) => membership.organizationId === organizationId),
        ),
      };
      return [userId, person];
    }),
  );
}

/** The same person, seen from one organization: the others do not count. */
export function inOrganization(person: Person, organizationId: OrganizationId | undefined): Person {
  if (organizationId === undefined) return person;
  const isHere = (one: { organizationId: OrganizationId }) => one.organizationId === organizationId;
  return { ...person, memberships: person.memberships.filter(isHere), groups: person.groups.filter(isHere) };
}

/** The subjects of relations that the person has: themselves, and what they are in. */
export function subjectsOf({ userId, memberships, groups }: Person): string[] {
  return [
    `user:${userId}`,
    ...memberships.flatMap(({ organizationId, roles }) => [
      `organization:${organizationId}`,
      ...roles.map((role) => `organization:${organizationId}#${role}`),
    ]),
    ...groups.map(({ groupId }) => `group:${groupId}`),
  ];
}
