import { listPasskeys } from '#passkeys';
import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { UserId } from '#platform/ids.ts';
import type { Flow } from './flow.ts';

/** How long a device is not asked again after somebody has declined. */
const DECLINED_SECONDS = 90 * 86_400;

/**
 * True if a passkey is worth offering to somebody who has just signed in: they have none and came another way, the project
 * accepts passkeys, no company vouches for them, the device can make one, and nobody declined on it lately.
 */
export async function mayOfferPasskey(flow: Flow, userId: UserId): Promise<boolean> {
  const { request, settings, step, ctx } = flow;
  const isOpen = settings.signInMethods.includes('passkey') && !step.vouchedBy && step.way !== 'passkey';
  // The script of the pages sets it where the device can make passkeys.
  const canMake = request.cookies[cookieName(request.address, 'makes-passkeys')] === '1';
  if (!isOpen || !canMake || request.cookies[declined(flow)] !== undefined) return false;
  return (await listPasskeys(ctx, userId)).length === 0;
}

/** Lets the device remember that somebody declined. */
export function rememberDecline(flow: Flow): void {
  const options = { ...cookieOptions(flow.request.address, 'lax'), maxAge: DECLINED_SECONDS };
  flow.reply.setCookie(declined(flow), '1', options);
}

function declined({ request: { address }, ctx: { scope } }: Flow): string {
  return cookieName(address, scope.environment, 'no-passkey');
}
