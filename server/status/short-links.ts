import { randomBytes } from 'node:crypto';
import { hashSecret } from '#platform/keyring.ts';
import type { SystemInTx } from '#platform/system.ts';
import type { SubscriberId } from './tokens.ts';

/** What a secret of a subscription is sealed for. */
export const SUBSCRIPTION_SECRET = 'status-webhook';
const BITS = 64;
/** The digits that 64 bits have in base 36. */
const LENGTH = 13;
/** The end of a short link: letters and digits, because programs that find links leave out other signs at the end. */
export const SHORT_LINK = `^[0-9a-z]{${LENGTH}}$`;

/** A short link, because a text message has room for little: its end, sealed to be sent again, and what finds it. */
export function newShortLink(
  { keyring }: Pick<SystemInTx, 'keyring'>,
  id: SubscriberId,
): { end: string; sealed: string; hash: Buffer } {
  const end = BigInt(`0x${randomBytes(BITS / 8).toString('hex')}`)
    .toString(36)
    .padStart(LENGTH, '0');
  return { end, sealed: keyring.seal(end, SUBSCRIPTION_SECRET, id), hash: hashOfLink(end) };
}

export function hashOfLink(end: string): Buffer {
  return hashSecret(`status-link\n${end}`);
}

/** The address of a short link. */
export function shortLink({ config }: Pick<SystemInTx, 'config'>, end: string): string {
  return `${config.addresses.status}/s/${end}`;
}
