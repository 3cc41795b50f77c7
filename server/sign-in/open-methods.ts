import { hasSms } from '#billing';
import { projectOf } from '#environments';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { SignInMethod } from '#settings';

/** The sign-in methods of the project that can be used now: phones only if text messages can be sent. */
export async function openMethods(ctx: Ctx | TxCtx): Promise<SignInMethod[]> {
  const { signInMethods } = (await projectOf(ctx.system, ctx.scope)).settings;
  const sms = signInMethods.includes('phone') && (await hasSms(ctx));
  return signInMethods.filter((method) => method !== 'phone' || sms);
}
