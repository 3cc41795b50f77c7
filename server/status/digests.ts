import { mailboxOf, storedForms } from '#platform/email-address.ts';
import { hashSecret } from '#platform/keyring.ts';
import type { Channel } from './subscribers.ts';

/** The digest of an address, kept permanently, so that an import does not add someone who unsubscribed. */
export function addressDigest(channel: Channel, address: string): Buffer {
  return digestOf(channel, channel === 'email' ? mailboxOf(address) : address);
}

/** The digests that an address may be stored under. Earlier versions stored internationalised hosts of mailboxes in Unicode. */
export function storedDigests(channel: Channel, address: string): Buffer[] {
  if (channel !== 'email') return [addressDigest(channel, address)];
  return storedForms(mailboxOf(address)).map((form) => digestOf('email', form));
}

function digestOf(channel: Channel, address: string): Buffer {
  return hashSecret(`${channel}\n${address}`);
}
