import { type Static, Type } from 'typebox';
import { emit } from '#events';
import {
  findSignInCandidate,
  hashPassword,
  Identifier,
  isOutdated,
  normalise,
  Password,
  upgradeHash,
  verifyPassword,
} from '#identity';
import { type Ctx, transaction } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { projectOf } from '#tenancy';
import { openFlow } from './flows.ts';
import { proofField, requireProof } from './proof-of-work.ts';
import { requireMethod, type SignInAnswer, signedIn, signIn, signInFields } from './sign-in.ts';
import { type CountedAttempt, countAttempt } from './throttle.ts';
import { type VerificationChallenge, verificationChallenge } from './verification-challenge.ts';

export const PasswordLogin = Type.Object(
  {
    identifier: Type.Optional(Identifier),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Accepted for `identifier`.' })),
    password: Password,
    ...proofField,
    ...signInFields,
  },
  { additionalProperties: false },
);
type PasswordLogin = Static<typeof PasswordLogin>;

/**
 * Signs in with a password. Unknown accounts cost the same work and get the same answer as wrong passwords (ASVS 6.3.8; AU-6).
 * @throws Problem INVALID_CREDENTIALS, ACCOUNT_THROTTLED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED, METHOD_DISABLED
 */
export async function loginWithPassword(
  ctx: Ctx,
  request: PasswordLogin,
): Promise<SignInAnswer | Static<typeof VerificationChallenge>> {
  await requireMethod(ctx, 'password');
  await requireProof(ctx, request.proof);
  const identifier = normalise(request.identifier ?? request.email ?? '');
  if (!identifier.value)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/identifier', message: 'is required' }] },
    });
  const candidate = await findSignInCandidate(ctx, identifier);
  const attempt = await countAttempt(ctx, { account: identifier, userId: candidate?.userId ?? null });
  const matches = await verifyPassword(ctx.system, candidate?.hash ?? null, request.password);
  if (!candidate?.hash || !matches) return refuse(ctx, attempt, candidate?.userId ?? null);
  await attempt.forget();
  if (isOutdated(candidate.hash))
    await upgrade(ctx, { userId: candidate.userId, hash: candidate.hash }, request.password);
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (settings.emailVerification === 'required' && !candidate.verified && identifier.kind === 'email') {
    const flow = {
      purpose: 'verify_email',
      channel: 'email',
      address: candidate.value,
      userId: candidate.userId,
    } as const;
    return verificationChallenge(ctx, flow, await transaction(ctx, (tx) => openFlow(tx, flow)));
  }
  const { failures } = attempt;
  return signedIn(ctx, (tx) =>
    signIn(tx, candidate.userId, { amr: ['pwd'], acr: 'aal1' }, { deviceToken: request.deviceToken, failures }),
  );
}

async function refuse(ctx: Ctx, attempt: CountedAttempt, userId: UserId | null): Promise<never> {
  await transaction(ctx, (tx) => emit(tx, 'user.login_failed', { userId, reason: 'invalid_credentials' }));
  await attempt.failed();
  throw problem('INVALID_CREDENTIALS');
}

/** A hash that another system made, or that is weaker than today's, is replaced while the password is at hand (PW-8). */
async function upgrade(ctx: Ctx, { userId, hash }: { userId: UserId; hash: string }, password: string): Promise<void> {
  const to = await hashPassword(ctx.system, password);
  await transaction(ctx, (tx) => upgradeHash(tx, userId, { from: hash, to }));
}
