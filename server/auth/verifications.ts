import { randomInt } from 'node:crypto';
import type { Generated } from 'kysely';
import { Type } from 'typebox';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, newId, type ProjectId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { sendMail } from '#platform/messages.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { codeMail, knownAddressMail } from './mails.ts';

export type FlowId = Id<'flw'>;

/** `register`: the account is made when the address is proven. `verify_email`: the address of an existing account. */
type Purpose = 'register' | 'verify_email';

type VerificationsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: FlowId;
  project_id: ProjectId;
  purpose: Purpose;
  user_id: UserId | null;
  channel: 'email' | 'phone';
  address: string;
  code_hash: Buffer | null;
  pending_sealed: string | null;
  attempts_left: number;
  expires_at: Date;
  resend_after: Date;
  used_at: Generated<Date | null>;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    verifications: VerificationsTable;
  }
}

/** Ten minutes and five tries (ASVS 6.5.5, 6.6.3; AU-3). */
const CODE_SECONDS = 600;
const TRIES = 5;
const RESEND_SECONDS = 30;
/** Eight digits: 26 bits. */
const DIGITS = 8;
const PURPOSE = 'pending-registration';

/** The answer that asks for a code before a session is given. */
export const VerificationChallenge = Type.Object({
  status: Type.Literal('verification_required'),
  flowId: Type.String(),
  channel: Type.Enum(['email', 'phone']),
  hint: Type.String({ description: 'The address, mostly hidden.' }),
  expiresIn: Type.Integer({ description: 'Seconds.' }),
});

type NewFlow = { purpose: Purpose; address: string; userId: UserId | null; pending: Record<string, unknown> | null };

/** Opens a flow and mails its code, in the caller's transaction. */
export async function openFlow(tx: TxCtx, flow: NewFlow) {
  const id = newId('flw', tx.now);
  const code = newCode();
  await insertFlow(tx, id, { ...flow, codeHash: hashCode(tx.system, id, code) });
  await sendMail(tx, await codeMail(tx, flow.address, code));
  return challenge(id, flow.address);
}

/**
 * Opens a flow that no code can finish, for an address that has an account already: the asker sees the same answer, and the
 * owner gets a mail that says so (AU-6).
 */
export async function openDecoyFlow(tx: TxCtx, address: string) {
  const id = newId('flw', tx.now);
  await insertFlow(tx, id, { purpose: 'register', address, userId: null, pending: null, codeHash: null });
  await sendMail(tx, await knownAddressMail(tx, address));
  return challenge(id, address);
}

function challenge(flowId: FlowId, address: string) {
  return {
    status: 'verification_required' as const,
    flowId,
    channel: 'email' as const,
    hint: hintOf(address),
    expiresIn: CODE_SECONDS,
  };
}

