import { hash, timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { holdFirstParty } from '#applications';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { spendExchangeCode } from './exchange-codes.ts';
import { enterProven } from './passwordless.ts';
import { answerOf, type SignInAnswer } from './sign-in.ts';
import { enterUpstream, type LinkRequired, UpstreamResult } from './social.ts';

/** What the code of a clicked link stands for. */
const ProvenAddress = Type.Object({
  channel: Type.Enum(['email', 'phone']),
  address: Type.String(),
  userId: Type.Union([IdSchema('usr'), Type.Null()]),
  clientId: Type.Optional(Type.String()),
});

type Exchanged = { code: string; codeVerifier?: string; deviceToken?: string | undefined };

/**
 * Signs in with the code that a provider's sign-in or a clicked link brought back.
 * @throws Problem INVALID_TOKEN, REGISTRATION_CLOSED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function exchangeCode(
  ctx: Ctx,
  { code, codeVerifier, deviceToken }: Exchanged,
): Promise<SignInAnswer | Static<typeof LinkRequired>> {
  const result = await onceMore(() =>
    transaction(ctx, async (tx) => {
      const { purpose, content } = await spendExchangeCode(tx, code, ['upstream', 'address']);
      if (purpose === 'address') {
        const { clientId, ...proven } = Value.Parse(ProvenAddress, content);
        await requireFirstParty(tx, clientId);
        return enterProven(tx, { ...proven, purpose: 'magic_link', pending: null }, deviceToken);
      }
      const upstream = Value.Parse(UpstreamResult, content);
      checkVerifier(upstream.codeChallenge, codeVerifier);
      await requireFirstParty(tx, upstream.clientId);
      await emit(tx, 'identity.exchanged', { provider: upstream.identity.provider });
      return enterUpstream(tx, upstream, deviceToken);
    }),
  );
  return 'status' in result ? result : answerOf(ctx, result);
}

/**
 * A code ends with the application it was issued to: that may have been switched off, removed or made third party since.
 * @throws Problem INVALID_TOKEN
 */
export async function requireFirstParty(tx: TxCtx, clientId: string | undefined): Promise<void> {
  if (clientId !== undefined && !(await holdFirstParty(tx, { clientId }))) throw problem('INVALID_TOKEN');
}

/** A person who comes for the first time in two windows at once has an account when the second one is done; it signs in to that. */
async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && error.code === 'ALREADY_EXISTS') return work();
    throw error;
  }
}

/** RFC 7636 §4.6; a verifier without a challenge is refused too (OA-3). @throws Problem INVALID_TOKEN */
function checkVerifier(challenge: string | null, verifier: string | undefined): void {
  if (challenge === null && verifier === undefined) return;
  const made = Buffer.from(hash('sha256', verifier ?? '', 'base64url'));
  const expected = Buffer.from(challenge ?? '');
  if (made.length !== expected.length || !timingSafeEqual(made, expected))
    throw problem('INVALID_TOKEN', 'The code verifier does not fit the challenge the sign-in was begun with.');
}
