import { type Static, Type } from 'typebox';
import { allPermissionKeys, PermissionKey } from '#permissions';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema, type OrganizationId, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { organizationsIn } from '#platform/standing.ts';
import { type Inherited, inheritedBy, relationsGiving } from './inheritance.ts';
import { inOrganization, isActive, type Person, readPeople, subjectsOf } from './people.ts';
import { type FoundRelation, type Question, type Reach, reach } from './reach.ts';
import { ORGANIZATION, ResourceReference, referenceOf, resourceOf } from './references.ts';
import { allTypes, type ResourceType } from './resource-types.ts';

/** Paths of one kind that a response names. */
const MAX_PATHS = 10;

/** A permission of the project, or one in an organization. */
const CheckedPermission = Type.Union([
  PermissionKey,
  Type.String({ maxLength: 100, pattern: '^org\\.[a-z]+:[a-z]+$', examples: ['org.members:read'] }),
]);

/** What is asked about a person. */
export const Asked = {
  permission: CheckedPermission,
  organizationId: Type.Optional(
    Type.Unsafe<OrganizationId>({
      ...IdSchema('org'),
      description: 'Of the organizations of the person, only this one counts.',
    }),
  ),
  resource: Type.Optional(ResourceReference),
};
export type Asked = { permission: string; organizationId?: OrganizationId; resource?: string };

/** A role of the project through which a person gets a permission. */
const GrantingPath = Type.Object({
  role: Type.String({ description: 'The key of the role.' }),
  path: Type.Object({
    memberId: IdSchema('mem'),
    role: Type.Object({ id: IdSchema('rol'), key: Type.String(), name: Type.String() }),
    permission: Type.String(),
  }),
});

const OrganizationPath = Type.Object({
  organizationId: IdSchema('org'),
  name: Type.String(),
  role: Type.String({ description: 'The key of a role in the organization that grants the permission.' }),
  resource: Type.Union([Type.String(), Type.Null()], {
    description: 'The resource that belongs to the organization; null for a check without a resource.',
  }),
  through: Type.Array(Type.String(), {
    description: 'From the resource of the check up to the one below `resource`; empty if it is that one.',
  }),
});

const RelationPath = Type.Object({
  subject: Type.String({ description: 'The person, or the organization, role or group that the person is in.' }),
  relation: Type.String(),
  resource: Type.String({ description: 'The resource of the check, or one above it.' }),
  through: Type.Array(Type.String()),
});

const DENIALS = [
  'not_a_member',
  'not_active',
  'unknown_permission',
  'not_granted',
  'not_in_organization',
  'not_on_type',
  'limit_reached',
] as const;

export const Check = Type.Object(
  {
    allowed: Type.Boolean(),
    because: Type.Array(GrantingPath, {
      description: 'Every role of the project that grants it; empty when there is none.',
    }),
    becauseInOrganizations: Type.Array(OrganizationPath, {
      description: `Roles in organizations that grant it: in \`organizationId\`, or in one that the resource belongs to. At most ${MAX_PATHS}.`,
    }),
    becauseOfRelations: Type.Array(RelationPath, {
      description: `Relations to the resource, or to one above it, that give it. At most ${MAX_PATHS}, the nearest first.`,
    }),
    denial: Type.Union([Type.Enum([...DENIALS]), Type.Null()], {
      description:
        'Why it is not allowed; null when it is. `not_on_type`: no relation of the type gives the permission. `limit_reached`: there are more resources above this one than a check looks at.',
    }),
  },
  { title: 'PermissionCheck' },
);
export type Check = Static<typeof Check>;

/** A question about a person. `at` points to it in the request. */
export type PersonAsked = Asked & { userId: UserId; at?: string };

/** What the checks of one request are decided by. */
type Facts = {
  people: ReadonlyMap<UserId, Person>;
  types: readonly ResourceType[];
  inherited: readonly Inherited[];
  /** The keys of the roles in organizations that grant each permission. */
  organizationRoles: ReadonlyMap<string, readonly string[]>;
};

/**
 * Whether people have permissions right now, and what grants them, in a fixed number of statements. A route that
 * requires a permission of the project decides the same.
 * @throws Problem VALIDATION_FAILED for a resource whose type the project does not have
 */
export async function checkPermissions(ctx: Ctx, asked: readonly PersonAsked[]): Promise<Check[]> {
  const facts = await readFacts(ctx, asked);
  refuseUnknownTypes(facts, asked);
  const questions = asked.map((one) => questionOf(facts, one));
  const answers = await reach(
    ctx,
    questions.flatMap((question) => question ?? []),
    facts.inherited,
  );
  const reached = questions.map((question) => (question ? answers.shift() : undefined));
  const paths = asked.map((one, index) => pathsOf(facts, one, reached[index]));
  const known = paths.some(isEmpty) ? await allPermissionKeys(ctx) : [];
  return asked.map((one, index) => {
    const granting = paths[index] ?? NO_PATHS;
    if (!isEmpty(granting)) return { allowed: true, ...granting, denial: null };
    return { allowed: false, ...NO_PATHS, denial: denialOf(facts, one, { reached: reached[index], known }) };
  });
}