/** `ada@example.com` → `a•••@example.com`. */
function hintOf(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}•••${address.slice(at)}`;
}

async function insertFlow(tx: TxCtx, id: FlowId, flow: NewFlow & { codeHash: Buffer | null }): Promise<void> {
  const { workspaceId, environment, projectId } = tx.scope;
  await tx.db
    .insertInto('verifications')
    .values({
      workspace_id: workspaceId,
      environment,
      id,
      project_id: projectId,
      purpose: flow.purpose,
      user_id: flow.userId,
      channel: 'email',
      address: flow.address,
      code_hash: flow.codeHash,
      pending_sealed: flow.pending && tx.system.keyring.seal(JSON.stringify(flow.pending), PURPOSE, id),
      attempts_left: TRIES,
      expires_at: after(tx, CODE_SECONDS),
      resend_after: after(tx, RESEND_SECONDS),
      created_at: tx.now,
    })
    .execute();
  await emit(tx, 'user.verification.requested', { channel: 'email' });
}

function after(ctx: Pick<Ctx, 'now'>, seconds: number): Date {
  return new Date(ctx.now.getTime() + seconds * 1000);
}

function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

/** Codes are short, so only a keyed digest keeps them from being guessed out of a stolen table. */
function hashCode(system: System, flowId: FlowId, code: string): Buffer {
  return system.keyring.tag(`${flowId} ${code}`, 'one-time-code');
}

export type ProvenFlow = { purpose: Purpose; address: string; userId: UserId | null; pending: unknown };

/**
 * Counts a try and checks the code. The try stays counted whatever comes of it, so parallel guesses get five between them.
 * @throws Problem INVALID_CODE for a wrong, used, expired or exhausted one
 */
export async function checkCode(ctx: Ctx, flowId: FlowId, code: string): Promise<void> {
  const flow = await transaction(ctx, (tx) =>
    tx.db
      .updateTable('verifications')
      .set((eb) => ({ attempts_left: eb('attempts_left', '-', 1) }))
      .where('workspace_id', '=', ctx.scope.workspaceId)
      .where('environment', '=', ctx.scope.environment)
      .where('id', '=', flowId)
      .where('attempts_left', '>', 0)
      .where('used_at', 'is', null)
      .where('expires_at', '>', ctx.now)
      .returning('code_hash')
      .executeTakeFirst(),
  );
  const matches = flow?.code_hash
    ? ctx.system.keyring.checkTag(`${flowId} ${code}`, 'one-time-code', flow.code_hash)
    : false;
  if (!matches) throw problem('INVALID_CODE');
}

/** Spends a flow whose code was right; of parallel calls one succeeds. @throws Problem INVALID_CODE when it was spent before */
export async function spendFlow(tx: TxCtx, flowId: FlowId): Promise<ProvenFlow> {
  const row = await tx.db
    .updateTable('verifications')
    .set({ used_at: tx.now })
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('environment', '=', tx.scope.environment)
    .where('id', '=', flowId)
    .where('used_at', 'is', null)
    .returning(['purpose', 'address', 'user_id', 'pending_sealed'])
    .executeTakeFirst();
  if (!row) throw problem('INVALID_CODE');
  const pending: unknown =
    row.pending_sealed && JSON.parse(tx.system.keyring.open(row.pending_sealed, PURPOSE, flowId));
  return { purpose: row.purpose, address: row.address, userId: row.user_id, pending };
}

/**
 * Sends a new code for an open flow; the code before it stops working. An unknown, spent or expired flow answers the same and sends nothing.
 * @throws Problem RATE_LIMIT_EXCEEDED when asked again too soon
 */
export async function resendCode(
  ctx: Ctx,
  flowId: FlowId,
): Promise<{ flowId: FlowId; expiresIn: number; resendAfter: number }> {
  const answer = { flowId, expiresIn: CODE_SECONDS, resendAfter: RESEND_SECONDS };
  await transaction(ctx, async (tx) => {
    const flow = await lockFlow(tx, flowId);
    if (!flow) return;
    if (flow.resend_after > tx.now)
      throw problemWithRetry('RATE_LIMIT_EXCEEDED', (flow.resend_after.getTime() - tx.now.getTime()) / 1000);
    const code = newCode();
    // A decoy stays one: it has no code, before and after.
    const codeHash = flow.code_hash && hashCode(tx.system, flowId, code);
    await tx.db
      .updateTable('verifications')
      .set({
        code_hash: codeHash,
        attempts_left: TRIES,
        expires_at: after(tx, CODE_SECONDS),
        resend_after: after(tx, RESEND_SECONDS),
      })
      .where('workspace_id', '=', tx.scope.workspaceId)
      .where('environment', '=', tx.scope.environment)
      .where('id', '=', flowId)
      .execute();
    await emit(tx, 'user.verification.requested', { channel: 'email' });
    await sendMail(tx, codeHash ? await codeMail(tx, flow.address, code) : await knownAddressMail(tx, flow.address));
  });
  return answer;
}

function lockFlow(tx: TxCtx, flowId: FlowId) {
  return tx.db
    .selectFrom('verifications')
    .select(['address', 'code_hash', 'resend_after'])
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where('environment', '=', tx.scope.environment)
    .where('id', '=', flowId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', tx.now)
    .forUpdate()
    .executeTakeFirst();
}
