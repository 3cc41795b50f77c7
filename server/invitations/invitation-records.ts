import type { Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { RoleKey } from '#members';
import { type Actor, type Ctx, type Environment, responsibleFor } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { Email } from '#platform/identifiers.ts';
import { type Id, IdSchema, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { PageQuery } from '#platform/page.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { InvitationStatus, statusOf } from './invitations.ts';

const ProjectInvitationStatus = Type.Enum([...InvitationStatus.enum, 'declined']);
export type InvitationId = Id<'inv'>;

type InvitationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: InvitationId;
  email: string;
  roles: string[];
  token_hash: Buffer;
  invited_by: Json<Actor>;
  locale: string | null;
  organization_id: OrganizationId | null;
  roles_in_organization: string[];
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
  /** Set together with `revoked_at`. */
  declined_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    invitations: InvitationsTable;
  }
}

export const NewInvitation = Type.Object(
  {
    email: Email,
    roles: Type.Optional(Type.Array(RoleKey, { maxItems: 50, uniqueItems: true })),
    organizationId: Type.Optional(IdSchema('org')),
    organizationRoles: Type.Optional(
      Type.Array(RoleKey, { maxItems: 50, uniqueItems: true, description: 'In the organization.' }),
    ),
    locale: Type.Optional(Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' })),
  },
  { additionalProperties: false },
);

export const Invitation = Type.Object(
  {
    id: IdSchema('inv'),
    email: Type.String(),
    roles: Type.Array(Type.String()),
    organizationId: nullable(IdSchema('org')),
    organizationRoles: Type.Array(Type.String()),
    status: ProjectInvitationStatus,
    invitedBy: Type.Union([Type.String(), Type.Null()], { description: 'A user or application; null: the system.' }),
    expiresAt: Instant,
    createdAt: Instant,
  },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

export const InvitationQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(ProjectInvitationStatus),
  organizationId: Type.Optional(IdSchema('org')),
});

export type InvitationRow = Selectable<InvitationsTable>;

/** The invitation that an event is about. */
export function eventDataOf({
  id,
  email,
  organization_id: organizationId,
}: Pick<InvitationRow, 'id' | 'email' | 'organization_id'>) {
  return { invitationId: id, email, organizationId };
}

export function recordOf(ctx: Pick<Ctx, 'now'>, row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    roles: row.roles,
    organizationId: row.organization_id,
    organizationRoles: row.roles_in_organization,
    status: row.declined_at ? 'declined' : statusOf(ctx, row),
    invitedBy: inviterOf(row.invited_by),
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

function inviterOf(invitedBy: Actor): string | null {
  const actor = responsibleFor(invitedBy);
  if (actor.kind === 'customer' || actor.kind === 'operator') return actor.userId;
  return actor.kind === 'management' ? actor.applicationId : null;
}