async function readFacts(ctx: Ctx, asked: readonly PersonAsked[]): Promise<Facts> {
  const permissions = [...new Set(asked.map(({ permission }) => permission))];
  const isAboutResources = asked.some(({ resource }) => resource !== undefined);
  const isAboutOrganizations = isAboutResources || asked.some(({ organizationId }) => organizationId !== undefined);
  const [people, types, organizationRoles] = await Promise.all([
    readPeople(ctx, [...new Set(asked.map(({ userId }) => userId))], isAboutOrganizations),
    isAboutResources ? allTypes(ctx) : [],
    isAboutOrganizations ? organizationsIn(ctx).rolesGranting(ctx, permissions) : new Map<string, string[]>(),
  ]);
  return { people, types, inherited: inheritedBy(types), organizationRoles };
}

function refuseUnknownTypes({ types }: Facts, asked: readonly PersonAsked[]): void {
  const errors = asked.flatMap(({ resource, at = '/body' }) => {
    if (resource === undefined) return [];
    const { type } = resourceOf(resource);
    if (types.some(({ key }) => key === type)) return [];
    return [{ pointer: `${at}/resource`, message: `"${type}" is not a resource type of this project` }];
  });
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/** @returns undefined if no relation matters: without a resource, or for a person who has no permissions */
function questionOf(
  facts: Facts,
  { userId, permission, organizationId, resource: reference }: PersonAsked,
): Question | undefined {
  const person = facts.people.get(userId);
  if (reference === undefined || !person || !isActive(person)) return undefined;
  const resource = resourceOf(reference);
  const type = facts.types.find(({ key }) => key === resource.type);
  if (!type) return undefined;
  const here = inOrganization(person, organizationId);
  const organizations = grantingMemberships(facts, here, permission).map((one) => `organization:${one.organizationId}`);
  return { resource, relations: relationsGiving(type, permission), subjects: subjectsOf(here), organizations };
}

/** The memberships in which a role of the person grants the permission, with these roles. */
function grantingMemberships({ organizationRoles }: Facts, { memberships }: Person, permission: string) {
  const granting = organizationRoles.get(permission) ?? [];
  return memberships.flatMap((membership) => {
    const roles = membership.roles.filter((role) => granting.includes(role));
    return roles.length > 0 ? [{ ...membership, roles }] : [];
  });
}

type Paths = Pick<Check, 'because' | 'becauseInOrganizations' | 'becauseOfRelations'>;
const NO_PATHS: Paths = { because: [], becauseInOrganizations: [], becauseOfRelations: [] };

function isEmpty(paths: Paths): boolean {
  return Object.values(paths).every(({ length }) => length === 0);
}

function pathsOf(facts: Facts, asked: PersonAsked, reached: Reach | undefined): Paths {
  const person = facts.people.get(asked.userId);
  if (!person || !isActive(person)) return NO_PATHS;
  const here = inOrganization(person, asked.organizationId);
  return {
    because: rolePaths(person, asked.permission),
    becauseInOrganizations: organizationPaths(facts, here, { asked, reached }).slice(0, MAX_PATHS),
    becauseOfRelations: relationPaths(reached).slice(0, MAX_PATHS),
  };
}

function rolePaths({ access: { memberId, roles } }: Person, permission: string): Check['because'] {
  if (memberId === null) return [];
  return roles
    .filter(({ permissions }) => permissions.includes(permission))
    .map(({ id, key, name }) => ({ role: key, path: { memberId, role: { id, key, name }, permission } }));
}

/**
 * The roles in organizations that grant the permission. With a resource they count only where it belongs to the
 * organization: a role in one organization grants nothing on what belongs to another.
 */
function organizationPaths(
  facts: Facts,
  person: Person,
  { asked, reached }: { asked: PersonAsked; reached: Reach | undefined },
): Check['becauseInOrganizations'] {
  if (asked.resource === undefined && asked.organizationId === undefined) return [];
  const owners = (reached?.found ?? []).filter(({ relation }) => relation === ORGANIZATION);
  return grantingMemberships(facts, person, asked.permission).flatMap(({ organizationId, name, roles }) => {
    const path = (role: string, owned?: FoundRelation) => ({
      organizationId,
      name,
      role,
      resource: owned ? referenceOf(owned.resource) : null,
      through: (owned?.through ?? []).map(referenceOf),
    });
    if (asked.resource === undefined) return roles.map((role) => path(role));
    const owned = owners.filter(({ subject }) => subject === `organization:${organizationId}`);
    return roles.flatMap((role) => owned.map((one) => path(role, one)));
  });
}

function relationPaths(reached: Reach | undefined): Check['becauseOfRelations'] {
  return (reached?.found ?? [])
    .filter(({ relation }) => relation !== ORGANIZATION)
    .map(({ resource, relation, subject, through }) => ({
      subject,
      relation,
      resource: referenceOf(resource),
      through: through.map(referenceOf),
    }));
}

function denialOf(
  { people, types, organizationRoles }: Facts,
  { userId, permission, organizationId, resource }: PersonAsked,
  { reached, known }: { reached: Reach | undefined; known: readonly string[] },
): NonNullable<Check['denial']> {
  const person = people.get(userId);
  if (!person || person.access.status === null) return 'not_a_member';
  if (!isActive(person)) return 'not_active';
  if (!known.includes(permission) && !organizationRoles.get(permission)?.length) return 'unknown_permission';
  if (reached?.isLimited) return 'limit_reached';
  const isElsewhere = organizationId !== undefined && inOrganization(person, organizationId).memberships.length === 0;
  if (isElsewhere) return 'not_in_organization';
  if (resource === undefined) return 'not_granted';
  const type = types.find(({ key }) => key === resourceOf(resource).type);
  const isOnType = type?.relations.some(({ permissions }) => permissions.includes(permission));
  return isOnType ? 'not_granted' : 'not_on_type';
}
