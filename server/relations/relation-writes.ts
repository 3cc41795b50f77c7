import { type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { membershipsByUser } from '#members';
import { lockKnownRoles } from '#organizations';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { isForeignKeyViolation } from '#platform/db.ts';
import type { Id, MemberId, OrganizationId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { organizationsIn } from '#platform/standing.ts';
import { knownGroups } from '#scim';
import { ORGANIZATION, PARENT, resourceOf, type Subject, subjectOf } from './references.ts';
import { requireRoom } from './relation-limit.ts';
import { RelationReference } from './relations.ts';
import { type ResourceType, typesForWriting } from './resource-types.ts';

const MAX_CHANGES = 1_000;
/** An event lists up to this many relations; a large import is told by its numbers. */
const MAX_TOLD = 100;

const NewRelation = Type.Object(
  { ...RelationReference.properties, expiresAt: Type.Optional(Instant) },
  { additionalProperties: false },
);
type NewRelation = Static<typeof NewRelation>;

export const RelationChanges = Type.Object(
  {
    write: Type.Optional(Type.Array(NewRelation, { maxItems: MAX_CHANGES })),
    delete: Type.Optional(Type.Array(RelationReference, { maxItems: MAX_CHANGES })),
  },
  { additionalProperties: false, minProperties: 1 },
);

export const ChangedRelations = Type.Object({
  written: Type.Integer({ description: 'Relations that were not stored, or had another expiry.' }),
  deleted: Type.Integer({ description: 'Relations that were stored.' }),
});

/** A relation with the records that its subject names. */
type Checked = NewRelation & {
  memberId: MemberId | null;
  organizationId: OrganizationId | null;
  role: string | null;
  groupId: Id<'scg'> | null;
};

/**
 * Writes and deletes relations, all or none. A relation that is stored already, and one to delete that is not, change
 * nothing. A check that begins afterwards sees the result, in every process.
 * @throws Problem VALIDATION_FAILED for a type, relation or subject that the project does not have, CONFLICT beyond the
 * maximum
 */
export async function changeRelations(
  ctx: Ctx,
  { write = [], delete: remove = [] }: Static<typeof RelationChanges>,
): Promise<Static<typeof ChangedRelations>> {
  refuseContradictions(write, remove);
  try {
    return await transaction(ctx, async (tx) => {
      const types = await typesForWriting(tx);
      const checked = await checkedRelations(tx, types, write);
      const deleted = await deleteRelations(tx, remove);
      await requireRoom(tx, checked.length);
      const written = await insertRelations(tx, checked);
      await tell(tx, { written, deleted });
      return { written: written.length, deleted: deleted.length };
    });
  } catch (error) {
    throw isForeignKeyViolation(error)
      ? problem('CONFLICT', 'A subject of these relations was removed at the same time. Send the request again.')
      : error;
  }
}

type Fault = { pointer: string; message: string };

function refuse(errors: readonly Fault[]): void {
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

function keyOf({ resource, relation, subject }: RelationReference): string {
  return `${resource} ${relation} ${subject}`;
}

/** @throws Problem VALIDATION_FAILED if a relation is given twice, because the order of changes would matter */
function refuseContradictions(write: readonly NewRelation[], remove: readonly RelationReference[]): void {
  const seen = new Set<string>();
  const twice = (path: string) => (relation: RelationReference, index: number) => {
    const key = keyOf(relation);
    const fault = seen.has(key) ? [{ pointer: `/body/${path}/${index}`, message: 'is given twice' }] : [];
    seen.add(key);
    return fault;
  };
  refuse([...write.flatMap(twice('write')), ...remove.flatMap(twice('delete'))]);
}

/** @throws Problem VALIDATION_FAILED */
async function checkedRelations(
  tx: TxCtx,
  types: readonly ResourceType[],
  write: readonly NewRelation[],
): Promise<Checked[]> {
  refuse(write.flatMap((relation, index) => faultsOf(tx, types, relation).map(at(index))));
  const subjects = write.map(({ subject }) => subjectOf(subject));
  const find = await subjectFinder(tx, subjects);
  const found = subjects.map((subject) => (subject ? find(subject) : undefined));
  refuse(
    found.flatMap((records, index) =>
      records ? [] : [{ pointer: `/body/write/${index}/subject`, message: 'is not in this project' }],
    ),
  );
  return write.flatMap((relation, index) => {
    const records = found[index];
    return records ? [{ ...relation, ...NO_RECORD, ...records }] : [];
  });
}

const at = (index: number) => (fault: { field: string; message: string }) => ({
  pointer: `/body/write/${index}/${fault.field}`,
  message: fault.message,
});

/** What is wrong with a relation by the types alone. */
function faultsOf(
  { now }: Pick<TxCtx, 'now'>,
  types: readonly ResourceType[],
  { resource, relation, subject: reference, expiresAt }: NewRelation,
): { field: string; message: string }[] {
  const { type: typeKey } = resourceOf(resource);
  const type = types.find(({ key }) => key === typeKey);
  if (!type) return [{ field: 'resource', message: `"${typeKey}" is not a resource type of this project` }];
  const subject = subjectOf(reference);
  if (!subject) return [{ field: 'subject', message: 'is not the id of a user, organization or group' }];
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime())
    return [{ field: 'expiresAt', message: 'must be in the future' }];
  if (relation === PARENT) return faultsOfParent(type, { resource, reference }, subject);
  if (relation === ORGANIZATION)
    return subject.kind === 'organization' && subject.role === null
      ? []
      : [{ field: 'subject', message: 'must be an organization, which the resource then belongs to' }];
  if (!type.relations.some(({ key }) => key === relation))
    return [{ field: 'relation', message: `"${relation}" is no relation of the type "${typeKey}"` }];
  return subject.kind === 'resource'
    ? [{ field: 'subject', message: `must be a user, organization or group; a resource can only be a "${PARENT}"` }]
    : [];
}

function faultsOfParent(
  type: ResourceType,
  { resource, reference }: { resource: string; reference: string },
  subject: Subject,
): { field: string; message: string }[] {
  if (resource === reference) return [{ field: 'subject', message: 'is the resource itself' }];
  return subject.kind === 'resource' && type.parents.some((parent) => parent.type === subject.type)
    ? []
    : [{ field: 'subject', message: `must be a resource of a type that is a parent of "${type.key}"` }];
}

const NO_RECORD = { memberId: null, organizationId: null, role: null, groupId: null };
type Records = Partial<Omit<Checked, keyof NewRelation>>;

/** Finds the records of these subjects in this project, in one statement for each kind. */
async function subjectFinder(
  tx: TxCtx,
  subjects: readonly (Subject | undefined)[],
): Promise<(subject: Subject) => Records | undefined> {
  const users = new Set<UserId>();
  const organizationIds = new Set<OrganizationId>();
  const roles = new Set<string>();
  const groupIds = new Set<Id<'scg'>>();
  for (const subject of subjects) {
    if (subject?.kind === 'user') users.add(subject.userId);
    if (subject?.kind === 'group') groupIds.add(subject.groupId);
    if (subject?.kind === 'organization') organizationIds.add(subject.organizationId);
    if (subject?.kind === 'organization' && subject.role !== null) roles.add(subject.role);
  }
  const members = await membershipsByUser(tx, [...users]);
  const organizations = await organizationsIn(tx).known(tx, [...organizationIds]);
  const knownRoles = new Map((await lockKnownRoles(tx, [...roles])).map(({ key, builtIn }) => [key, builtIn]));
  const groups = await knownGroups(tx, [...groupIds]);
  return (subject) => {
    if (subject.kind === 'resource') return {};
    if (subject.kind === 'group') return groups.has(subject.groupId) ? { groupId: subject.groupId } : undefined;
    if (subject.kind === 'organization') return organizationRecords(subject, { organizations, knownRoles });
    const memberId = members.get(subject.userId)?.id;
    return memberId && { memberId };
  };
}

function organizationRecords(
  { organizationId, role }: Extract<Subject, { kind: 'organization' }>,
  { organizations, knownRoles }: { organizations: ReadonlySet<string>; knownRoles: ReadonlyMap<string, boolean> },
): Records | undefined {
  if (!organizations.has(organizationId)) return undefined;
  if (role === null) return { organizationId };
  const isBuiltIn = knownRoles.get(role);
  // Built-in roles have no row to refer to, and are never deleted.
  return isBuiltIn === undefined ? undefined : { organizationId, role: isBuiltIn ? null : role };
}

/** In the order of the key, so that two writers of the same relations wait for each other and never deadlock. */
function inOrder<Reference extends RelationReference>(relations: readonly Reference[]): Reference[] {
  return relations.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

type Row = { resource: string; relation: string; subject: string };

async function insertRelations(tx: TxCtx, relations: readonly Checked[]): Promise<Row[]> {
  if (relations.length === 0) return [];
  const { workspaceId, projectId, environment } = tx.scope;
  const sorted = inOrder(relations);
  const column = (value: (relation: Checked) => string | null) => sql`${sorted.map(value)}::text[]`;
  const { rows } = await sql<Row>`
    insert into resource_relations as stored (workspace_id, project_id, environment, resource_type, resource_id, relation,
      subject, member_id, organization_id, organization_role, group_id, expires_at, created_at)
    select ${workspaceId}, ${projectId}, ${environment}, resource_type, resource_id, relation, subject, member_id,
      organization_id, organization_role, group_id, expires_at::timestamptz, ${tx.now}
    from unnest(${column(({ resource }) => resourceOf(resource).type)}, ${column(({ resource }) => resourceOf(resource).id)},
      ${column(({ relation }) => relation)}, ${column(({ subject }) => subject)}, ${column(({ memberId }) => memberId)},
      ${column(({ organizationId }) => organizationId)}, ${column(({ role }) => role)}, ${column(({ groupId }) => groupId)},
      ${column(({ expiresAt = null }) => expiresAt)})
      as given (resource_type, resource_id, relation, subject, member_id, organization_id, organization_role, group_id, expires_at)
    on conflict (workspace_id, project_id, environment, resource_type, resource_id, relation, subject)
      do update set expires_at = excluded.expires_at where stored.expires_at is distinct from excluded.expires_at
    returning resource_type || ':' || resource_id as resource, relation, subject`.execute(tx.db);
  return rows;
}

async function deleteRelations(tx: TxCtx, relations: readonly RelationReference[]): Promise<Row[]> {
  if (relations.length === 0) return [];
  const { workspaceId, projectId, environment } = tx.scope;
  const sorted = inOrder(relations);
  const column = (value: (relation: RelationReference) => string) => sql`${sorted.map(value)}::text[]`;
  const found = (lock: RawBuilder<unknown>) => sql`
    select found.ctid from unnest(${column(({ resource }) => resourceOf(resource).type)},
      ${column(({ resource }) => resourceOf(resource).id)}, ${column(({ relation }) => relation)},
      ${column(({ subject }) => subject)}) as given (resource_type, resource_id, relation, subject)
    cross join lateral (
      select ctid from resource_relations
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and resource_type = given.resource_type and resource_id = given.resource_id
        and relation = given.relation and subject = given.subject ${lock}) found`;
  // The second statement sees the rows as they are when the locks have been granted.
  await found(sql`for update`).execute(tx.db);
  const { rows } = await sql<Row>`
    delete from resource_relations
    where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment} and ctid = any(array(${found(sql`offset 0`)}))
    returning resource_type || ':' || resource_id as resource, relation, subject`.execute(tx.db);
  return rows;
}

async function tell(tx: TxCtx, { written, deleted }: { written: readonly Row[]; deleted: readonly Row[] }) {
  if (written.length + deleted.length === 0) return;
  const isTold = written.length + deleted.length <= MAX_TOLD;
  await emit(tx, 'resource_relations.changed', {
    written: written.length,
    deleted: deleted.length,
    ...(isTold && { relationsWritten: [...written], relationsDeleted: [...deleted] }),
  });
}
