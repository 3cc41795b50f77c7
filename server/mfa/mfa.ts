import { type Static, Type } from 'typebox';
import { isAnotherThan } from '#admission';
import { countAttempt, countMessage, type Way } from '#attempts';
import { countCode } from '#billing';
import { rememberDevice } from '#devices';
import { projectOf } from '#environments';
import { emit } from '#events';
import { checkTotp, confirmTotp, enrolTotp, type FactorId, factorUsed, findFactor, findTotp } from '#factors';
import { sendMessage } from '#messages';
import {
  bindCode,
  countTry,
  type OpenChallenge,
  offeredFactors,
  requireNoFactorYet,
  spendChallenge,
} from '#mfa-challenges';
import { credentialChanged } from '#notices';
import {
  AuthenticationResponse,
  type ChallengeId,
  checkPasskey,
  type PasskeyResponse,
  passkeyRequestOptions,
} from '#passkeys';
import { lockUser, usersById } from '#people';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type UserId } from '#platform/ids.ts';
import { codeDigest, isCode, newCode } from '#platform/one-time-code.ts';
import { Problem, problem, problemWithRetry } from '#platform/problem.ts';
import { digitsOf, hintOf } from '#proofs';
import { newRecoveryCodes, recoveryCodesLeft, useRecoveryCode } from '#recovery-codes';
import { type SessionResponse, sessionResponse } from '#sessions';
import { requireOwnProof } from '#step-up';
import { enterWithBoth, Passage, relyingPartyOf } from '#ways';

const RESEND_SECONDS = 30;

/** The response to a second factor: a code, or a passkey assertion. */
export const factorFields = {
  factorId: Type.Optional(Type.String({ maxLength: 40, description: 'One of `factors`.' })),
  code: Type.Optional(Type.String({ minLength: 6, maxLength: 20, pattern: '^[0-9A-Za-z -]+$' })),
  flowId: Type.Optional(IdSchema('chl')),
  response: Type.Optional(AuthenticationResponse),
};
export type FactorResponse = {
  factorId?: string;
  code?: string;
  flowId?: ChallengeId;
  response?: Static<typeof AuthenticationResponse>;
};

/** What the client needs before it can respond for a factor. */
export const FactorPrompt = Type.Object({
  type: Type.Enum(['passkey', 'phone', 'totp', 'recovery_code']),
  hint: Type.Optional(Type.String()),
  flowId: Type.Optional(Type.String()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  expiresIn: Type.Optional(Type.Integer({ description: 'Seconds.' })),
  resendAfter: Type.Optional(Type.Integer({ description: 'Seconds.' })),
});

/**
 * Sends a code to a phone, or creates the options for a passkey; other factors need no prompt.
 * @throws Problem NOT_FOUND for a factor that is not the user's, RATE_LIMIT_EXCEEDED; ADDON_REQUIRED and
 * PLAN_LIMIT_EXCEEDED, with the other `factors`, if no text message can be sent
 */
export async function promptFactor(
  ctx: Ctx,
  challenge: OpenChallenge,
  factorId: string,
): Promise<Static<typeof FactorPrompt>> {
  if (factorId === 'recovery_code') return { type: 'recovery_code' };
  if (factorId === 'passkey') {
    const rp = await relyingPartyOf(ctx);
    const asked = secondFactorOf(challenge);
    return { type: 'passkey', ...(await transaction(ctx, (tx) => passkeyRequestOptions(tx, rp, asked))) };
  }
  const factor = await findFactor(ctx, challenge.userId, factorId);
  if (!factor?.confirmed_at || !isAnotherThan(factor.kind, challenge.amr))
    throw problem('NOT_FOUND', 'This factor is not available for this sign-in.');
  if (factor.kind === 'totp' || factor.phone === null) return { type: 'totp' };
  const { id, phone } = factor;
  await offeringOthers(ctx, challenge, id, async () => {
    requireDue(ctx, challenge);
    await countMessage(ctx, { channel: 'phone', address: phone, userId: challenge.userId });
    await transaction(ctx, (tx) => sendFactorCode(tx, challenge, { id, phone }));
  });
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const expiresIn = settings.oneTimeCodeSeconds;
  return { type: 'phone', hint: hintOf(phone), expiresIn, resendAfter: RESEND_SECONDS };
}

/**
 * @throws Problem RATE_LIMIT_EXCEEDED if the last code was sent too recently; then the request does not count as a
 * message
 */
function requireDue({ now }: Ctx, { resendAfter }: OpenChallenge): void {
  if (resendAfter && resendAfter > now)
    throw problemWithRetry('RATE_LIMIT_EXCEEDED', (resendAfter.getTime() - now.getTime()) / 1000);
}

function secondFactorOf({ userId }: OpenChallenge) {
  return { purpose: 'second_factor', userId } as const;
}

/**
 * If no text message can be sent, the problem lists the factors that work without one, so that nobody is locked out.
 */
async function offeringOthers(
  ctx: Ctx,
  challenge: OpenChallenge,
  refused: FactorId,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 402) throw error;
    const factors = (await offeredFactors(ctx, challenge)).filter(({ id }) => id !== refused);
    throw problem(error.code, { detail: error.message, extensions: { ...error.extensions, factors }, cause: error });
  }
}

