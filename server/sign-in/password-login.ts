import { type Static, Type } from 'typebox';
import { type CountedAttempt, countAttempt, proofField } from '#attempts';
import { projectOf } from '#environments';
import { emit } from '#events';
import { findSignInCandidate } from '#identifiers';
import {
  findPassword,
  hashPassword,
  holdPassword,
  isOutdated,
  Password,
  upgradeHash,
  verifyPassword,
} from '#passwords';
import { usersById } from '#people';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { Identifier, type NormalisedIdentifier, normalise } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { startAddressChallenge, type VerificationChallenge, verificationChallenge } from '#proofs';
import { Passage, type SignInResponse, signedIn, signIn, signInFields } from '#ways';

export const PasswordLogin = Type.Object(
  {
    identifier: Type.Optional(Identifier),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Another name for `identifier`.' })),
    password: Password,
    ...proofField,
    ...signInFields,
  },
  { additionalProperties: false },
);
type PasswordLogin = Static<typeof PasswordLogin>;

/**
 * Signs in with a password. Unknown accounts cost the same work and get the same response as wrong passwords (ASVS
 * 6.3.8; AU-6).
 * @throws Problem INVALID_CREDENTIALS, ACCOUNT_THROTTLED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED, METHOD_DISABLED
 */
export async function loginWithPassword(
  ctx: Ctx,
  request: PasswordLogin,
  browser: string | undefined,
): Promise<SignInResponse | Static<typeof VerificationChallenge>> {
  const way = await new Passage(ctx, 'password').open(ctx, request);
  const identifier = normalise(request.identifier ?? request.email ?? '');
  if (!identifier.value)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/identifier', message: 'is required' }] },
    });
  const candidate = await findSignInCandidate(ctx, identifier);
  const target = { way: 'password', userId: candidate?.userId ?? null, identifier } as const;
  const attempt = way.passed('attempts', await countAttempt(ctx, target));
  const hash = attempt.allowed ? (candidate?.hash ?? null) : null;
  const matches = way.passed('credential', await verifyPassword(ctx, hash, request.password));
  if (!candidate?.hash || !matches) return refuse(ctx, attempt, candidate?.userId ?? null);
  await attempt.forget();
  const { userId } = candidate;
  const checked = isOutdated(ctx.system, candidate.hash)
    ? await upgrade(ctx, { userId, hash: candidate.hash }, request.password)
    : candidate.hash;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const unproven = settings.emailVerification === 'required' && (await unprovenAddressOf(ctx, candidate, identifier));
  if (unproven) {
    const challenge = {
      purpose: 'verify_email',
      channel: 'email',
      address: unproven,
      userId,
      browser,
    } as const;
    return verificationChallenge(ctx, challenge, await startAddressChallenge(ctx, challenge));
  }
  way.passed('address', true);
  const { failures } = attempt;
  return signedIn(ctx, async (tx) => {
    // The password may have been changed during the check: no session may start with the old one.
    if (!(await holdPassword(tx, userId, checked))) throw problem('INVALID_CREDENTIALS');
    const options = { deviceToken: request.deviceToken, failures };
    return signIn(tx, userId, { way, amr: ['pwd'], acr: 'aal1' }, options);
  });
}

/** The account's email address if it is not verified yet, whichever identifier was typed. */
async function unprovenAddressOf(
  ctx: Ctx,
  { userId, value, verified }: { userId: UserId; value: string; verified: boolean },
  { kind }: NormalisedIdentifier,
): Promise<string | null> {
  if (kind === 'email') return verified ? null : value;
  const user = (await usersById(ctx, [userId])).get(userId);
  return user?.email && !user.emailVerified ? user.email : null;
}

async function refuse(ctx: Ctx, attempt: CountedAttempt, userId: UserId | null): Promise<never> {
  await transaction(ctx, (tx) => emit(tx, 'user.login_failed', { userId, reason: 'invalid_credentials' }));
  await attempt.failed();
  throw problem('INVALID_CREDENTIALS');
}

/**
 * Replaces a hash of another system, or a weaker one than today's, while the password is known (PW-8).
 * @returns the hash that the password has now
 */
async function upgrade(
  ctx: Ctx,
  { userId, hash }: { userId: UserId; hash: string },
  password: string,
): Promise<string> {
  const to = await hashPassword(ctx, password);
  if (await transaction(ctx, (tx) => upgradeHash(tx, userId, { from: hash, to }))) return to;
  // A second sign-in at the same time replaced the hash, or the password was changed.
  const now = (await findPassword(ctx, userId))?.hash ?? null;
  return now !== null && (await verifyPassword(ctx, now, password)) ? now : to;
}
