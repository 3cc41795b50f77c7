import { type Generated, sql } from 'kysely';
import { Type } from 'typebox';
import { countMessage } from '#attempts';
import { countCode } from '#billing';
import { projectOf } from '#environments';
import { type EventCount, emit } from '#events';
import { lockUser } from '#people';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ReadDb } from '#platform/db.ts';
import { newId, type ProjectId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { codeDigest, isCode, newCode } from '#platform/one-time-code.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import type { System, SystemInTx } from '#platform/system.ts';
import { beginRegistration, provenRegistration } from '#registrations';
import { isClosed } from '#tenancy';
import { type ChallengeMessage, type Purpose, sendChallengeMessage, testCodeOf } from './challenge-messages.ts';
import { AddressChallengeId, isMarked, type LinkProof, type Proof } from './proofs.ts';

type AddressChallengesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: AddressChallengeId;
  project_id: ProjectId;
  purpose: Purpose;
  user_id: UserId | null;
  channel: 'email' | 'phone';
  address: string;
  code_hash: Buffer | null;
  decoy: boolean;
  token_hash: Buffer | null;
  pending_sealed: string | null;
  attempts_left: number;
  code_expires_at: Date;
  expires_at: Date;
  resend_after: Date;
  used_at: Generated<Date | null>;
  ip: string | null;
  user_agent: string | null;
  created_at: Date;
  browser_hash: Generated<Buffer | null>;
};

declare module '#platform/db.ts' {
  interface Tables {
    flows: AddressChallengesTable;
  }
}

const RESEND_SECONDS = 30;
const SEALED = 'pending-registration';

/** The response after a message was sent; the same whether or not there is an account. */
export const AddressChallengeStarted = Type.Object(
  {
    flowId: AddressChallengeId,
    expiresIn: Type.Integer({ description: 'Seconds.' }),
    resendAfter: Type.Integer({ description: 'Seconds.' }),
  },
  { title: 'StartedChallenge' },
);

/** The target and purpose of a new challenge. */
export type NewAddressChallenge = Omit<ChallengeMessage, 'code' | 'token' | 'expiresAt'> & {
  userId: UserId | null;
  pending?: Record<string, unknown>;
  /** The mark of the browser in which it is started. */
  browser?: string | undefined;
};

/**
 * Opens a challenge and sends its code and link. Counted first, so that nobody's mailbox or telephone bill is flooded.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function startAddressChallenge(
  ctx: Ctx,
  challenge: NewAddressChallenge & { typed?: string },
): Promise<{ flowId: AddressChallengeId; expiresIn: number; resendAfter: number }> {
  const silent = !(await countMessage(ctx, challenge));
  return transaction(ctx, (tx) => openAddressChallenge(tx, { ...challenge, silent }));
}

/** {@link startAddressChallenge} in the caller's transaction, without counting. */
export async function openAddressChallenge(tx: TxCtx, challenge: NewAddressChallenge) {
  const id = newId('flw', tx.now);
  const secrets = await newSecrets(tx, challenge);
  await tx.db
    .insertInto('flows')
    .values({
      ...scopeColumns(tx),
      id,
      purpose: challenge.purpose,
      user_id: challenge.userId,
      channel: challenge.channel,
      address: challenge.address,
      pending_sealed: challenge.pending ? tx.system.keyring.seal(JSON.stringify(challenge.pending), SEALED, id) : null,
      attempts_left: secrets.tries,
      ...hashesOf(tx.system, id, secrets),
      decoy: challenge.decoy !== undefined,
      ip: tx.trace.ip,
      user_agent: tx.trace.userAgent,
      created_at: tx.now,
      browser_hash: challenge.browser === undefined ? null : hashSecret(challenge.browser),
    })
    .execute();
  const { channel, purpose } = challenge;
  await emit(tx, 'user.verification.requested', { channel, purpose }, await countsOf(tx, challenge));
  await sendChallengeMessage(tx, { ...challenge, ...secrets });
  return { flowId: id, expiresIn: secondsUntil(tx, secrets.expiresAt), resendAfter: RESEND_SECONDS };
}

