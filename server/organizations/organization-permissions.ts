import { Type } from 'typebox';
import type { SelfServiceArea } from '#settings';

/**
 * The permissions to manage an organization, which roles of organizations may grant. Their keys contain a dot and those
 * of a project's permissions do not, so the two can't be confused.
 */
const KEYS = [
  'org.profile:write',
  'org.members:read',
  'org.members:write',
  'org.invitations:read',
  'org.invitations:write',
  'org.domains:read',
  'org.domains:write',
  'org.connections:read',
  'org.connections:write',
  'org.directory:read',
  'org.directory:write',
  'org.policy:read',
  'org.policy:write',
  'org.audit:read',
] as const;

export const OrganizationPermission = Type.Enum([...KEYS]);
export type OrganizationPermission = (typeof KEYS)[number];

/**
 * The area of each permission that counts only where the project's setting `organizationSelfService` has the area. A test
 * walks it.
 */
export const AREAS: Readonly<Partial<Record<OrganizationPermission, SelfServiceArea>>> = {
  'org.connections:read': 'connections',
  'org.connections:write': 'connections',
  'org.directory:read': 'directory',
  'org.directory:write': 'directory',
  'org.policy:read': 'policy',
  'org.policy:write': 'policy',
};

/** The owner has every permission in the organization. */
export const OF_OWNERS: readonly OrganizationPermission[] = KEYS;

const ONLY_OF_OWNERS: readonly string[] = [
  'org.profile:write',
  'org.domains:write',
  'org.connections:write',
  'org.directory:write',
  'org.policy:write',
];

/** Admins can't name, change or remove owners, because they lack permissions that owners have. */
export const OF_ADMINS: readonly OrganizationPermission[] = KEYS.filter((key) => !ONLY_OF_OWNERS.includes(key));

export function isOrganizationPermission(key: string): key is OrganizationPermission {
  return KEYS.some((known) => known === key);
}
