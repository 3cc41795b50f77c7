import { type Static, Type } from 'typebox';
import { AuthenticationResponse, CHALLENGE_SECONDS, checkPasskey, passkeyRequestOptions } from '#passkeys';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { Passage, relyingPartyOf, type SignInResponse, signedIn, signIn, signInFields } from '#ways';

export const PasskeyLogin = Type.Object(
  { flowId: IdSchema('chl'), response: AuthenticationResponse, ...signInFields },
  { additionalProperties: false },
);

const asked = { purpose: 'sign_in' } as const;

/**
 * Options for a browser to find a passkey; they do not depend on an account.
 * @throws Problem METHOD_DISABLED
 */
export async function passkeyOptions(ctx: Ctx) {
  const way = await new Passage(ctx, 'passkey_asked').open(ctx);
  way.end();
  const rp = await relyingPartyOf(ctx);
  return { ...(await transaction(ctx, (tx) => passkeyRequestOptions(tx, rp, asked))), expiresIn: CHALLENGE_SECONDS };
}

/**
 * Signs in with a passkey: with user verification it is two factors in one.
 * @throws Problem INVALID_CREDENTIALS, METHOD_DISABLED, MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function loginWithPasskey(ctx: Ctx, request: Static<typeof PasskeyLogin>): Promise<SignInResponse> {
  const way = await new Passage(ctx, 'passkey').open(ctx);
  const { used, record } = await checkPasskey(ctx, { ...request, asked }, await relyingPartyOf(ctx));
  return signedIn(ctx, async (tx) => {
    await record(tx);
    way.passed('credential', used);
    return signIn(tx, used.userId, { way, amr: [...used.amr, 'mfa'], acr: 'aal2' });
  });
}
