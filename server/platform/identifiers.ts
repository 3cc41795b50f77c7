import parsePhoneNumber from 'libphonenumber-js';
import { Type } from 'typebox';
import { parseEmail } from './email-address.ts';
import { problem } from './problem.ts';

export type IdentifierKind = 'email' | 'phone' | 'username';

/** An address that somebody gets: what {@link parseEmail} takes. */
export const Email = Type.String({ format: 'email', minLength: 3, maxLength: 254, examples: ['ada@example.com'] });

/**
 * An address that an account may have already: as wide as what earlier versions stored, so that its holder can still say it.
 * Nothing is stored from it.
 */
export const KnownEmail = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@\\u0000-\\u001f\\u007f]+@[^\\s@\\u0000-\\u001f\\u007f]+$',
  examples: ['ada@example.com'],
});

export const Username = Type.String({
  minLength: 3,
  maxLength: 32,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  examples: ['ada'],
});

/** What a person types to say who they are. */
export const Identifier = Type.String({ minLength: 1, maxLength: 254 });

/** A phone number as people type it, with its country code. */
export const Phone = Type.String({
  minLength: 5,
  maxLength: 40,
  pattern: '^\\+[0-9 ()./-]+$',
  examples: ['+4915112345678'],
});

/** An identifier in the one form it is stored and looked up in. */
export type NormalisedIdentifier = { kind: IdentifierKind; value: string };

/**
 * What somebody typed to say who they are, for looking it up. Addresses as {@link parseEmail} writes them, phones in E.164; all
 * else, and what was stored before addresses were parsed, NFKC and lower case. Plus-tags are kept: they are other mailboxes.
 */
export function normalise(typed: string): NormalisedIdentifier {
  const value = typed.normalize('NFKC').trim().toLowerCase();
  if (value.includes('@')) return { kind: 'email', value: parseEmail(value) ?? value };
  if (value.startsWith('+')) return { kind: 'phone', value: phoneNumber(value) ?? value };
  return { kind: 'username', value };
}

/** The one form of an address that somebody gets. @throws Problem VALIDATION_FAILED */
export function normaliseEmail(typed: string): string {
  const address = parseEmail(typed);
  if (address !== null) return address;
  const message = 'is not an email address; expected one such as ada@example.com';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/email', message }] } });
}

/** The E.164 form of a valid phone number. @throws Problem VALIDATION_FAILED */
export function normalisePhone(typed: string): string {
  const phone = phoneNumber(typed);
  if (phone) return phone;
  const message = 'is not a valid phone number; expected one with country code, such as +493012345678';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/phone', message }] } });
}

function phoneNumber(typed: string): string | undefined {
  const parsed = parsePhoneNumber(typed);
  return parsed?.isValid() ? parsed.number : undefined;
}

/** What a person, a workspace or a project is called. */
export const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });
