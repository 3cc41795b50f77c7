import { type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { sendMessage } from '#messages';
import { type Actor, type Ctx, type Scope, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, type Tables } from '#platform/db.ts';
import type { OrganizationId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { openCursor, type PageQuery, pageOf } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';

const DAY_MS = 86_400_000;

export const InvitationStatus = Type.Enum(['pending', 'accepted', 'revoked', 'expired']);
type InvitationStatus = Static<typeof InvitationStatus>;

/** The columns that the tables of all targets share. */
type InvitationRow = {
  workspace_id: WorkspaceId;
  id: string;
  email: string;
  token_hash: Buffer;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
};

/** The shared columns of a new invitation. */
type NewInvitationRow = Omit<InvitationRow, 'id'>;

/**
 * What people can be invited to. Each kind of target has its own table of invitations, and decides what an invitation may
 * grant, which mail is sent and which events are written.
 */
type InvitationTarget<Row extends InvitationRow> = {
  /** Its unique index `<table>_open` prevents a second open invitation of an address. */
  table: keyof Tables;
  /** The condition for the rows of a scope. */
  within: (scope: Scope) => RawBuilder<unknown>;
  emit: (tx: TxCtx, what: 'created' | 'resent' | 'revoked', row: Row) => Promise<void>;
  insert: (tx: TxCtx, row: Row) => Promise<unknown>;
  /** The actor as stored in the column `invited_by`. */
  inviterOf: (actor: Actor) => string | null;
  /** The prefix of its tokens, and their lifetime. */
  tokens: (tx: TxCtx) => Promise<{ prefix: string; seconds: number }>;
  /** The sender of the mail, and its variables besides the lifetime. */
  letter: (tx: TxCtx, row: Row, token: string) => Promise<Letter>;
  requireToGrant: RequireToGrant<Row>;
  /**
   * Refuses an invitation that has expired and is sent again where a new one would be refused today. The target is locked.
   * @throws Problem CONFLICT
   */
  requireToReopen?: (tx: TxCtx, row: Row) => Promise<void>;
  /** Locks the target, which every transaction locks before its invitations. */
  lockTarget?: (tx: TxCtx, row: Row) => Promise<void>;
  /**
   * Whether the sender of an invitation could send it today. Locks the sender's permissions until the transaction ends.
   */
  isBacked: (tx: TxCtx, row: Row) => Promise<boolean>;
};

/** @throws Problem AUTHORIZATION_DENIED if the actor may not grant what the invitation grants now */
export type RequireToGrant<Row> = (tx: TxCtx, act: 'resend' | 'revoke', row: Row) => Promise<void>;

type Letter = {
  sender: TxCtx;
  locale: string | null;
  variables: { link: string; project?: string };
  organizationId: OrganizationId | null;
};

export function statusOf({ now }: Pick<Ctx, 'now'>, row: InvitationRow): InvitationStatus {
  if (row.accepted_at) return 'accepted';
  if (row.revoked_at) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

/** Names an invitation: the token of its link, or its id and the address of the person who was invited. */
export type InvitationRef = string | { id: string; email: string };

/** The condition for invitations that can still be accepted. */
export function isOpen({ now }: Pick<Ctx, 'now'>): RawBuilder<boolean> {
  return sql<boolean>`accepted_at is null and revoked_at is null and expires_at > ${now}`;
}

function inStatus(ctx: Pick<Ctx, 'now'>, status: InvitationStatus | undefined): RawBuilder<boolean> {
  if (status === 'accepted') return sql<boolean>`accepted_at is not null`;
  if (status === 'revoked') return sql<boolean>`revoked_at is not null`;
  if (status === 'pending') return isOpen(ctx);
  return status === 'expired' ? hasExpired(ctx) : sql<boolean>`true`;
}

function hasExpired({ now }: Pick<Ctx, 'now'>): RawBuilder<boolean> {
  return sql<boolean>`accepted_at is null and revoked_at is null and expires_at <= ${now}`;
}

function unknown(ref: InvitationRef) {
  return problem(typeof ref === 'string' ? 'INVALID_TOKEN' : 'NOT_FOUND');
}

/**
 * The invitations to one kind of target; sending, resending, revoking and accepting follow the same rules for all
 * kinds.
 */
export class Invitations<Row extends InvitationRow> {
  readonly #target: InvitationTarget<Row>;

  constructor(target: InvitationTarget<Row>) {
    this.#target = target;
  }

  /**
   * A page of rows, newest first. Served by the primary key.
   * @param only a condition for the rows; its name keeps the cursors of different lists apart
   */
  async list(
    ctx: Ctx,
    { limit, cursor, status }: Static<typeof PageQuery> & { status?: InvitationStatus },
    only: { name: string; where: RawBuilder<unknown> } = { name: 'all', where: sql`true` },
  ) {
    const list = JSON.stringify([this.#target.table, status, only.name]);
    const after = cursor === undefined ? sql`true` : sql`id < ${openCursor(ctx, list, cursor)}`;
    const rows = await this.#select(
      ctx,
      sql`${after} and ${only.where} and ${inStatus(ctx, status)} order by id desc limit ${limit + 1}`,
    );
    return pageOf(ctx, rows, { list, limit, keyOf: (row) => row.id });
  }

  async find(ctx: Ctx, id: string): Promise<Row> {
    const [row] = await this.#select(ctx, sql`id = ${id}`);
    if (!row) throw problem('NOT_FOUND');
    return row;
  }

  /**
   * An open invitation, locked until the transaction ends.
   * @throws Problem INVALID_TOKEN, or NOT_FOUND for an id, when there is none
   */
  async findOpen(tx: TxCtx, ref: InvitationRef): Promise<Row> {
    const row = await this.#lockOpen(tx, ref);
    if (!row) throw unknown(ref);
    return row;
  }

  /**
   * An open invitation, locked until the transaction ends.
   * @throws Problem INVALID_TOKEN, or NOT_FOUND for an id, when there is none, or its sender could not send it today
   */
  async findBacked(tx: TxCtx, ref: InvitationRef): Promise<Row> {
    const row = await this.findOpen(tx, ref);
    if (!(await this.#target.isBacked(tx, row))) throw unknown(ref);
    return row;
  }

  /**
   * Invites an address. The caller has checked what the actor may grant.
   * @throws Problem ALREADY_EXISTS while another invitation of the address is open
   */
  async create(tx: TxCtx, email: string, rowOf: (row: NewInvitationRow) => Row): Promise<Row> {
    await this.#closeExpired(tx, email);
    const { token, ...fresh } = await this.#newToken(tx);
    const { workspaceId } = tx.scope;
    const row = rowOf({
      workspace_id: workspaceId,
      email,
      created_at: tx.now,
      accepted_at: null,
      revoked_at: null,
      ...fresh,
    });
    try {
      await this.#target.insert(tx, row);
    } catch (error) {
      throw isUniqueViolation(error, `${this.#target.table}_open`)
        ? problem('ALREADY_EXISTS', 'This address already has a pending invitation. Resend or revoke it.')
        : error;
    }
    await this.#mail(tx, row, token);
    await this.#target.emit(tx, 'created', row);
    return row;
  }

  /**
   * Mails an open or expired invitation again, with a new link and its full lifetime; the old link stops working. From
   * then on it depends on what its new sender may grant.
   * @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED
   */
  resend(
    ctx: Ctx | TxCtx,
    id: string,
    requireToGrant: RequireToGrant<Row> = this.#target.requireToGrant,
  ): Promise<Row> {
    return transaction(ctx, async (tx) => {
      const open = await this.#lockUnanswered(tx, id);
      await requireToGrant(tx, 'resend', open);
      if (statusOf(tx, open) === 'expired') await this.#target.requireToReopen?.(tx, open);
      const { token, token_hash, expires_at } = await this.#newToken(tx);
      const inviter = this.#target.inviterOf(tx.actor);
      const changes = sql`token_hash = ${token_hash}, expires_at = ${expires_at}, invited_by = ${inviter}`;
      const row = await this.#change(tx, open, changes);
      await this.#mail(tx, row, token);
      await this.#target.emit(tx, 'resent', row);
      return row;
    });
  }

  /**
   * Revokes an open invitation.
   * @throws Problem NOT_FOUND, CONFLICT, AUTHORIZATION_DENIED
   */
  async revoke(
    ctx: Ctx | TxCtx,
    id: string,
    requireToGrant: RequireToGrant<Row> = this.#target.requireToGrant,
  ): Promise<void> {
    await transaction(ctx, async (tx) => {
      const row = await this.#lockUnanswered(tx, id);
      await requireToGrant(tx, 'revoke', row);
      await this.#end(tx, row);
    });
  }

  /**
   * Revokes an open invitation whose sender could not send it today: they were removed, blocked, demoted or disabled
   * since.
   * @throws Problem INVALID_TOKEN for such an invitation, or NOT_FOUND for an id
   */
  async revokeUnbacked(ctx: Ctx, ref: InvitationRef): Promise<void> {
    const revoked = await transaction(ctx, async (tx) => {
      const row = await this.#lockOpen(tx, ref);
      if (!row || (await this.#target.isBacked(tx, row))) return false;
      await this.#end(tx, row);
      return true;
    });
    if (revoked) throw unknown(ref);
  }

  /**
   * Spends an invitation; exactly one of several concurrent calls succeeds.
   * @throws Problem INVALID_TOKEN, or NOT_FOUND for an id, when it is not open, or its sender could not send it today
   */
  async accept(tx: TxCtx, ref: InvitationRef): Promise<Row> {
    return this.#change(tx, await this.findBacked(tx, ref), sql`accepted_at = ${tx.now}`);
  }

  async #select(ctx: Pick<Ctx | TxCtx, 'db' | 'scope'>, rest: RawBuilder<unknown>): Promise<Row[]> {
    const { table, within } = this.#target;
    const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${within(ctx.scope)} and ${rest}`.execute(
      ctx.db,
    );
    return rows;
  }

  async #change(tx: TxCtx, { id }: Row, changes: RawBuilder<unknown>): Promise<Row> {
    const { table, within } = this.#target;
    const { rows } = await sql<Row>`
      update ${sql.table(table)} set ${changes} where ${within(tx.scope)} and id = ${id} returning *`.execute(tx.db);
    const [row] = rows;
    if (!row) throw new Error('Expected the locked invitation to exist.');
    return row;
  }

  /** Closes an expired invitation, so that the address can be invited again. */
  async #closeExpired(tx: TxCtx, email: string): Promise<void> {
    const { table, within } = this.#target;
    await sql`update ${sql.table(table)} set revoked_at = ${tx.now}
      where ${within(tx.scope)} and email = ${email} and ${hasExpired(tx)}`.execute(tx.db);
  }

  /** Served by `<table>_token`, or the primary key. */
  #lockOpen(tx: TxCtx, ref: InvitationRef): Promise<Row | undefined> {
    const which =
      typeof ref === 'string' ? sql`token_hash = ${hashSecret(ref)}` : sql`id = ${ref.id} and email = ${ref.email}`;
    return this.#lock(tx, sql`${which} and ${isOpen(tx)}`);
  }

  /** @returns undefined if there is no such invitation, or its target is removed concurrently */
  async #lock(tx: TxCtx, where: RawBuilder<unknown>): Promise<Row | undefined> {
    const [seen] = await this.#select(tx, where);
    if (!seen) return undefined;
    await this.#target.lockTarget?.(tx, seen);
    const [row] = await this.#select(tx, sql`${where} for update`);
    return row;
  }

  async #lockUnanswered(tx: TxCtx, id: string): Promise<Row> {
    const row = await this.#lock(tx, sql`id = ${id}`);
    if (!row) throw problem('NOT_FOUND');
    if (row.accepted_at || row.revoked_at) throw problem('CONFLICT', 'Only a pending invitation can be changed.');
    return row;
  }

  async #end(tx: TxCtx, row: Row): Promise<void> {
    await this.#change(tx, row, sql`revoked_at = ${tx.now}`);
    await this.#target.emit(tx, 'revoked', row);
  }

  async #newToken(tx: TxCtx): Promise<{ token: string; token_hash: Buffer; expires_at: Date }> {
    const { prefix, seconds } = await this.#target.tokens(tx);
    const token = `${prefix}_${randomSecret()}`;
    return { token, token_hash: hashSecret(token), expires_at: new Date(tx.now.getTime() + seconds * 1000) };
  }

  async #mail(tx: TxCtx, row: Row, token: string): Promise<void> {
    const { sender, variables, ...letter } = await this.#target.letter(tx, row, token);
    const days = Math.max(1, Math.round((row.expires_at.getTime() - tx.now.getTime()) / DAY_MS));
    await sendMessage(sender, {
      template: 'invitation',
      to: row.email,
      ...letter,
      variables: { ...variables, days },
      expiresAt: row.expires_at,
    });
  }
}