/** The purposes of challenges that create an account where the address has none. */
const REGISTERING: readonly Purpose[] = ['register', 'magic_link', 'sign_in'];

/** What a challenge is counted as: the beginning of a registration, if its proof would create an account. */
async function countsOf(tx: TxCtx, { purpose, userId, decoy, address }: NewAddressChallenge): Promise<EventCount[]> {
  if (!REGISTERING.includes(purpose)) return [];
  if (userId === null && decoy === undefined) return beginRegistration(tx, address);
  // A statement less would tell by the time of the response that the address has an account.
  await provenRegistration(tx, address);
  return [];
}

type Secrets = { code: string; tries: number; token: string; codeExpiresAt: Date; expiresAt: Date; resendAfter: Date };

async function newSecrets(
  tx: TxCtx,
  challenge: Pick<NewAddressChallenge, 'channel' | 'address' | 'purpose'>,
): Promise<Secrets> {
  const { routingKey, settings } = await projectOf(tx.system, tx.scope);
  const byLink =
    ['magic_link', 'reset_password', 'verify_email', 'register'].includes(challenge.purpose) &&
    challenge.channel === 'email';
  const lifetime = byLink ? settings.magicLinkSeconds : settings.oneTimeCodeSeconds;
  return {
    tries: settings.oneTimeCodeTries,
    code: testCodeOf(settings, tx.scope.environment, challenge) ?? newCode(),
    token: `lkf_${routingKey}_${randomSecret()}`,
    codeExpiresAt: after(tx, Math.min(lifetime, settings.oneTimeCodeSeconds)),
    expiresAt: after(tx, lifetime),
    resendAfter: after(tx, RESEND_SECONDS),
  };
}

function hashesOf(system: SystemInTx, id: AddressChallengeId, secrets: Secrets) {
  return {
    code_hash: codeDigest(system, { purpose: 'one-time-code', record: id, code: secrets.code }),
    token_hash: hashSecret(secrets.token),
    code_expires_at: secrets.codeExpiresAt,
    expires_at: secrets.expiresAt,
    resend_after: secrets.resendAfter,
  };
}

function after(ctx: Pick<Ctx, 'now'>, seconds: number): Date {
  return new Date(ctx.now.getTime() + seconds * 1000);
}

function secondsUntil(ctx: Pick<Ctx, 'now'>, instant: Date): number {
  return Math.round((instant.getTime() - ctx.now.getTime()) / 1000);
}

export type ProvenAddressChallenge = {
  purpose: Purpose;
  channel: 'email' | 'phone';
  address: string;
  userId: UserId | null;
  pending: unknown;
  /**
   * Whether the person who proved the address also started the challenge: typed its code, or opened the link in the
   * same browser. Anybody else has proven the address only; what was chosen when it was started does not count for
   * them.
   */
  begunHere: boolean;
};

/**
 * Checks a proof and, in the transaction of `work`, spends its challenge. Attempts at a code are counted even if the
 * request fails, so parallel guesses share one budget. Of concurrent uses of a valid code, exactly one succeeds.
 * @throws Problem INVALID_CODE or INVALID_TOKEN for a wrong, used, expired or exhausted one, and what `work` throws
 */
export async function withProof<T>(
  ctx: Ctx,
  { proof, purposes }: { proof: Proof; purposes: readonly Purpose[] },
  work: (tx: TxCtx, challenge: ProvenAddressChallenge) => Promise<T>,
): Promise<T> {
  if ('code' in proof) await checkCode(ctx, proof, purposes);
  return transaction(ctx, async (tx) => {
    await lockPersonOf(tx, proof);
    return work(tx, await spendAddressChallenge(tx, proof, purposes));
  });
}

/**
 * Serialises a proof with a change of credentials that voids it. Always locks in this order: the user, then the
 * challenge.
 */
