import type { Generated } from 'kysely';
import { type Static, Type } from 'typebox';
import { admit, isAnotherThan, refusal } from '#admission';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type FactorId, listFactors } from '#factors';
import { listPasskeys } from '#passkeys';
import type { Ctx, Environment, Scope, TxCtx } from '#platform/ctx.ts';
import { type Id, newId, type OrganizationId, type ProjectId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import { acrossProjects, scopeColumns } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { hintOf } from '#proofs';
import { recoveryCodesLeft } from '#recovery-codes';
import type { SamlLoginId } from '#single-logout';
import { isClosed, workspaceByRoutingKey } from '#tenancy';

export type MfaChallengeId = Id<'mfc'>;

type MfaChallengesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: MfaChallengeId;
  hash: Buffer;
  project_id: ProjectId;
  user_id: UserId;
  amr: string[];
  /** The ways in of the first factor. */
  sign_in_methods: Generated<string[]>;
  organization_id: Generated<OrganizationId | null>;
  /** The session at the identity provider, if the first factor was a sign-in there. */
  saml_login: Generated<SamlLoginId | null>;
  enrolling: boolean;
  factor_id: FactorId | null;
  code_hash: Buffer | null;
  code_expires_at: Date | null;
  attempts_left: number;
  resend_after: Date | null;
  expires_at: Date;
  used_at: Generated<Date | null>;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    mfa_challenges: MfaChallengesTable;
  }
}

export const MfaToken = Type.String({ pattern: '^lkm_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$' });
const SHAPE = /^lkm_([a-z0-9]{8})_/;

/** A second factor that a person may use. */
const OfferedFactor = Type.Object({
  type: Type.Enum(['passkey', 'totp', 'phone', 'recovery_code']),
  id: Type.String({ description: 'Send it as `factorId`.' }),
  hint: Type.Union([Type.String(), Type.Null()]),
  restricted: Type.Optional(
    Type.Boolean({ description: 'A weaker factor (NIST SP 800-63B-4 §3.1.3.3); prefer another.' }),
  ),
});
export type OfferedFactor = {
  type: 'passkey' | 'totp' | 'phone' | 'recovery_code';
  id: string;
  hint: string | null;
  restricted?: boolean;
};

/** The response that asks for a second factor before a session starts. */
export const MfaChallenge = Type.Object(
  {
    status: Type.Literal('mfa_required'),
    mfaToken: Type.String(),
    factors: Type.Array(OfferedFactor, { description: 'Strongest first.' }),
    enrollment: Type.Optional(
      Type.Array(Type.Literal('totp'), {
        description:
          'The policy requires a factor and the person has none: set one up with `POST /v1/auth/mfa/enroll`.',
      }),
    ),
    expiresIn: Type.Integer({ description: 'Seconds.' }),
  },
  { title: 'MfaChallenge' },
);

/**
 * The factors that may complete a challenge, strongest first.
 * @param amr the methods of the first factor, from which the second must differ
 */
export async function offeredFactors(
  tx: Ctx | TxCtx,
  { userId, amr }: { userId: UserId; amr: readonly string[] },
): Promise<OfferedFactor[]> {
  const [factors, passkeys, codes] = [
    (await listFactors(tx, userId)).filter(({ type }) => isAnotherThan(type, amr)),
    await listPasskeys(tx, userId),
    await recoveryCodesLeft(tx, userId),
  ];
  return [
    ...(passkeys.length > 0 ? [{ type: 'passkey' as const, id: 'passkey', hint: passkeys[0]?.name ?? null }] : []),
    ...factors.map(({ id, type, phone }) => ({
      type,
      id,
      hint: phone && hintOf(phone),
      ...(type === 'phone' && { restricted: true }),
    })),
    ...(codes > 0 ? [{ type: 'recovery_code' as const, id: 'recovery_code', hint: null }] : []),
  ];
}

type FirstFactor = {
  amr: string[];
  signInMethods: readonly string[];
  /** The organization that the sign-in enters; null for the project alone. */
  organizationId: OrganizationId | null;
  samlLogin: SamlLoginId | null;
  enrolling: boolean;
};

/** Asks for a second factor, or for setting one up if the user has none. */
export async function askForFactor(
  tx: TxCtx,
  userId: UserId,
  first: FirstFactor,
): Promise<Static<typeof MfaChallenge>> {
  const { settings } = await projectOf(tx.system, tx.scope);
  const { amr, enrolling } = first;
  const factors = enrolling ? [] : await offeredFactors(tx, { userId, amr });
  return {
    status: 'mfa_required',
    mfaToken: await openChallenge(tx, userId, first),
    factors,
    ...(enrolling && { enrollment: ['totp'] }),
    expiresIn: settings.mfaTokenSeconds,
  };
}

