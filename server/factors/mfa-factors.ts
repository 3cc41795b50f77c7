import { HOTP, Secret, TOTP } from 'otpauth';
import { emit } from '#events';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { type Id, newId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { inRealm, realmColumns } from '#platform/scoped.ts';

export type FactorId = Id<'fac'>;
type FactorKind = 'totp' | 'phone';

type MfaFactorsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: FactorId;
  user_id: UserId;
  kind: FactorKind;
  secret_sealed: string | null;
  phone: string | null;
  last_step: number;
  created_at: Date;
  confirmed_at: Date | null;
  last_used_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    mfa_factors: MfaFactorsTable;
  }
}

const PURPOSE = 'totp-seed';
/** RFC 6238 with the parameters that every authenticator app supports: SHA-1, six digits, 30 seconds (AU-4). */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Phone clocks may be off by one step. */
const WINDOW = 1;

/** The data to set up a new authenticator app. */
export type TotpEnrolment = { id: FactorId; secret: string; uri: string; qrSvg: string };

/**
 * Creates a seed that counts after it is confirmed with a code, and deletes an earlier unconfirmed one.
 * @param label the account
 * @param issuer the product
 */
export async function enrolTotp(
  tx: TxCtx,
  userId: UserId,
  { label, issuer }: { label: string; issuer: string },
): Promise<TotpEnrolment> {
  await dropUnconfirmed(tx, userId, 'totp');
  const id = newId('fac', tx.now);
  const secret = new Secret({ size: 20 });
  await insertFactor(tx, {
    id,
    user_id: userId,
    kind: 'totp',
    secret_sealed: tx.system.keyring.seal(secret.base32, PURPOSE, id),
    phone: null,
  });
  const uri = new TOTP({ issuer, label, secret, digits: DIGITS, period: STEP_SECONDS }).toString();
  const { toString: qrCode } = await import('qrcode');
  return { id, secret: secret.base32, uri, qrSvg: await qrCode(uri, { type: 'svg', margin: 1 }) };
}

/**
 * Adds a phone with a verified number as a second factor.
 * @returns its id
 */
export async function addPhoneFactor(tx: TxCtx, userId: UserId, phone: string): Promise<FactorId> {
  const id = newId('fac', tx.now);
  try {
    await insertFactor(tx, { id, user_id: userId, kind: 'phone', secret_sealed: null, phone, confirmed_at: tx.now });
  } catch (error) {
    throw isUniqueViolation(error, 'mfa_factors_confirmed')
      ? problem('ALREADY_EXISTS', 'A phone is already set up. Remove it first.')
      : error;
  }
  await emit(tx, 'user.mfa.enabled', { userId, factorId: id, type: 'phone' });
  return id;
}

type NewFactor = Pick<MfaFactorsTable, 'id' | 'user_id' | 'kind' | 'secret_sealed' | 'phone'> & { confirmed_at?: Date };

async function insertFactor(tx: TxCtx, factor: NewFactor): Promise<void> {
  await tx.db
    .insertInto('mfa_factors')
    .values({
      ...realmColumns(tx),
      confirmed_at: null,
      last_step: 0,
      last_used_at: null,
      ...factor,
      created_at: tx.now,
    })
    .execute();
}

async function dropUnconfirmed(tx: TxCtx, userId: UserId, kind: FactorKind): Promise<void> {
  await tx.db
    .deleteFrom('mfa_factors')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('confirmed_at', 'is', null)
    .execute();
}

/**
 * Confirms a new authenticator app with its first code.
 * @throws Problem INVALID_CODE, NOT_FOUND, ALREADY_EXISTS if another app is confirmed
 */
export async function confirmTotp(
  tx: TxCtx,
  userId: UserId,
  { id, code }: { id: FactorId; code: string },
): Promise<void> {
  const factor = await findFactor(tx, userId, id);
  if (factor?.kind !== 'totp' || factor.confirmed_at) throw problem('NOT_FOUND');
  if (!(await checkTotp(tx, factor, code))) throw problem('INVALID_CODE');
  try {
    await tx.db
      .updateTable('mfa_factors')
      .set({ confirmed_at: tx.now })
      .where(inRealm(tx))
      .where('id', '=', id)
      .execute();
  } catch (error) {
    throw isUniqueViolation(error, 'mfa_factors_confirmed')
      ? problem('ALREADY_EXISTS', 'An authenticator app is already set up. Remove it first.')
      : error;
  }
  await emit(tx, 'user.mfa.enabled', { userId, factorId: id, type: 'totp' });
}

