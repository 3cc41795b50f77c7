import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { InvitationStatus, Invitations, invitationStatus as statusOf } from '#invitations';
import { Password } from '#passwords';
import { type Ctx, operatorOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { Email, Name, normaliseEmail } from '#platform/identifiers.ts';
import { type Id, IdSchema, newId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import type { Page, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { at } from '#platform/scoped.ts';
import { getWorkspace, workspacesById } from '#tenancy';
import { workspaceScope } from './edge.ts';
import { amongOperators, createOperator, findOperator } from './operators.ts';
import { newPasswordHash } from './set-up.ts';
import { addTeamMember, couldStillInvite, isInTeam, requireToInvite } from './team.ts';
import { TeamRole } from './team-roles.ts';

type TeamInvitationId = Id<'tin'>;

type TeamInvitationsTable = {
  workspace_id: WorkspaceId;
  id: TeamInvitationId;
  email: string;
  role: TeamRole;
  token_hash: Buffer;
  invited_by: UserId | null;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    team_invitations: TeamInvitationsTable;
  }
}

const LIFETIME_SECONDS = 7 * 86_400;

export const NewTeamInvitation = Type.Object({ email: Email, role: TeamRole }, { additionalProperties: false });
export const TeamInvitationRef = Type.Object({ teamInvitationId: IdSchema('tin') });
export const TeamInvitation = Type.Object(
  {
    id: IdSchema('tin'),
    email: Type.String(),
    role: TeamRole,
    status: InvitationStatus,
    invitedBy: Type.Union([IdSchema('usr'), Type.Null()]),
    expiresAt: Instant,
    createdAt: Instant,
  },
  { title: 'TeamInvitation' },
);
type TeamInvitation = Static<typeof TeamInvitation>;

/** The form of the invitation page; a newcomer also gives a name and a password. */
export const NewTeammate = Type.Object(
  { token: Type.String({ maxLength: 200 }), displayName: Type.Optional(Name), password: Type.Optional(Password) },
  { additionalProperties: false },
);

type Row = Selectable<TeamInvitationsTable>;

const invitations = new Invitations<Row>({
  table: 'team_invitations',
  within: ({ workspaceId }) => sql`workspace_id = ${workspaceId}`,
  emit: (tx, what, { id, email }) => emit(tx, `team.invitation.${what}`, { invitationId: id, email }),
  insert: (tx, row) => tx.db.insertInto('team_invitations').values(row).execute(),
  inviterOf: (actor) => operatorOf({ actor }).userId,
  tokens: async ({ scope }) => ({ prefix: scope.workspaceId.slice(4), seconds: LIFETIME_SECONDS }),
  letter: async (tx, _row, token) => {
    const { name } = await getWorkspace(tx);
    const link = `${tx.system.config.addresses.console}/console/invitation?token=${token}`;
    return { sender: amongOperators(tx), locale: null, variables: { project: name, link }, organizationId: null };
  },
  requireToGrant: (tx, _act, { role }) => requireToInvite(tx, role),
  isBacked: (tx, row) => couldStillInvite(tx, row.invited_by, row.role),
});

function recordOf(ctx: Pick<Ctx, 'now'>, row: Row): TeamInvitation {
  const { id, email, role } = row;
  return {
    id,
    email,
    role,
    status: statusOf(ctx, row),
    invitedBy: row.invited_by,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

/** Invitations to the team, newest first. */
export async function listTeamInvitations(ctx: Ctx, query: Static<typeof PageQuery>): Promise<Page<TeamInvitation>> {
  const { rows, nextCursor } = await invitations.list(ctx, query);
  return { items: rows.map((row) => recordOf(ctx, row)), nextCursor };
}

/**
 * Invites a person by mail.
 * @throws Problem ALREADY_EXISTS for a team member or while another invitation is open, AUTHORIZATION_DENIED
 */
export function inviteToTeam(
  ctx: Ctx,
  { email: typed, role }: Static<typeof NewTeamInvitation>,
): Promise<TeamInvitation> {
  const email = normaliseEmail(typed);
  return transaction(ctx, async (tx) => {
    await requireToInvite(tx, role);
    const known = await findOperator(tx, email);
    if (known && (await isInTeam(tx, known))) throw problem('ALREADY_EXISTS', 'This person is already in the team.');
    const row = await invitations.create(tx, email, (common) => ({
      ...common,
      id: newId('tin', tx.now),
      role,
      invited_by: operatorOf(tx).userId,
    }));
    return recordOf(tx, row);
  });
}

/** @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED */
export async function resendTeamInvitation(ctx: Ctx, id: TeamInvitationId): Promise<TeamInvitation> {
  return recordOf(ctx, await invitations.resend(ctx, id));
}

/** @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED */
export async function revokeTeamInvitation(ctx: Ctx, id: TeamInvitationId): Promise<void> {
  await invitations.revoke(ctx, id);
}

/** An invitation as the holder of its link sees it. */
export type OpenTeamInvitation = {
  workspaceId: WorkspaceId;
  workspaceName: string;
  email: string;
  role: TeamRole;
  /** The address has an account. */
  known: boolean;
};

const TOKEN = /^([0-7][0-9a-hjkmnp-tv-z]{25})_[A-Za-z0-9_-]{43}$/;

function workspaceIn(token: string): WorkspaceId {
  const [, suffix] = TOKEN.exec(token) ?? [];
  if (suffix === undefined) throw problem('INVALID_TOKEN');
  return `wrk_${suffix}`;
}

/**
 * The open invitation of a link.
 * @throws Problem INVALID_TOKEN also if its sender could not send it today
 */
export async function findTeamInvitation(ctx: Ctx, token: string): Promise<OpenTeamInvitation> {
  const workspaceId = workspaceIn(token);
  return transaction(at(ctx, workspaceScope(workspaceId)), async (tx) => {
    const row = await invitations.findBacked(tx, token);
    const [workspace] = await workspacesById(tx.db, [workspaceId]);
    if (!workspace || workspace.deletesAt !== null) throw problem('INVALID_TOKEN');
    const known = (await findOperator(tx, row.email)) !== undefined;
    return { workspaceId, workspaceName: workspace.name, email: row.email, role: row.role, known };
  });
}

/**
 * @throws Problem INVALID_TOKEN for an invalid token, and for an open invitation whose sender could not send it today;
 * that one is revoked
 */
export async function revokeUnbacked(ctx: Ctx, token: string): Promise<void> {
  await invitations.revokeUnbacked(at(ctx, workspaceScope(workspaceIn(token))), token);
}

/**
 * Adds the holder of a link to the team. The link was mailed to the address, so it proves the address. It signs nobody
 * in: a person with an account signs in as always, second factor included.
 * @throws Problem INVALID_TOKEN, WEAK_PASSWORD, VALIDATION_FAILED for a newcomer without a password
 */
export async function acceptTeamInvitation(
  ctx: Ctx,
  { token, displayName, password }: Static<typeof NewTeammate>,
): Promise<void> {
  const invitation = await findTeamInvitation(ctx, token);
  const { email, workspaceId } = invitation;
  const passwordHash = invitation.known ? null : await hashOf(ctx, password, [email, displayName ?? '']);
  await transaction(at(ctx, workspaceScope(workspaceId)), async (tx) => {
    const { role } = await invitations.accept(tx, token);
    const userId =
      passwordHash === null
        ? await findOperator(tx, email)
        : await createOperator(tx, { email, passwordHash, ...(displayName !== undefined && { displayName }) });
    if (!userId) throw problem('INVALID_TOKEN');
    await addTeamMember(tx, userId, role);
  });
}

async function hashOf(ctx: Ctx, password: string | undefined, about: readonly string[]): Promise<string> {
  if (password === undefined) throw problem('VALIDATION_FAILED', 'Choose a password.');
  return newPasswordHash(ctx, password, about);
}

/**
 * Removes the invitations to these addresses from every team, open and past ones.
 * @returns the workspaces that sent them
 */
export async function removeTeamInvitations(tx: TxCtx, emails: readonly string[]): Promise<WorkspaceId[]> {
  const removed = await tx.db
    .deleteFrom('team_invitations')
    .where('email', '=', sql<string>`any(${[...emails]})`)
    .returning('workspace_id')
    .modifyEnd(sql`/* all workspaces */`)
    .execute();
  return [...new Set(removed.map((row) => row.workspace_id))].sort();
}
