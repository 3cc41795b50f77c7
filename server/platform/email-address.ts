import { domainToASCII, domainToUnicode } from 'node:url';

/** Octets before the @ (RFC 5321 §4.5.3.1.1). */
const MAX_LOCAL = 64;
/** A path has 256 octets, two of them the angle brackets (RFC 5321 §4.5.3.1.3). */
const MAX_ADDRESS = 254;
/** RFC 1035 §2.3.4. */
const MAX_HOST = 253;
/** RFC 5322 §3.2.3: atoms of atext with single dots between them. No quoted strings, comments or white space. */
const DOT_ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** RFC 5321 §4.1.2: letters, digits and inner hyphens. */
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 5322 §3.2.3 specials, white space, and invisible characters: controls, format characters, lone surrogates. */
const HEADER_SYNTAX = /[()<>[\]:;@\\,"\s\p{C}\p{Z}]/u;

/**
 * Normalises an e-mail address to the form that is stored, compared and counted. The text is normalised (NFKC, lower
 * case) before it is parsed, so that no character can turn into syntax afterwards. The host must be fully qualified
 * (RFC 5321 §2.3.5); an internationalised host is kept in ASCII (RFC 5891 §2.3.2.1).
 * @returns null for text that is not an address
 */
export function parseEmail(typed: string): string | null {
  const address = parseMailbox(typed);
  return address !== null && domainOf(address).includes('.') ? address : null;
}

/**
 * Like {@link parseEmail}, but the host may be a single label: for the installation's own addresses, such as
 * no-reply@localhost.
 */
export function parseMailbox(typed: string): string | null {
  const [local, domain, ...more] = typed.normalize('NFKC').toLowerCase().split('@');
  if (local === undefined || domain === undefined || more.length > 0) return null;
  const host = hostName(domain);
  if (host === null || local.length > MAX_LOCAL || !DOT_ATOM.test(local)) return null;
  const address = `${local}@${host}`;
  return address.length <= MAX_ADDRESS ? address : null;
}

/** A host name in ASCII, given in ASCII or in the equivalent Unicode form (RFC 5890 §2.3.2.1). */
function hostName(domain: string): string | null {
  const ascii = domainToASCII(domain);
  const unicode = domainToUnicode(ascii);
  if (ascii === '' || (domain !== ascii && domain !== unicode) || domainToASCII(unicode) !== ascii) return null;
  const labels = ascii.split('.');
  const shown = unicode.split('.');
  const known = labels.every(
    (label, index) => LDH_LABEL.test(label) && (!label.startsWith('xn--') || label !== shown[index]),
  );
  // A name whose last label is a number is an IP address (RFC 3696 §2).
  return known && ascii.length <= MAX_HOST && !/^\d+$/.test(labels.at(-1) ?? '') ? ascii : null;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/**
 * The forms in which an address may be stored: the normalised form and, for an internationalised host, the Unicode form
 * that earlier versions stored.
 */
export function storedForms(address: string): readonly string[] {
  if (!address.includes('xn--') || !address.includes('@')) return [address];
  const domain = domainOf(address);
  const unicode = domainToUnicode(domain);
  if (unicode === '' || unicode === domain) return [address];
  return [address, `${address.slice(0, -domain.length)}${unicode}`];
}

/** The mailbox that an address reaches, as a key for counting. Accepts addresses stored by earlier versions. */
export function mailboxOf(address: string): string {
  const parsed = parseMailbox(address);
  if (parsed !== null) return parsed;
  const folded = address.normalize('NFKC').trim().toLowerCase();
  const domain = domainOf(folded).replace(/\.+$/, '');
  return `${folded.slice(0, folded.lastIndexOf('@') + 1)}${domainToASCII(domain) || domain}`;
}

/**
 * True if a stored address is safe to hand to a mail server, that is, it means exactly one mailbox. Accepts more than
 * {@link parseEmail}: addresses stored by earlier versions, such as those with two dots in a row, still get their mail.
 */
export function isDeliverable(address: string): boolean {
  const [local, domain, ...more] = address.split('@');
  return Boolean(local && domain) && more.length === 0 && !HEADER_SYNTAX.test(`${local}${domain}`);
}

/** A mailbox with a display name, for `From` and `Reply-To`. */
export type Sender = { name: string; address: string };

/** `Shop <no-reply@example.com>` or an address alone; null for anything else. */
export function parseSender(text: string): Sender | null {
  const [, name = '', bracketed] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const address = parseMailbox(bracketed ?? text);
  return address === null ? null : { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
