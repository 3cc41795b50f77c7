import { type Static, Type } from 'typebox';
import { admit, refusal } from '#admission';
import { type DeviceId, useRememberedDevice } from '#devices';
import { addMember, memberSeen } from '#members';
import { askForFactor, MfaChallenge } from '#mfa-challenges';
import { newDevice, successAfterFailures } from '#notices';
import { keepAccount } from '#people';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { scopeFields } from '#requests';
import {
  familiarityOf,
  type IssuedSession,
  issueRefreshToken,
  provenMethods,
  SessionResponse,
  sessionResponse,
  startSession,
} from '#sessions';
import { noteResult } from './noted-ways.ts';
import type { Passage } from './ways.ts';

/** Fields of every request that may end in a session; merge into a body. */
export const signInFields = {
  ...scopeFields,
  cookies: Type.Optional(
    Type.Boolean({ description: 'Returns the tokens in HttpOnly cookies, for browsers on an origin of the project.' }),
  ),
  deviceToken: Type.Optional(
    Type.String({ maxLength: 100, description: 'The token of a remembered device, which skips the second factor.' }),
  ),
};

/** A proven first factor: the way, the methods used as RFC 8176 names them, and the level that it reaches alone. */
export type FirstFactor = { way: Passage; amr: string[]; acr: 'aal1' | 'aal2' };

export type SignInOptions = {
  deviceToken?: string | undefined;
  /** Consecutive failed attempts before this one. */
  failures?: number;
};

/** The result of a first factor: a session, or a request for the second factor. */
export const SignInResponse = Type.Union([SessionResponse, MfaChallenge]);
export type SignInResponse = Static<typeof SignInResponse>;

/** The result of a sign-in before the commit; {@link signInResponse} turns it into a response after the commit. */
export type SignedIn = IssuedSession | { challenge: Static<typeof MfaChallenge> };

/** After this many consecutive failures, a successful sign-in is reported by mail. */
const SUSPICIOUS_FAILURES = 5;

/**
 * Completes every way in: asks for the second factor if one is required, or enters the project with a new session. If
 * registration is open, signing in also joins the project, as registering would.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED, METHOD_DISABLED for a phone that is the second factor already
 */
export async function signIn(
  tx: TxCtx,
  userId: UserId,
  first: FirstFactor,
  options: SignInOptions = {},
): Promise<SignedIn> {
  const { way, amr, acr } = first;
  const { deviceToken } = options;
  const { decision, device } = await admit(tx, way.entrance(), {
    userId,
    proof: { amr, acr, authTime: tx.now },
    device: async () => (deviceToken === undefined ? null : useRememberedDevice(tx, userId, deviceToken)),
  });
  if (decision.kind === 'refused') throw refusal(decision.because);
  if ((options.failures ?? 0) >= SUSPICIOUS_FAILURES) await successAfterFailures(tx, userId, options.failures ?? 0);
  const method = way.method();
  const signInMethods = method ? [method] : provenMethods(amr, { secondFactor: false });
  if (decision.kind === 'needs') {
    const enrolling = decision.what === 'enrolment';
    tx.afterCommit(() => noteResult(tx.trace, 'second_factor'));
    return { challenge: await askForFactor(tx, userId, { amr, signInMethods, enrolling }) };
  }
  if (decision.joins) await addMember(tx, userId);
  return begin(tx, userId, { amr, acr, signInMethods, rememberedDevice: device });
}

/**
 * Enters the project after both factors are proven.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function enterWithBoth(
  tx: TxCtx,
  userId: UserId,
  { way, amr, signInMethods }: { way: Passage; amr: string[]; signInMethods: readonly string[] },
) {
  const proof = { amr, acr: 'aal2', authTime: tx.now };
  const { decision } = await admit(tx, way.entrance(), { userId, proof, device: async () => null });
  if (decision.kind === 'refused') throw refusal(decision.because);
  if (decision.kind === 'admitted' && decision.joins) await addMember(tx, userId);
  return begin(tx, userId, { amr, acr: 'aal2', signInMethods, rememberedDevice: null });
}

type Proven = { amr: string[]; acr: string; signInMethods: readonly string[]; rememberedDevice: DeviceId | null };

/** Starts the session of an admitted user. */
async function begin(tx: TxCtx, userId: UserId, how: Proven) {
  await memberSeen(tx, userId);
  await keepAccount(tx, userId);
  const { first, source, browser } = await familiarityOf(tx, userId);
  const entry = await startSession(tx, userId, how);
  tx.afterCommit(() => noteResult(tx.trace, 'signed_in'));
  if (!first && !(source && browser)) await newDevice(tx, { userId, sessionId: entry.sessionId });
  return issueRefreshToken(tx, entry);
}

/** Runs a sign-in in one transaction, and builds its response after the commit. */
export async function signedIn(ctx: Ctx, work: (tx: TxCtx) => Promise<SignedIn>): Promise<SignInResponse> {
  return signInResponse(ctx, await transaction(ctx, work));
}

export function signInResponse(ctx: Ctx, result: SignedIn): Promise<SignInResponse> | SignInResponse {
  return 'challenge' in result ? result.challenge : sessionResponse(ctx, result);
}
