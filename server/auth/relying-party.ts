import { originsOf } from '#applications';
import type { RelyingParty } from '#identity';
import type { Ctx } from '#platform/ctx.ts';
import { projectOf } from '#tenancy';

/** Passkeys are made and used on the auth host's own pages, and on pages of the project's applications. */
export async function relyingPartyOf(ctx: Pick<Ctx, 'system' | 'scope'>): Promise<RelyingParty & { name: string }> {
  const { auth } = ctx.system.config.addresses[ctx.scope.environment];
  const { settings, projectName } = await projectOf(ctx.system, ctx.scope);
  return {
    id: settings.passkeyRpId ?? new URL(auth).hostname,
    name: projectName,
    origins: [auth, ...(await originsOf(ctx))],
  };
}
