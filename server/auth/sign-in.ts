import { type Static, Type } from 'typebox';
import { keepAccount } from '#identity';
import { addMember, findMember, memberSeen } from '#members';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import {
  familiarityOf,
  type IssuedRefreshToken,
  issueRefreshToken,
  type ScopeEntry,
  SessionAnswer,
  sessionAnswer,
  startSession,
} from '#sessions';
import { projectOf, type SignInMethod } from '#tenancy';
import { type FirstFactor, MfaChallenge, secondFactorOf } from './mfa-challenges.ts';
import { newDevice, successAfterFailures } from './notices.ts';
import { scopeFields } from './scope.ts';

/** Fields of every request that may end in a session; merge into a body. */
export const signInFields = {
  ...scopeFields,
  cookies: Type.Optional(
    Type.Boolean({ description: 'Tokens come as HttpOnly cookies; for browsers on an origin of the project.' }),
  ),
  deviceToken: Type.Optional(
    Type.String({ maxLength: 100, description: 'Of a remembered device: skips the second factor.' }),
  ),
};

export type SignInOptions = {
  deviceToken?: string | undefined;
  /** Failed attempts in a row before this one. */
  failures?: number;
};

/** What a first factor leads to: a session, or the question for a second one. */
export const SignInAnswer = Type.Union([SessionAnswer, MfaChallenge]);
export type SignInAnswer = Static<typeof SignInAnswer>;

/** The result of a sign-in, before the commit; {@link answerOf} makes it an answer after it. */
export type SignedIn = { entry: ScopeEntry; refresh: IssuedRefreshToken } | { challenge: Static<typeof MfaChallenge> };

/** Failures in a row that are worth a mail when a sign-in succeeds after them. */
const SUSPICIOUS_FAILURES = 5;

/**
 * The end of every way in: asks for the second factor where one is due, or enters the project with a new session.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function signIn(
  tx: TxCtx,
  userId: UserId,
  first: FirstFactor,
  options: SignInOptions = {},
): Promise<SignedIn> {
  await ensureMember(tx, userId);
  if ((options.failures ?? 0) >= SUSPICIOUS_FAILURES) await successAfterFailures(tx, userId, options.failures ?? 0);
  const challenge = await secondFactorOf(tx, userId, first, options.deviceToken);
  return challenge ? { challenge } : enter(tx, userId, first);
}

/** Enters the project with a new session, once everything is proven. */
export async function enter(tx: TxCtx, userId: UserId, how: { amr: string[]; acr: string }) {
  await memberSeen(tx, userId);
  await keepAccount(tx, userId);
  const familiarity = await familiarityOf(tx, userId);
  const entry = await startSession(tx, userId, how);
  if (familiarity === 'new') await newDevice(tx, { userId, sessionId: entry.sessionId });
  return { entry, refresh: await issueRefreshToken(tx, entry) };
}

/** A member may have been blocked or removed since the first factor. @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED */
export async function requireActiveMember(tx: TxCtx, userId: UserId): Promise<void> {
  const member = await findMember(tx, userId);
  if (member?.status === 'blocked') throw problem('MEMBER_BLOCKED');
  if (member?.status !== 'active') throw problem('MEMBERSHIP_REQUIRED');
}

/** Where registration is open, signing in also joins the project, as registering anew would. */
async function ensureMember(tx: TxCtx, userId: UserId): Promise<void> {
  const member = await findMember(tx, userId);
  if (member?.status === 'active') return;
  if (member?.status === 'blocked') throw problem('MEMBER_BLOCKED');
  const { settings } = await projectOf(tx.system, tx.scope);
  if (settings.registration !== 'open') throw problem('MEMBERSHIP_REQUIRED');
  await addMember(tx, userId);
}

/** Runs a sign-in in one transaction and puts its answer together. */
export async function signedIn(ctx: Ctx, work: (tx: TxCtx) => Promise<SignedIn>): Promise<SignInAnswer> {
  return answerOf(ctx, await transaction(ctx, work));
}

export function answerOf(ctx: Ctx, result: SignedIn): Promise<SignInAnswer> | SignInAnswer {
  return 'challenge' in result ? result.challenge : sessionAnswer(ctx, result.entry, result.refresh);
}

/** @throws Problem METHOD_DISABLED when the project does not offer this way in */
export async function requireMethod(ctx: Ctx, method: SignInMethod): Promise<void> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (!settings.signInMethods.includes(method)) throw problem('METHOD_DISABLED');
}
