import { ownOriginsOf } from '#applications';
import { addressesOf, authAddressOf } from '#domains';
import { projectOf } from '#environments';
import type { RelyingParty } from '#passkeys';
import type { Ctx } from '#platform/ctx.ts';

/**
 * The relying party of the scope. Passkeys are created and used on pages of the auth addresses and of the project's own
 * applications. Without a configured id, it is the host of the auth address in use, so a passkey works only there.
 */
export async function relyingPartyOf(
  ctx: Pick<Ctx, 'system' | 'scope' | 'authAddress'>,
): Promise<RelyingParty & { name: string }> {
  const address = await authAddressOf(ctx);
  const own = await addressesOf(ctx.system, ctx.scope);
  const { auth } = ctx.system.config.addresses[ctx.scope.environment];
  const { settings, projectName } = await projectOf(ctx.system, ctx.scope);
  return {
    id: settings.passkeyRpId ?? new URL(address).hostname,
    name: projectName,
    origins: [...new Set([address, auth, ...own.auth, ...(await ownOriginsOf(ctx))])],
  };
}
