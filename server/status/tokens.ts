import type { Environment } from '#platform/ctx.ts';
import type { Id } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System, SystemInTx } from '#platform/system.ts';

export type SubscriberId = Id<'sub'>;

/** What a link permits for one subscription. */
type Purpose = 'confirm' | 'unsubscribe' | 'manage';

/** The lifetime of links in milliseconds; null: as long as the subscription. */
const LASTS: Record<Purpose, number | null> = {
  confirm: 24 * 3_600_000,
  unsubscribe: null,
  manage: 15 * 60_000,
};

/** Makes the signed token of a link to one subscription. Nothing is stored for it. */
export function makeToken(
  system: SystemInTx,
  purpose: Purpose,
  subscriber: { environment: Environment; id: SubscriberId },
): string {
  const lasts = LASTS[purpose];
  const expires = lasts === null ? 0 : system.clock.now().getTime() + lasts;
  const claim = `${subscriber.environment}.${subscriber.id}.${expires.toString(36)}`;
  return `${claim}.${system.keyring.tag(claim, `status-${purpose}`).toString('base64url')}`;
}

/**
 * Checks a token.
 * @throws Problem INVALID_TOKEN for a token that is forged, for another purpose or expired
 */
export function openToken(
  system: System,
  purpose: Purpose,
  token: string,
): { environment: Environment; id: SubscriberId } {
  const [environment = '', id = '', expires = '', tag = ''] = token.split('.');
  const claim = `${environment}.${id}.${expires}`;
  const bytes = Buffer.from(tag, 'base64url');
  // A link without an end must work even after the key of its tag is retired.
  const genuine =
    LASTS[purpose] === null
      ? system.keyring.checkLastingTag(claim, `status-${purpose}`, bytes)
      : system.keyring.checkTag(claim, `status-${purpose}`, bytes);
  const until = Number.parseInt(expires, 36);
  if (!genuine || (until !== 0 && until <= system.clock.now().getTime())) throw problem('INVALID_TOKEN');
  return { environment: environment === 'test' ? 'test' : 'production', id: `sub_${id.slice(4)}` };
}
