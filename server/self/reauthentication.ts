import { type Static, Type } from 'typebox';
import { admit, refusal } from '#admission';
import { countAttempt, type Way } from '#attempts';
import { emit } from '#events';
import { checkFactor, factorFields, wayOf } from '#mfa';
import { findPassword, Password, verifyPassword } from '#passwords';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { AddressChallengeId, digitsOf, OneTimeCode, withProof } from '#proofs';
import { issueRefreshToken, raiseSession, type SessionResponse, sessionResponse } from '#sessions';
import { Passage } from '#ways';

export const Reauthentication = Type.Object(
  {
    password: Type.Optional(Password),
    ...factorFields,
    emailCode: Type.Optional(
      Type.Object(
        { flowId: AddressChallengeId, code: OneTimeCode },
        {
          additionalProperties: false,
          description: 'Of `POST /v1/auth/login/email-code` or `/phone`, for the same account.',
        },
      ),
    ),
    cookies: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
type Reauthentication = Static<typeof Reauthentication>;

/**
 * Authenticates the signed-in user again, with any one factor; sensitive changes are then allowed for ten minutes. A
 * second factor raises the session's level, as at sign-in. The old tokens end (SE-1).
 * @throws Problem INVALID_CREDENTIALS, INVALID_CODE, ACCOUNT_THROTTLED, VALIDATION_FAILED without any factor
 */
export async function reauthenticate(ctx: Ctx, request: Reauthentication): Promise<SessionResponse> {
  const { userId, sessionId } = customerOf(ctx);
  const way = new Passage(ctx, 'reauthenticate');
  const attempt = way.passed('attempts', await countAttempt(ctx, { way: wayOfProof(request), userId }));
  const proven = await proveAgain(ctx, request);
  const issued = await transaction(ctx, async (tx) => {
    const methods = way.passed('credential', await proven.spend(tx));
    if (methods === null) return null;
    const raised = await raiseSession(tx, sessionId, { methods, secondFactor: proven.second });
    await requireMember(tx, way, raised);
    return issueRefreshToken(tx, raised);
  });
  if (!issued) {
    await transaction(ctx, (tx) => emit(tx, 'user.mfa.failed', { userId }));
    throw problem('INVALID_CODE');
  }
  attempt.forget();
  return sessionResponse(ctx, issued);
}

function wayOfProof({ password, emailCode, ...response }: Reauthentication): Way {
  if (password !== undefined) return 'password';
  return emailCode ? 'email_code' : wayOf(response);
}

/**
 * Authenticating again is not an admission: the policy under which the entry was admitted is kept, and checked when its
 * tokens are renewed. A user who may no longer enter is refused.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
async function requireMember(
  tx: TxCtx,
  way: Passage,
  { userId, ...proof }: Awaited<ReturnType<typeof raiseSession>>,
): Promise<void> {
  const { decision } = await admit(tx, way.entrance(), { userId, proof, device: async () => null });
  if (decision.kind === 'refused') throw refusal(decision);
}

type Proven = { spend: Awaited<ReturnType<typeof checkFactor>>; second: boolean };

async function proveAgain(ctx: Ctx, request: Reauthentication): Promise<Proven> {
  const { userId } = customerOf(ctx);
  const { password, emailCode, ...response } = request;
  if (password !== undefined) {
    const stored = await findPassword(ctx, userId);
    const matches = await verifyPassword(ctx, stored?.hash ?? null, password);
    if (!matches) throw problem('INVALID_CREDENTIALS', 'The password is wrong.');
    return { spend: async () => ['pwd'], second: false };
  }
  if (emailCode) return { spend: await proveAddress(ctx, emailCode), second: false };
  return { spend: await checkFactor(ctx, userId, response), second: true };
}

/** The proof of an address authenticates the user again, but is no second factor (AU-5). */
async function proveAddress(
  ctx: Ctx,
  { flowId, code }: { flowId: AddressChallengeId; code: string },
): Promise<Proven['spend']> {
  const proof = { flowId, code: digitsOf(code) };
  const challenge = await withProof(ctx, { proof, purposes: ['sign_in', 'magic_link'] }, async (_tx, proven) => proven);
  if (challenge.userId !== customerOf(ctx).userId) throw problem('INVALID_CODE');
  return async () => [challenge.channel === 'phone' ? 'sms' : 'otp'];
}