async function sendFactorCode(
  tx: TxCtx,
  challenge: OpenChallenge,
  { id, phone }: { id: FactorId; phone: string },
): Promise<void> {
  const { settings } = await projectOf(tx.system, tx.scope);
  const test = settings.testPhoneNumbers.find((number) => number.phone === phone);
  const code = test?.code ?? newCode();
  const expiresAt = new Date(tx.now.getTime() + settings.oneTimeCodeSeconds * 1000);
  await bindCode(tx, challenge.id, {
    factorId: id,
    hash: codeDigest(tx.system, { purpose: 'mfa-code', record: challenge.id, code }),
    expiresAt,
    resendSeconds: RESEND_SECONDS,
  });
  await sendMessage(tx, {
    template: 'sms_code',
    to: phone,
    variables: { code },
    expiresAt,
    suppressed: test !== undefined,
  });
  await emit(tx, 'user.verification.requested', { channel: 'phone', purpose: 'mfa' });
}

/** A session, and recovery codes that are shown once. */
export const MfaResult = {
  recoveryCodes: Type.Optional(
    Type.Array(Type.String(), { description: 'Shown once, and only to a person who had none.' }),
  ),
  deviceToken: Type.Optional(Type.String({ description: 'The token of the remembered device; shown once.' })),
};
export type MfaSession = SessionResponse & { recoveryCodes?: string[]; deviceToken?: string };

/**
 * Checks a second factor and enters with a session of the higher level. The attempt stays counted, for the challenge
 * and for the account; tokens issued before keep the lower level.
 * @throws Problem INVALID_CODE, INVALID_TOKEN, ACCOUNT_THROTTLED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function finishWithFactor(
  ctx: Ctx,
  challenge: OpenChallenge,
  { rememberDevice: remember = false, ...response }: FactorResponse & { rememberDevice?: boolean },
): Promise<MfaSession> {
  const { userId } = challenge;
  const way = new Passage(ctx, 'second_factor');
  const attempt = way.passed('attempts', await countAttempt(ctx, { way: wayOf(response), userId }));
  way.passed('tries', await transaction(ctx, (tx) => countTry(tx, challenge.id)));
  const check = await checkFactor(ctx, userId, { ...response, challenge });
  const result = await transaction(ctx, async (tx) => {
    const amr = way.passed('credential', await check(tx));
    if (amr === null) return null;
    await spendChallenge(tx, challenge.id);
    const issued = await enterWithBoth(tx, userId, {
      way,
      amr: withMfa(challenge.amr, amr),
      signInMethods: challenge.signInMethods,
      organizationId: challenge.organizationId,
      samlLogin: challenge.samlLogin,
    });
    return { issued, shownOnce: await extras(tx, challenge, remember) };
  });
  if (result === null) return refuse(ctx, userId);
  attempt.forget();
  const { issued, shownOnce } = result;
  return { ...(await sessionResponse(ctx, issued)), ...shownOnce };
}

async function extras(tx: TxCtx, challenge: OpenChallenge, remember: boolean) {
  const { settings } = await projectOf(tx.system, tx.scope);
  const { userId, enrolling } = challenge;
  const codes = enrolling && (await recoveryCodesLeft(tx, userId)) === 0 ? await newRecoveryCodes(tx, userId) : null;
  const remembering = remember && settings.rememberDeviceSeconds > 0;
  if (remembering) await emit(tx, 'user.device.remembered', { userId });
  return {
    ...(codes && { recoveryCodes: codes }),
    ...(remembering && { deviceToken: await rememberDevice(tx, userId, settings.rememberDeviceSeconds) }),
  };
}

async function refuse(ctx: Ctx, userId: UserId): Promise<never> {
  await transaction(ctx, (tx) => emit(tx, 'user.mfa.failed', { userId }));
  throw problem('INVALID_CODE');
}

/** The methods of both factors; `mfa` says that they are of two kinds (RFC 8176 §2). */
function withMfa(first: readonly string[], second: readonly string[]): string[] {
  return [...new Set([...first, ...second, 'mfa'])];
}

/**
 * Spends the checked proof in the caller's transaction.
 * @returns the methods used, or null if the proof is wrong
 */
type Check = (tx: TxCtx) => Promise<string[] | null>;

type FactorProof = FactorResponse & { challenge?: OpenChallenge };

/**
 * Checks the response for a factor; the returned function decides and spends it in a transaction.
 * @throws Problem VALIDATION_FAILED if there is no response
 */
export async function checkFactor(ctx: Ctx, userId: UserId, result: FactorProof): Promise<Check> {
  const { flowId, response, code, challenge } = result;
  if (flowId && response) {
    const asked = challenge ? secondFactorOf(challenge) : ({ purpose: 'sign_in' } as const);
    return passkeyCheck(ctx, userId, { flowId, response, asked });
  }
  if (code === undefined)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body', message: 'expected `code`, or `flowId` and `response`' }] },
    });
  switch (wayOf(result)) {
    case 'recovery_code':
      return (tx) => recoveryCheck(tx, userId, code);
    case 'phone':
      return phoneCheck(ctx, challenge, digitsOf(code));
    default:
      return (tx) => totpCheck(tx, userId, digitsOf(code));
  }
}

