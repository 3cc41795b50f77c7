import { type Static, Type } from 'typebox';
import { problem } from '#platform/problem.ts';
import { SmsTier } from '#platform/sms-tiers.ts';
import type { SystemInTx } from '#platform/system.ts';

const { stripePrice: _price, stripeOveragePrice: _overagePrice, ...shown } = SmsTier.properties;

/** A tier as a customer sees it. */
export const Tier = Type.Object(shown, { title: 'SmsTier' });
type Tier = Static<typeof Tier>;

export function shownTier({ stripePrice, stripeOveragePrice, ...tier }: SmsTier): Tier {
  return tier;
}

/** @throws Problem VALIDATION_FAILED for a tier that is not offered */
export function requireTier(system: SystemInTx, id: string): SmsTier {
  const tier = system.config.smsTiers.find((candidate) => candidate.id === id);
  if (tier) return tier;
  const message = `is not offered; expected one of ${system.config.smsTiers.map((offered) => offered.id).join(', ')}`;
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/tierId', message }] } });
}

/** The terms of the next period: the tier as currently offered, or as agreed if it is no longer offered. */
export function termsOfNext(system: SystemInTx, agreed: SmsTier, nextTierId: string | null): SmsTier {
  const { smsTiers } = system.config;
  return smsTiers.find(({ id }) => id === (nextTierId ?? agreed.id)) ?? agreed;
}

/** True if a tier costs or allows more, in the same currency: such a change applies at once. */
export function isBigger(candidate: SmsTier, than: SmsTier): boolean {
  if (candidate.currency !== than.currency) return false;
  if (candidate.monthlyPrice !== than.monthlyPrice) return candidate.monthlyPrice > than.monthlyPrice;
  return candidate.hardCap > than.hardCap;
}
