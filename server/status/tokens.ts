import type { Id } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System, SystemInTx } from '#platform/system.ts';
import type { PageKey } from './pages.ts';

export type SubscriberId = Id<'sub'>;

/** What a link permits for one subscription. */
type Purpose = 'confirm' | 'unsubscribe' | 'manage';

/** The lifetime of links in milliseconds; null: as long as the subscription. */
const LASTS: Record<Purpose, number | null> = {
  confirm: 24 * 3_600_000,
  unsubscribe: null,
  manage: 15 * 60_000,
};

/** Makes the signed token of a link to one subscription of one page. Nothing is stored for it. */
export function makeToken(
  system: SystemInTx,
  purpose: Purpose,
  subscriber: { environment: PageKey; id: SubscriberId },
): string {
  const lasts = LASTS[purpose];
  const expires = lasts === null ? 0 : system.clock.now().getTime() + lasts;
  const claim = `${subscriber.environment}.${subscriber.id}.${expires.toString(36)}`;
  return `${claim}.${system.keyring.tag(claim, `status-${purpose}`).toString('base64url')}`;
}

/**
 * Checks a token.
 * @returns the key of the page, and the subscription
 * @throws Problem INVALID_TOKEN for a token that is forged, for another purpose or expired
 */
export function openToken(system: System, purpose: Purpose, token: string): { key: string; id: SubscriberId } {
  const [key = '', id = '', expires = '', tag = ''] = token.split('.');
  const claim = `${key}.${id}.${expires}`;
  const bytes = Buffer.from(tag, 'base64url');
  // A link without an end must work even after the key of its tag is retired.
  const genuine =
    LASTS[purpose] === null
      ? system.keyring.checkLastingTag(claim, `status-${purpose}`, bytes)
      : system.keyring.checkTag(claim, `status-${purpose}`, bytes);
  const until = Number.parseInt(expires, 36);
  if (!genuine || (until !== 0 && until <= system.clock.now().getTime())) throw problem('INVALID_TOKEN');
  return { key, id: `sub_${id.slice(4)}` };
}
