import { endWithCredentials } from '#credential-changes';
import { emit } from '#events';
import { type CredentialChange, sendMessage } from '#messages';
import { usersById } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import type { SessionId, UserId } from '#platform/ids.ts';

/** Security mails that tell account owners about changes they did not request (ASVS 6.3.5, 6.3.7; AU-7). */

type Notice =
  | { template: 'new_device'; variables: { device: string; ip: string } }
  | { template: 'credential_changed'; variables: { change: CredentialChange } }
  | { template: 'application_acts'; variables: { application: string } }
  | { template: 'impersonated'; variables: { reason: string; minutes: number } }
  | { template: 'account_throttled'; variables: Record<string, never> }
  | { template: 'failed_attempts'; variables: { count: number } };

/**
 * Mails a user; one without an address gets nothing.
 * @param to an address other than the account's, such as the previous one
 */
async function tell(tx: TxCtx, userId: UserId, { template, variables }: Notice, to?: string): Promise<void> {
  const user = (await usersById(tx, [userId])).get(userId);
  const address = to ?? user?.email;
  if (!address) return;
  const time = `${tx.now.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  await sendMessage(tx, { template, to: address, locale: user?.locale ?? null, variables: { ...variables, time } });
}

/**
 * A credential was added, changed or removed: notifies its owner, ends what such a change ends, and invalidates the
 * cached state of the user in every process.
 * @throws Problem SESSION_REVOKED if a concurrent change of the user's credentials has ended the session
 */
export async function credentialChanged(
  tx: TxCtx,
  userId: UserId,
  change: CredentialChange,
  to?: string,
): Promise<void> {
  await endWithCredentials(tx, userId, change);
  await tell(tx, userId, { template: 'credential_changed', variables: { change } }, to);
  await announce(tx, { topic: 'user', key: userId });
}

export async function accountThrottled(tx: TxCtx, userId: UserId): Promise<void> {
  await emit(tx, 'security.account_throttled', { userId });
  await tell(tx, userId, { template: 'account_throttled', variables: {} });
}

export async function newDevice(tx: TxCtx, session: { userId: UserId; sessionId: SessionId }): Promise<void> {
  await emit(tx, 'security.new_device', session);
  const { ip, userAgent } = tx.trace;
  await tell(tx, session.userId, {
    template: 'new_device',
    variables: { device: deviceOf(userAgent), ip: ip ?? '?' },
  });
}

/** Notifies a user that an application begins to act for them, once per session. */
export async function applicationActs(tx: TxCtx, userId: UserId, application: string): Promise<void> {
  await tell(tx, userId, { template: 'application_acts', variables: { application } });
}

/** Notifies a user that another member acts as them. */
export async function impersonated(
  tx: TxCtx,
  userId: UserId,
  variables: { reason: string; minutes: number },
): Promise<void> {
  await tell(tx, userId, { template: 'impersonated', variables });
}

export async function successAfterFailures(tx: TxCtx, userId: UserId, count: number): Promise<void> {
  await emit(tx, 'security.failed_attempts', { userId, count });
  await tell(tx, userId, { template: 'failed_attempts', variables: { count } });
}

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

/** A name such as `Firefox on Linux` if the header is recognised; otherwise the beginning of the header. */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return '?';
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? userAgent.slice(0, 60);
}
