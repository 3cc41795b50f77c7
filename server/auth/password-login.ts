import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { findSignInCandidate, Identifier, normalise, Password, verifyPassword } from '#identity';
import { type Ctx, transaction } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { type SessionAnswer, sessionAnswer } from '#sessions';
import { projectOf } from '#tenancy';
import { scopeFields } from './scope.ts';
import { signIn } from './sign-in.ts';
import { countAttempt } from './throttle.ts';
import { openFlow, type VerificationChallenge } from './verifications.ts';

export const PasswordLogin = Type.Object(
  {
    identifier: Type.Optional(Identifier),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Accepted for `identifier`.' })),
    password: Password,
    ...scopeFields,
  },
  { additionalProperties: false },
);
type PasswordLogin = Static<typeof PasswordLogin>;

/**
 * Signs in with a password. Unknown accounts cost the same work and get the same answer as wrong passwords (ASVS 6.3.8; AU-6).
 * @throws Problem INVALID_CREDENTIALS, ACCOUNT_THROTTLED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function loginWithPassword(
  ctx: Ctx,
  request: PasswordLogin,
): Promise<SessionAnswer | Static<typeof VerificationChallenge>> {
  const identifier = normalise(request.identifier ?? request.email ?? '');
  if (!identifier)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/identifier', message: 'is required' }] },
    });
  const candidate = await findSignInCandidate(ctx, identifier.includes('@') ? 'email' : 'username', identifier);
  const attempt = await countAttempt(ctx, identifier, candidate?.userId ?? null);
  const matches = await verifyPassword(ctx.system, candidate?.hash ?? null, request.password);
  if (!candidate || !matches) return refuse(ctx, candidate?.userId ?? null);
  await attempt.forget();
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (settings.emailVerification === 'required' && !candidate.verified && identifier.includes('@')) {
    return transaction(ctx, (tx) =>
      openFlow(tx, { purpose: 'verify_email', address: candidate.value, userId: candidate.userId, pending: null }),
    );
  }
  const { entry, refresh } = await transaction(ctx, (tx) =>
    signIn(tx, candidate.userId, { amr: ['pwd'], acr: 'aal1' }),
  );
  return sessionAnswer(ctx, entry, refresh);
}

async function refuse(ctx: Ctx, userId: UserId | null): Promise<never> {
  await transaction(ctx, (tx) => emit(tx, 'user.login_failed', { userId, reason: 'invalid_credentials' }));
  throw problem('INVALID_CREDENTIALS');
}
