import type { PermissionCheck } from '#api/records.ts';

/** Why a check says no, in a sentence. */
export const DENIALS: Readonly<Record<NonNullable<PermissionCheck['denial']>, string>> = {
  not_a_member: 'The person is not a member of this project.',
  not_active: 'The member is not active: blocked, invited, or about to be erased.',
  unknown_permission: 'The project has no such permission.',
  not_granted: 'No role and no relation gives the permission.',
  not_in_organization: 'The member is not in this organization, or it is blocked.',
  not_on_type: 'No relation of this type gives the permission, and no role grants it.',
  limit_reached: 'Nothing was found, and there are more resources above this one than a check looks at.',
};

/** What grants a permission, one sentence for each path. */
export function reasonsOf(check: PermissionCheck): string[] {
  return [
    ...check.because.map(({ path: { role } }) => `The role ${role.name} of the project grants it.`),
    ...check.becauseInOrganizations.map(({ role, name, resource, through }) =>
      resource === null
        ? `The role “${role}” in the organization ${name} grants it.`
        : `The role “${role}” in the organization ${name} grants it. ${placeOf(resource, through)} belongs to the organization.`,
    ),
    ...check.becauseOfRelations.map(
      ({ subject, relation, resource, through }) => `${subject} is “${relation}” of ${placeOf(resource, through)}.`,
    ),
  ];
}

/** A resource, with how it is above the one of the check: `folder:1, the parent of document:7`. */
function placeOf(resource: string, through: readonly string[]): string {
  return [resource, ...through.toReversed().map((below) => `the parent of ${below}`)].join(', ');
}
