import { domainToASCII, domainToUnicode } from 'node:url';

/** RFC 5321 §4.5.3.1.1: octets before the @. */
const MAX_LOCAL = 64;
/** RFC 5321 §4.5.3.1.3: a path of 256 octets has room for 254 between its angle brackets. */
const MAX_ADDRESS = 254;
/** RFC 1035 §2.3.4. */
const MAX_HOST = 253;
/** RFC 5322 §3.2.3: atoms of atext with single dots between them. No quoted strings, comments or white space. */
const DOT_ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** RFC 5321 §4.1.2: letters, digits and inner hyphens. */
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 5322 §3.2.3 specials, white space, and what nobody can see: controls, format characters, halves of characters. */
const HEADER_SYNTAX = /[()<>[\]:;@\\,"\s\p{C}\p{Z}]/u;

/**
 * The one form of an e-mail address in which it is stored, compared and counted, or null for what is not one. The text is
 * normalised first (NFKC, lower case) and parsed afterwards, so that no character can become syntax later. A person's mail host
 * has a full name (RFC 5321 §2.3.5); an internationalised one is kept in its ASCII form (RFC 5891 §2.3.2.1).
 */
export function parseEmail(typed: string): string | null {
  const address = parseMailbox(typed);
  return address !== null && domainOf(address).includes('.') ? address : null;
}

/** As {@link parseEmail}, but the host may be a single label: for addresses of the installation's own, such as no-reply@localhost. */
export function parseMailbox(typed: string): string | null {
  const [local, domain, ...more] = typed.normalize('NFKC').toLowerCase().split('@');
  if (local === undefined || domain === undefined || more.length > 0) return null;
  const host = hostName(domain);
  if (host === null || local.length > MAX_LOCAL || !DOT_ATOM.test(local)) return null;
  const address = `${local}@${host}`;
  return address.length <= MAX_ADDRESS ? address : null;
}

/** A host name in ASCII, given in ASCII or in the Unicode form that stands for the same labels (RFC 5890 §2.3.2.1). */
function hostName(domain: string): string | null {
  const ascii = domainToASCII(domain);
  const unicode = domainToUnicode(ascii);
  if (ascii === '' || (domain !== ascii && domain !== unicode) || domainToASCII(unicode) !== ascii) return null;
  const labels = ascii.split('.');
  const shown = unicode.split('.');
  const known = labels.every(
    (label, index) => LDH_LABEL.test(label) && (!label.startsWith('xn--') || label !== shown[index]),
  );
  // A name that ends in a number is an IP address (RFC 3696 §2).
  return known && ascii.length <= MAX_HOST && !/^\d+$/.test(labels.at(-1) ?? '') ? ascii : null;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/**
 * The forms in which an address may be stored: its own and, for an internationalised host, the Unicode form in which
 * earlier versions kept it.
 */
export function storedForms(address: string): readonly string[] {
  if (!address.includes('xn--') || !address.includes('@')) return [address];
  const domain = domainOf(address);
  const unicode = domainToUnicode(domain);
  if (unicode === '' || unicode === domain) return [address];
  return [address, `${address.slice(0, -domain.length)}${unicode}`];
}

/** Which mailbox an address reaches, for counting: also one that was stored before addresses were parsed. */
export function mailboxOf(address: string): string {
  const parsed = parseMailbox(address);
  if (parsed !== null) return parsed;
  const folded = address.normalize('NFKC').trim().toLowerCase();
  const domain = domainOf(folded).replace(/\.+$/, '');
  return `${folded.slice(0, folded.lastIndexOf('@') + 1)}${domainToASCII(domain) || domain}`;
}

/**
 * Whether a stored address can be handed to a mail server without meaning anything but one mailbox. Wider than
 * {@link parseEmail}: addresses stored by earlier versions, such as those with two dots in a row, still get their mail.
 */
export function isDeliverable(address: string): boolean {
  const [local, domain, ...more] = address.split('@');
  return Boolean(local && domain) && more.length === 0 && !HEADER_SYNTAX.test(`${local}${domain}`);
}

/** Who a mail is from, or where else one writes to. */
export type Sender = { name: string; address: string };

/** `Shop <no-reply@example.com>` or an address alone; null for anything else. */
export function parseSender(text: string): Sender | null {
  const [, name = '', bracketed] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const address = parseMailbox(bracketed ?? text);
  return address === null ? null : { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
