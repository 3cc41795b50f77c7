import { Type } from 'typebox';
import type { Id, OrganizationId, UserId } from '#platform/ids.ts';

/** The relation of a resource to its parent, and to the organization that it belongs to. Every type has them. */
export const PARENT = 'parent';
export const ORGANIZATION = 'organization';

/** Words before the colon of a subject that are no types. */
const KINDS = ['user', 'organization', 'group'];

const TYPE = '[a-z][a-z0-9_-]{1,49}';
/** Printable ASCII without the space, so that two ids that look the same are the same. */
const NAME = '[\\x21-\\x7e]{1,200}';

export const TypeKey = Type.String({ pattern: `^${TYPE}$`, maxLength: 50, examples: ['document'] });
export const RelationKey = Type.String({ pattern: '^[a-z][a-z0-9_-]{1,49}$', maxLength: 50, examples: ['editor'] });

export const ResourceReference = Type.String({
  pattern: `^${TYPE}:${NAME}$`,
  maxLength: 251,
  examples: ['document:7'],
  description: 'A type and an id of yours: up to 200 printable ASCII characters without spaces.',
});

export const SubjectReference = Type.String({
  pattern: `^${TYPE}:${NAME}$`,
  maxLength: 251,
  examples: ['user:usr_01kaz3w9hqf8p9n2m4v5x6y7z8', 'organization:org_01kaz3w9hqf8p9n2m4v5x6y7z8#billing'],
  description:
    '`user:usr_…`, all members of an organization `organization:org_…`, those with a role in it `organization:org_…#role`, a group of a directory `group:scg_…`, or a parent resource `folder:1`.',
});

export type Resource = { type: string; id: string };

export function resourceOf(reference: string): Resource {
  const colon = reference.indexOf(':');
  return { type: reference.slice(0, colon), id: reference.slice(colon + 1) };
}

export function referenceOf({ type, id }: Resource): string {
  return `${type}:${id}`;
}

export function isReserved(typeKey: string): boolean {
  return KINDS.includes(typeKey);
}

/** What a subject refers to. */
export type Subject =
  | { kind: 'user'; userId: UserId }
  | { kind: 'organization'; organizationId: OrganizationId; role: string | null }
  | { kind: 'group'; groupId: Id<'scg'> }
  | ({ kind: 'resource' } & Resource);

const ROLE = /^[a-z][a-z0-9_-]{1,49}$/;

/** @returns undefined for a user, organization or group whose id is none */
export function subjectOf(reference: string): Subject | undefined {
  const { type, id } = resourceOf(reference);
  if (type === 'user') return isId('usr', id) ? { kind: 'user', userId: id } : undefined;
  if (type === 'group') return isId('scg', id) ? { kind: 'group', groupId: id } : undefined;
  if (type !== 'organization') return { kind: 'resource', type, id };
  const [organizationId = '', role = null, ...rest] = id.split('#');
  const valid = rest.length === 0 && (role === null || ROLE.test(role));
  return valid && isId('org', organizationId) ? { kind: 'organization', organizationId, role } : undefined;
}

const ID_SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

function isId<Prefix extends string>(prefix: Prefix, text: string): text is Id<Prefix> {
  return text.startsWith(`${prefix}_`) && ID_SUFFIX.test(text.slice(prefix.length + 1));
}