/** A code sent to a phone has eight digits and an app's has six (RFC 6238), so the length tells them apart. */
const PHONE_CODE = /^\d{8}$/;

/** The factor a response is for. A response is checked against exactly one factor, whose attempts it counts towards. */
export function wayOf({ flowId, response, factorId, code = '' }: FactorResponse): Way {
  if (flowId && response) return 'passkey';
  if (factorId === 'recovery_code' || /[a-z]/i.test(code)) return 'recovery_code';
  return PHONE_CODE.test(digitsOf(code)) ? 'phone' : 'totp';
}

async function passkeyCheck(ctx: Ctx, userId: UserId, response: PasskeyResponse): Promise<Check> {
  const { used, record } = await checkPasskey(ctx, response, await relyingPartyOf(ctx));
  if (used.userId !== userId) return async () => null;
  return async (tx) => {
    await record(tx);
    return used.amr;
  };
}

async function recoveryCheck(tx: TxCtx, userId: UserId, code: string): Promise<string[] | null> {
  if (!(await useRecoveryCode(tx, userId, code))) return null;
  await credentialChanged(tx, userId, 'recovery_code_used');
  return ['otp'];
}

function phoneCheck(ctx: Ctx, challenge: OpenChallenge | undefined, code: string): Check {
  if (!challenge || !isSentCode(ctx, challenge, code)) return async () => null;
  const { factorId, userId } = challenge;
  return async (tx) => {
    const factor = factorId && (await findFactor(tx, userId, factorId));
    if (!factor?.phone) return null;
    await countCode(tx, factor.phone, 'used');
    await factorUsed(tx, factor.id);
    return ['sms'];
  };
}

function isSentCode(ctx: Ctx, { id, codeHash, codeExpiresAt }: OpenChallenge, code: string): boolean {
  if (!codeHash || !codeExpiresAt || codeExpiresAt <= ctx.now) return false;
  return isCode(ctx.system, { purpose: 'mfa-code', record: id, code }, codeHash);
}

async function totpCheck(tx: TxCtx, userId: UserId, code: string): Promise<string[] | null> {
  const factor = await findTotp(tx, userId);
  return factor && (await checkTotp(tx, factor, code)) ? ['otp'] : null;
}

/**
 * Starts the enrolment of an authenticator app for a user who may not enter without a second factor.
 * @throws Problem METHOD_DISABLED, INVALID_TOKEN
 */
export async function enrolTotpFor(ctx: Ctx, challenge: OpenChallenge) {
  if (!challenge.enrolling) throw problem('INVALID_TOKEN');
  return transaction(ctx, async (tx) => {
    await requireOwnProof(tx, challenge);
    await requireNoFactorYet(tx, challenge);
    return newTotp(tx, challenge.userId);
  });
}

/**
 * Creates an authenticator app, labelled with the user's own address.
 * @throws Problem METHOD_DISABLED
 */
export async function newTotp(tx: TxCtx, userId: UserId) {
  const { settings, projectName } = await projectOf(tx.system, tx.scope);
  if (settings.mfa === 'off' || !settings.mfaFactors.includes('totp')) throw problem('METHOD_DISABLED');
  const user = (await usersById(tx, [userId])).get(userId);
  return enrolTotp(tx, userId, {
    label: user?.email ?? user?.username ?? user?.phone ?? userId,
    issuer: projectName,
  });
}

/**
 * Confirms the app with its first code and enters.
 * @throws Problem INVALID_CODE, INVALID_TOKEN, ACCOUNT_THROTTLED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function finishEnrolment(
  ctx: Ctx,
  challenge: OpenChallenge,
  { factorId, code, rememberDevice: remember = false }: { factorId: FactorId; code: string; rememberDevice?: boolean },
): Promise<MfaSession> {
  if (!challenge.enrolling) throw problem('INVALID_TOKEN');
  const { userId } = challenge;
  const way = new Passage(ctx, 'factor_enrolment');
  const attempt = way.passed('attempts', await countAttempt(ctx, { way: 'totp_enrolment', userId }));
  way.passed('tries', await transaction(ctx, (tx) => countTry(tx, challenge.id)));
  const { issued, shownOnce } = await transaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    await requireOwnProof(tx, challenge);
    await requireNoFactorYet(tx, challenge);
    await spendChallenge(tx, challenge.id);
    way.passed('credential', await confirmTotp(tx, userId, { id: factorId, code: digitsOf(code) }));
    await credentialChanged(tx, userId, 'totp_added');
    const issued = await enterWithBoth(tx, userId, {
      way,
      amr: withMfa(challenge.amr, ['otp']),
      signInMethods: challenge.signInMethods,
      organizationId: challenge.organizationId,
      samlLogin: challenge.samlLogin,
    });
    return { issued, shownOnce: await extras(tx, challenge, remember) };
  });
  attempt.forget();
  return { ...(await sessionResponse(ctx, issued)), ...shownOnce };
}