/**
 * Only a user without any factor sets up the first one with a challenge. Otherwise the holder of an older challenge
 * would bypass a factor that was added since.
 * @throws Problem INVALID_TOKEN, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function requireNoFactorYet(tx: TxCtx, { userId, amr }: OpenChallenge): Promise<void> {
  const proof = { amr, acr: 'aal1', authTime: tx.now };
  const { decision } = await admit(tx, 'factor_enrolment', { userId, proof, device: async () => null });
  if (decision.kind === 'refused') throw refusal(decision);
  if (decision.kind === 'needs' && decision.what !== 'enrolment') throw problem('INVALID_TOKEN');
}

/** Ends the sign-ins of a person that wait for a second factor. Served by mfa_challenges_of_user. */
export async function endChallenges(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db.deleteFrom('mfa_challenges').where(acrossProjects(tx)).where('user_id', '=', userId).execute();
}

async function openChallenge(
  tx: TxCtx,
  userId: UserId,
  { amr, signInMethods, organizationId, samlLogin, enrolling }: FirstFactor,
): Promise<string> {
  const { routingKey, settings } = await projectOf(tx.system, tx.scope);
  const token = `lkm_${routingKey}_${randomSecret()}`;
  await tx.db
    .insertInto('mfa_challenges')
    .values({
      ...scopeColumns(tx),
      id: newId('mfc', tx.now),
      hash: hashSecret(token),
      user_id: userId,
      amr,
      sign_in_methods: [...signInMethods],
      organization_id: organizationId,
      saml_login: samlLogin,
      enrolling,
      factor_id: null,
      code_hash: null,
      code_expires_at: null,
      attempts_left: settings.oneTimeCodeTries,
      resend_after: null,
      expires_at: new Date(tx.now.getTime() + settings.mfaTokenSeconds * 1000),
      created_at: tx.now,
    })
    .execute();
  await emit(tx, 'user.mfa.challenged', { userId, enrolling });
  return token;
}

/** A sign-in that waits for its second factor. */
export type OpenChallenge = {
  id: MfaChallengeId;
  userId: UserId;
  amr: string[];
  signInMethods: string[];
  organizationId: OrganizationId | null;
  samlLogin: SamlLoginId | null;
  enrolling: boolean;
  factorId: FactorId | null;
  codeHash: Buffer | null;
  codeExpiresAt: Date | null;
  resendAfter: Date | null;
};

/**
 * Finds an open challenge by its token, and its scope.
 * @throws Problem INVALID_TOKEN
 */
export async function findChallenge(
  system: System,
  environment: Environment,
  token: string,
): Promise<{ scope: Scope; challenge: OpenChallenge }> {
  const workspaceId = await workspaceByRoutingKey(system, SHAPE.exec(token)?.[1] ?? '');
  if (!workspaceId) throw problem('INVALID_TOKEN');
  const row = await system.db
    .selectFrom('mfa_challenges')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('hash', '=', hashSecret(token))
    .where('used_at', 'is', null)
    .where('attempts_left', '>', 0)
    .where('expires_at', '>', system.clock.now())
    .executeTakeFirst();
  if (!row || (await isClosed(system, { workspaceId, projectId: row.project_id }))) throw problem('INVALID_TOKEN');
  return {
    scope: { workspaceId, projectId: row.project_id, environment },
    challenge: {
      id: row.id,
      userId: row.user_id,
      amr: row.amr,
      signInMethods: row.sign_in_methods,
      organizationId: row.organization_id,
      samlLogin: row.saml_login,
      enrolling: row.enrolling,
      factorId: row.factor_id,
      codeHash: row.code_hash,
      codeExpiresAt: row.code_expires_at,
      resendAfter: row.resend_after,
    },
  };
}

/**
 * Counts an attempt, which stays counted even if the request fails, so parallel guesses share one budget.
 * @throws Problem INVALID_TOKEN
 */
export async function countTry(tx: TxCtx, id: MfaChallengeId): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('mfa_challenges')
    .set((eb) => ({ attempts_left: eb('attempts_left', '-', 1) }))
    .where(acrossProjects(tx))
    .where('id', '=', id)
    .where('attempts_left', '>', 0)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw problem('INVALID_TOKEN');
}

/**
 * Spends a challenge; exactly one of several concurrent calls succeeds.
 * @throws Problem INVALID_TOKEN
 */
export async function spendChallenge(tx: TxCtx, id: MfaChallengeId): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('mfa_challenges')
    .set({ used_at: tx.now })
    .where(acrossProjects(tx))
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw problem('INVALID_TOKEN');
}

/**
 * Binds the code that is sent to a phone to the challenge; exactly one of several concurrent calls does.
 * @throws Problem RATE_LIMIT_EXCEEDED if the last code was sent too recently
 */
export async function bindCode(
  tx: TxCtx,
  id: MfaChallengeId,
  code: { factorId: FactorId; hash: Buffer; expiresAt: Date; resendSeconds: number },
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('mfa_challenges')
    .set({
      factor_id: code.factorId,
      code_hash: code.hash,
      code_expires_at: code.expiresAt,
      resend_after: new Date(tx.now.getTime() + code.resendSeconds * 1000),
    })
    .where(acrossProjects(tx))
    .where('id', '=', id)
    .where((eb) => eb.or([eb('resend_after', 'is', null), eb('resend_after', '<=', tx.now)]))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw problemWithRetry('RATE_LIMIT_EXCEEDED', code.resendSeconds);
}
