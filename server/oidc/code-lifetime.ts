import type { AuthorizationCode, Client, KoaContextWithOIDC } from 'oidc-provider';
import { projectOf } from '#environments';
import type { System } from '#platform/system.ts';
import { applicationOf } from './clients.ts';

/** FAPI 2.0 Security Profile §5.3.2.1 (11): a code lives 60 seconds at most. */
const FAPI_SECONDS = 60;

const asked = new WeakMap<KoaContextWithOIDC, number>();

/** Reads the lifetime of codes for the request's client beforehand, because the provider needs it synchronously. */
export async function readCodeLifetime(system: System, ctx: KoaContextWithOIDC): Promise<void> {
  if (!ctx.oidc.client) return;
  const application = applicationOf(ctx.oidc.client);
  const { settings } = await projectOf(system, application);
  const longest = application.profile === 'fapi2' ? FAPI_SECONDS : Number.POSITIVE_INFINITY;
  asked.set(ctx, Math.min(settings.authorizationCodeSeconds, longest));
}

/** The lifetime of a code in seconds, from the project of its client. */
export function codeSeconds(ctx: KoaContextWithOIDC, _code: AuthorizationCode, _client: Client): number {
  const seconds = asked.get(ctx);
  if (seconds === undefined) throw new Error('unreachable: a code is made after its grant was looked for');
  return seconds;
}
