import { mailboxOf, storedForms } from '#platform/email-address.ts';
import { hashSecret } from '#platform/keyring.ts';
import type { Channel } from './subscribers.ts';

/** The digest of an address, kept permanently, so that an import does not add someone who unsubscribed. */
export function addressDigest(channel: Channel, address: string): Buffer {
  return digestOf(channel, channel === 'email' ? mailboxOf(address) : address);
}

/** The digests that a mailbox may be stored under: earlier versions kept an internationalised host in Unicode. */
export function mailboxDigests(email: string): Buffer[] {
  return storedForms(mailboxOf(email)).map((form) => digestOf('email', form));
}

function digestOf(channel: Channel, address: string): Buffer {
  return hashSecret(`${channel}\n${address}`);
}