async function lockPersonOf(tx: TxCtx, proof: Proof): Promise<void> {
  const open = tx.db.selectFrom('flows').select('user_id').where(acrossProjects(tx));
  const challenge = await ('token' in proof
    ? open.where('token_hash', '=', hashSecret(proof.token))
    : open.where('id', '=', proof.flowId)
  ).executeTakeFirst();
  if (challenge?.user_id) await lockUser(tx, challenge.user_id);
}

/**
 * Checks a proof before expensive work, so that invalid proofs can't cause it. Spends nothing; a wrong code counts as
 * an attempt.
 * @throws Problem INVALID_CODE or INVALID_TOKEN
 */
export async function requireProvable(ctx: Ctx, proof: Proof, purposes: readonly Purpose[]): Promise<void> {
  if ('token' in proof) {
    await lookAtLink(ctx, proof, purposes);
    return;
  }
  const { flowId, code } = proof;
  const challenge = await ctx.db
    .selectFrom('flows')
    .select('code_hash')
    .where(acrossProjects(ctx))
    .where('id', '=', flowId)
    .where('purpose', '=', sql<Purpose>`any(${[...purposes]})`)
    .where('attempts_left', '>', 0)
    .where('used_at', 'is', null)
    .where('decoy', '=', false)
    .where('code_expires_at', '>', ctx.now)
    .executeTakeFirst();
  if (
    !challenge?.code_hash ||
    !isCode(ctx.system, { purpose: 'one-time-code', record: flowId, code }, challenge.code_hash)
  )
    await checkCode(ctx, proof, purposes);
}

async function checkCode(
  ctx: Ctx,
  { flowId, code }: { flowId: AddressChallengeId; code: string },
  purposes: readonly Purpose[],
): Promise<void> {
  const challenge = await transaction(ctx, (tx) =>
    tx.db
      .updateTable('flows')
      .set((eb) => ({ attempts_left: eb('attempts_left', '-', 1) }))
      .where(acrossProjects(tx))
      .where('id', '=', flowId)
      .where('purpose', '=', sql<Purpose>`any(${[...purposes]})`)
      .where('attempts_left', '>', 0)
      .where('used_at', 'is', null)
      .where('decoy', '=', false)
      .where('code_expires_at', '>', tx.now)
      .returning('code_hash')
      .executeTakeFirst(),
  );
  const matches = challenge?.code_hash
    ? isCode(ctx.system, { purpose: 'one-time-code', record: flowId, code }, challenge.code_hash)
    : false;
  if (!matches) throw problem('INVALID_CODE');
}

async function spendAddressChallenge(
  tx: TxCtx,
  proof: Proof,
  purposes: readonly Purpose[],
): Promise<ProvenAddressChallenge> {
  let query = tx.db
    .updateTable('flows')
    .set({ used_at: tx.now })
    .where(inScope(tx))
    .where('purpose', '=', sql<Purpose>`any(${[...purposes]})`)
    .where('used_at', 'is', null)
    .where('decoy', '=', false)
    .where('expires_at', '>', tx.now);
  query =
    'token' in proof ? query.where('token_hash', '=', hashSecret(proof.token)) : query.where('id', '=', proof.flowId);
  const row = await query
    .returning(['id', 'purpose', 'channel', 'address', 'user_id', 'pending_sealed', 'browser_hash'])
    .executeTakeFirst();
  if (!row) throw problem('token' in proof ? 'INVALID_TOKEN' : 'INVALID_CODE');
  if (row.channel === 'phone') await countCode(tx, row.address, 'used');
  const pending: unknown = row.pending_sealed && JSON.parse(tx.system.keyring.open(row.pending_sealed, SEALED, row.id));
  const begunHere = !('token' in proof) || isMarked(proof, row.browser_hash);
  return { purpose: row.purpose, channel: row.channel, address: row.address, userId: row.user_id, pending, begunHere };
}

/**
 * The content of a link's page: its purpose, and who requested it. Does not spend the link.
 * @throws Problem INVALID_TOKEN
 */