/** One factor of a user, confirmed or not. Served by the primary key. */
export function findFactor(ctx: Reader, userId: UserId, id: string) {
  return ctx.db
    .selectFrom('mfa_factors')
    .select(['id', 'kind', 'secret_sealed', 'phone', 'confirmed_at'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where('id', '=', sqlId(id))
    .executeTakeFirst();
}

function sqlId(id: string): FactorId {
  return `fac_${id.slice(4)}`;
}

type Reader = Pick<Ctx, 'scope' | 'db'> | Pick<TxCtx, 'scope' | 'db'>;

/**
 * Checks a code of an authenticator app and spends its time step: this code and all older ones are refused afterwards,
 * also concurrently (AU-4; RFC 6238 §5.2).
 */
export async function checkTotp(
  tx: TxCtx,
  factor: { id: FactorId; secret_sealed: string | null },
  code: string,
): Promise<boolean> {
  if (factor.secret_sealed === null) return false;
  const secret = Secret.fromBase32(tx.system.keyring.open(factor.secret_sealed, PURPOSE, factor.id));
  const current = Math.floor(tx.now.getTime() / 1000 / STEP_SECONDS);
  const delta = HOTP.validate({ token: code, secret, digits: DIGITS, counter: current, window: WINDOW });
  if (delta === null) return false;
  const step = current + delta;
  const { numUpdatedRows } = await tx.db
    .updateTable('mfa_factors')
    .set({ last_step: step, last_used_at: tx.now })
    .where(inRealm(tx))
    .where('id', '=', factor.id)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A confirmed factor as lists show it. */
export type Factor = { id: FactorId; type: FactorKind; phone: string | null; createdAt: Date; lastUsedAt: Date | null };

/** The confirmed factors of a user. Served by mfa_factors_of_user. */
export async function listFactors(ctx: Reader, userId: UserId): Promise<Factor[]> {
  const rows = await ctx.db
    .selectFrom('mfa_factors')
    .select(['id', 'kind', 'phone', 'created_at', 'last_used_at'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .orderBy('kind', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    type: row.kind,
    phone: row.phone,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** The confirmed authenticator app of a user. Served by mfa_factors_confirmed. */
export function findTotp(ctx: Reader, userId: UserId) {
  return ctx.db
    .selectFrom('mfa_factors')
    .select(['id', 'secret_sealed'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where('kind', '=', 'totp')
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
}

/**
 * Removes a kind of factor.
 * @throws Problem NOT_FOUND when there is none
 */
export async function removeFactor(tx: TxCtx, userId: UserId, kind: FactorKind): Promise<void> {
  const removed = await tx.db
    .deleteFrom('mfa_factors')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('confirmed_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  if (!removed) throw problem('NOT_FOUND');
  await emit(tx, 'user.mfa.disabled', { userId, factorId: removed.id, type: kind });
}

/** Records the use of a factor that is not an app. */
export async function factorUsed(tx: TxCtx, id: FactorId): Promise<void> {
  await tx.db
    .updateTable('mfa_factors')
    .set({ last_used_at: tx.now })
    .where(inRealm(tx))
    .where('id', '=', id)
    .execute();
}

/** Removes every factor of a user, confirmed or not. */
export async function removeAllFactors(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db.deleteFrom('mfa_factors').where(inRealm(tx)).where('user_id', '=', userId).execute();
}

/** Those of these users who have a confirmed factor. Served by mfa_factors_of_user. */
export async function withFactors(ctx: Reader, ids: readonly UserId[]): Promise<ReadonlySet<UserId>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db
    .selectFrom('mfa_factors')
    .select('user_id')
    .distinct()
    .where(inRealm(ctx))
    .where((eb) => eb('user_id', '=', eb.fn.any(eb.val([...ids]))))
    .where('confirmed_at', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}
