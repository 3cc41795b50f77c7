import { ownOriginsOf } from '#applications';
import { addressesOf, authAddressOf } from '#domains';
import { projectOf } from '#environments';
import type { RelyingParty } from '#passkeys';
import type { Ctx } from '#platform/ctx.ts';

/**
 * Passkeys are made and used on pages of the auth addresses and of the project's own applications; unless the settings name another
 * relying party, for the auth address in use alone.
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
    origins: [auth, ...own.auth, ...(await ownOriginsOf(ctx))],
  };
}
