import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { sendMessage } from '#messages';
import { Password } from '#passwords';
import { type Ctx, operatorOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { Email, normaliseEmail } from '#platform/identifiers.ts';
import { type Id, IdSchema, newId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { openCursor, type Page, type PageQuery, pageOf } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Name, workspacesById } from '#tenancy';
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

const DAYS = 7;
const DAY_MS = 86_400_000;

const Status = Type.Enum(['pending', 'accepted', 'revoked', 'expired']);

export const NewTeamInvitation = Type.Object({ email: Email, role: TeamRole }, { additionalProperties: false });
export const TeamInvitationRef = Type.Object({ teamInvitationId: IdSchema('tin') });
export const TeamInvitation = Type.Object(
  {
    id: IdSchema('tin'),
    email: Type.String(),
    role: TeamRole,
    status: Status,
    invitedBy: Type.Union([IdSchema('usr'), Type.Null()]),
    expiresAt: Type.String({ format: 'date-time' }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'TeamInvitation' },
);
type TeamInvitation = Static<typeof TeamInvitation>;

/** What the page of an invitation sends: a newcomer also says who they are. */
export const NewTeammate = Type.Object(
  { token: Type.String({ maxLength: 200 }), displayName: Type.Optional(Name), password: Type.Optional(Password) },
  { additionalProperties: false },
);

type Row = Selectable<TeamInvitationsTable>;

function statusOf({ now }: Pick<Ctx, 'now'>, row: Row): TeamInvitation['status'] {
  if (row.accepted_at) return 'accepted';
  if (row.revoked_at) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

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

function scoped(ctx: Ctx | TxCtx) {
  return ctx.db.selectFrom('team_invitations').selectAll().where('workspace_id', '=', ctx.scope.workspaceId);
}

/** Invitations to the team, newest first. Served by the primary key. */
export async function listTeamInvitations(
  ctx: Ctx,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<TeamInvitation>> {
  const list = 'team-invitations';
  let rows = scoped(ctx)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) rows = rows.where(sql<boolean>`id < ${openCursor(ctx, list, cursor)}`);
  const page = pageOf(ctx, await rows.execute(), { list, limit, keyOf: (row) => row.id });
  return { items: page.rows.map((row) => recordOf(ctx, row)), nextCursor: page.nextCursor };
}

/** Invites somebody by mail. @throws Problem ALREADY_EXISTS for a team member or while another invitation is open, AUTHORIZATION_DENIED */
export function inviteToTeam(ctx: Ctx, wanted: Static<typeof NewTeamInvitation>): Promise<TeamInvitation> {
  const email = normaliseEmail(wanted.email);
  return transaction(ctx, async (tx) => {
    await requireToInvite(tx, wanted.role);
    const known = await findOperator(tx, email);
    if (known && (await isInTeam(tx, known))) throw problem('ALREADY_EXISTS', 'This person is already in the team.');
    await closeExpired(tx, email);
    const secret = newSecret(tx);
    const row: Row = {
      workspace_id: tx.scope.workspaceId,
      id: newId('tin', tx.now),
      email,
      role: wanted.role,
      token_hash: secret.hash,
      invited_by: operatorOf(tx).userId,
      created_at: tx.now,
      expires_at: secret.expiresAt,
      accepted_at: null,
      revoked_at: null,
    };
    await insert(tx, row);
    await mail(tx, row, secret.token);
    await emit(tx, 'team.invitation.created', { invitationId: row.id, email });
    return recordOf(tx, row);
  });
}

async function insert(tx: TxCtx, row: Row): Promise<void> {
  try {
    await tx.db.insertInto('team_invitations').values(row).execute();
  } catch (error) {
    throw isUniqueViolation(error, 'team_invitations_open')
      ? problem('ALREADY_EXISTS', 'This address already has a pending invitation. Resend or revoke it.')
      : error;
  }
}

function newSecret(tx: TxCtx): { token: string; hash: Buffer; expiresAt: Date } {
  const token = `${tx.scope.workspaceId.slice(4)}_${randomSecret()}`;
  return { token, hash: hashSecret(token), expiresAt: new Date(tx.now.getTime() + DAYS * DAY_MS) };
}

/** An expired invitation makes room for a new one. */
async function closeExpired(tx: TxCtx, email: string): Promise<void> {
  await tx.db
    .updateTable('team_invitations')
    .set({ revoked_at: tx.now })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', tx.now)
    .execute();
}

async function mail(tx: TxCtx, row: Pick<Row, 'email' | 'expires_at'>, token: string): Promise<void> {
  const [workspace] = await workspacesById(tx.db, [tx.scope.workspaceId]);
  await sendMessage(amongOperators(tx), {
    template: 'invitation',
    to: row.email,
    variables: {
      project: workspace?.name ?? '',
      link: `${tx.system.config.addresses.console}/console/invitation?token=${token}`,
      days: DAYS,
    },
    expiresAt: row.expires_at,
  });
}

/**
 * Mails an open invitation again, with a new link and its whole lifetime; the link before ends. From then on it is worth what whoever
 * sends it may do. @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED
 */
export function resendTeamInvitation(ctx: Ctx, id: TeamInvitationId): Promise<TeamInvitation> {
  return transaction(ctx, async (tx) => {
    const row = await lockOpen(tx, id);
    await requireToInvite(tx, row.role);
    const { token, hash, expiresAt } = newSecret(tx);
    const changes = { token_hash: hash, expires_at: expiresAt, invited_by: operatorOf(tx).userId };
    await change(tx, id, changes);
    await mail(tx, { ...row, ...changes }, token);
    await emit(tx, 'team.invitation.resent', { invitationId: id, email: row.email });
    return recordOf(tx, { ...row, ...changes });
  });
}

/** Takes an open invitation back. @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED */
export async function revokeTeamInvitation(ctx: Ctx, id: TeamInvitationId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await lockOpen(tx, id);
    await requireToInvite(tx, row.role);
    await withdraw(tx, row);
  });
}

async function withdraw(tx: TxCtx, { id, email }: Pick<Row, 'id' | 'email'>): Promise<void> {
  await change(tx, id, { revoked_at: tx.now });
  await emit(tx, 'team.invitation.revoked', { invitationId: id, email });
}

async function change(
  tx: TxCtx,
  id: TeamInvitationId,
  changes: Partial<Pick<Row, 'token_hash' | 'expires_at' | 'revoked_at' | 'invited_by'>>,
): Promise<void> {
  await tx.db
    .updateTable('team_invitations')
    .set(changes)
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('id', '=', id)
    .execute();
}

async function lockOpen(tx: TxCtx, id: TeamInvitationId): Promise<Row> {
  const row = await scoped(tx).where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  if (row.accepted_at || row.revoked_at)
    throw problem('CONFLICT', `The invitation is ${statusOf(tx, row)}; only a pending one can be changed.`);
  return row;
}

/** An invitation as whoever holds its link sees it. */
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

/** @throws Problem INVALID_TOKEN. Served by team_invitations_token. */
export function findTeamInvitation(ctx: Ctx, token: string): Promise<OpenTeamInvitation> {
  const workspaceId = workspaceIn(token);
  return transaction(ctx, async (tx) => {
    const row = await open({ ...tx, scope: workspaceScope(workspaceId) }, token).executeTakeFirst();
    const [workspace] = await workspacesById(tx.db, [workspaceId]);
    if (!row || !workspace || workspace.deletesAt !== null || !(await isBacked(tx, row)))
      throw problem('INVALID_TOKEN');
    const known = (await findOperator(tx, row.email)) !== undefined;
    return { workspaceId, workspaceName: workspace.name, email: row.email, role: row.role, known };
  });
}

/** Whether whoever sent an invitation could send it today: nobody who was removed or demoted since makes owners. */
function isBacked(tx: TxCtx, row: Row): Promise<boolean> {
  return couldStillInvite({ ...tx, scope: workspaceScope(row.workspace_id) }, row.invited_by, row.role);
}

/** Takes an invitation back whose sender could not send it today. @throws Problem INVALID_TOKEN for what is no token */
export async function withdrawUnbacked(ctx: Ctx, token: string): Promise<void> {
  const workspaceId = workspaceIn(token);
  await transaction(ctx, async (base) => {
    const tx: TxCtx = { ...base, scope: workspaceScope(workspaceId) };
    const row = await open(tx, token).forUpdate().executeTakeFirst();
    if (row && !(await isBacked(tx, row))) await withdraw(tx, row);
  });
}

function open(tx: TxCtx, token: string) {
  return scoped(tx)
    .where('token_hash', '=', hashSecret(token))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', tx.now);
}

/**
 * Takes the holder of a link into the team: the link was mailed to the address, so it proves it. It signs nobody in: whoever
 * has an account proves who they are as always, second factor included.
 * @throws Problem INVALID_TOKEN, WEAK_PASSWORD, VALIDATION_FAILED for a newcomer without a password
 */
export async function acceptTeamInvitation(
  ctx: Ctx,
  { token, displayName, password }: Static<typeof NewTeammate>,
): Promise<void> {
  const invitation = await findTeamInvitation(ctx, token);
  const { email, workspaceId } = invitation;
  const passwordHash = invitation.known ? null : await hashOf(ctx, password, [email, displayName ?? '']);
  await transaction(ctx, async (base) => {
    const tx: TxCtx = { ...base, scope: workspaceScope(workspaceId) };
    const row = await open(tx, token).forUpdate().executeTakeFirst();
    if (!row || !(await isBacked(tx, row))) throw problem('INVALID_TOKEN');
    const userId =
      passwordHash === null
        ? await findOperator(tx, email)
        : await createOperator(tx, { email, passwordHash, ...(displayName !== undefined && { displayName }) });
    if (!userId) throw problem('INVALID_TOKEN');
    await tx.db
      .updateTable('team_invitations')
      .set({ accepted_at: tx.now })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', row.id)
      .execute();
    await addTeamMember(tx, userId, row.role);
  });
}

async function hashOf(ctx: Ctx, password: string | undefined, about: readonly string[]): Promise<string> {
  if (password === undefined) throw problem('VALIDATION_FAILED', 'Choose a password.');
  return newPasswordHash(ctx, password, about);
}

/** Removes the invitations to any of these addresses, to every team. */
export async function forgetTeamInvitations(tx: TxCtx, emails: readonly string[]): Promise<void> {
  await tx.db
    .deleteFrom('team_invitations')
    .where('email', '=', sql<string>`any(${[...emails]})`)
    .modifyEnd(sql`/* all workspaces */`)
    .execute();
}