export async function lookAtLink(ctx: Ctx, proof: LinkProof, purposes: readonly Purpose[]) {
  const row = await ctx.db
    .selectFrom('flows')
    .select(['channel', 'address', 'user_id as userId', 'ip', 'user_agent as userAgent', 'created_at as askedAt'])
    .select(['id', 'purpose', 'pending_sealed', 'browser_hash'])
    .where(acrossProjects(ctx))
    .where('token_hash', '=', hashSecret(proof.token))
    .where('purpose', '=', sql<Purpose>`any(${[...purposes]})`)
    .where('used_at', 'is', null)
    .where('decoy', '=', false)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
  if (!row) throw problem('INVALID_TOKEN');
  const { pending_sealed: sealed, id, browser_hash: hash, ...shown } = row;
  const pending: unknown = sealed && JSON.parse(ctx.system.keyring.open(sealed, SEALED, id));
  return { ...shown, pending, begunHere: isMarked(proof, hash) };
}

/** The project a mailed link belongs to. Served by flows_token. */
export async function projectOfLink(
  system: System,
  realm: { workspaceId: WorkspaceId; environment: Environment },
  token: string,
): Promise<ProjectId | undefined> {
  const row = await system.db
    .selectFrom('flows')
    .select('project_id')
    .where('workspace_id', '=', realm.workspaceId)
    .where('environment', '=', realm.environment)
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst();
  return row && !(await isClosed(system, { ...realm, projectId: row.project_id })) ? row.project_id : undefined;
}

/**
 * Sends a new code and link for an open challenge; the old ones stop working. For an unknown, spent or expired
 * challenge the response is the same, and nothing is sent.
 * @throws Problem RATE_LIMIT_EXCEEDED when asked again too soon
 */
export async function resendAddressChallenge(
  ctx: Ctx,
  flowId: AddressChallengeId,
): Promise<{ flowId: AddressChallengeId; expiresIn: number; resendAfter: number }> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const response = { flowId, expiresIn: settings.oneTimeCodeSeconds, resendAfter: RESEND_SECONDS };
  const found = await findResendable(ctx.db, ctx, flowId).executeTakeFirst();
  if (!found) return response;
  requireDue(ctx, found);
  const { channel, address, user_id: userId } = found;
  const silent = !(await countMessage(ctx, { channel, address, userId, typed: flowId }));
  await transaction(ctx, async (tx) => {
    const challenge = await findResendable(tx.db, tx, flowId).forUpdate().executeTakeFirst();
    if (!challenge) return;
    requireDue(tx, challenge);
    const secrets = await newSecrets(tx, challenge);
    await tx.db
      .updateTable('flows')
      .set({ attempts_left: secrets.tries, ...hashesOf(tx.system, flowId, secrets) })
      .where(acrossProjects(tx))
      .where('id', '=', flowId)
      .execute();
    await emit(tx, 'user.verification.requested', { channel: challenge.channel, purpose: challenge.purpose });
    await sendChallengeMessage(tx, {
      ...challenge,
      ...secrets,
      silent,
      decoy: challenge.decoy ? { tell: challenge.purpose === 'register' } : undefined,
    });
  });
  return response;
}

/** An open challenge that allows another message. Served by the primary key. */
function findResendable(db: ReadDb, { scope, now }: Pick<Ctx, 'scope' | 'now'>, flowId: AddressChallengeId) {
  return db
    .selectFrom('flows')
    .select(['purpose', 'channel', 'address', 'user_id', 'decoy', 'resend_after'])
    .where(acrossProjects({ scope }))
    .where('id', '=', flowId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now);
}

/** @throws Problem RATE_LIMIT_EXCEEDED if the last message was sent too recently */
function requireDue(
  { now }: Pick<Ctx, 'now'>,
  { resend_after: due }: Pick<AddressChallengesTable, 'resend_after'>,
): void {
  if (due > now) throw problemWithRetry('RATE_LIMIT_EXCEEDED', (due.getTime() - now.getTime()) / 1000);
}

/** `ada@example.com` → `a•••@example.com`; `+493012345678` → `+49•••78`. */
export function hintOf(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 0) return `${address.slice(0, 3)}•••${address.slice(-2)}`;
  return `${address.slice(0, 1)}•••${address.slice(at)}`;
}
