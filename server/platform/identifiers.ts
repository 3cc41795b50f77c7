import { createRequire } from 'node:module';
import { Type } from 'typebox';
import { parseEmail } from './email-address.ts';
import { problem } from './problem.ts';

const require = createRequire(import.meta.url);

/** Loaded at first use. */
const phoneLibrary = (): typeof import('libphonenumber-js') => require('libphonenumber-js');

export type IdentifierKind = 'email' | 'phone' | 'username';

/** An address that receives mail, validated by {@link parseEmail}. */
export const Email = Type.String({ format: 'email', minLength: 3, maxLength: 254, examples: ['ada@example.com'] });

/**
 * The address of an existing account: accepts everything that earlier versions stored, so that its owner can still
 * enter it. It is only looked up, never stored.
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

/** The identifier that a person enters to sign in. */
export const Identifier = Type.String({ minLength: 1, maxLength: 254 });

/** A phone number as people type it, with its country code. */
export const Phone = Type.String({
  minLength: 5,
  maxLength: 40,
  pattern: '^\\+[0-9 ()./-]+$',
  examples: ['+4915112345678'],
});

/** An identifier in the form that is stored and looked up. */
export type NormalisedIdentifier = { kind: IdentifierKind; value: string };

/**
 * Normalises an identifier for a look-up. Email addresses as {@link parseEmail} does, phone numbers to E.164; other
 * text, and addresses that earlier versions stored, to NFKC lower case. Plus-tags are kept, because they are different
 * mailboxes.
 */
export function normalise(typed: string): NormalisedIdentifier {
  const value = typed.normalize('NFKC').trim().toLowerCase();
  if (value.includes('@')) return { kind: 'email', value: parseEmail(value) ?? value };
  if (value.startsWith('+')) return { kind: 'phone', value: phoneNumber(value) ?? value };
  return { kind: 'username', value };
}

/**
 * Normalises an address that is to be stored.
 * @throws Problem VALIDATION_FAILED
 */
export function normaliseEmail(typed: string): string {
  const address = parseEmail(typed);
  if (address !== null) return address;
  const message = 'is not an email address; expected one such as ada@example.com';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/email', message }] } });
}

/**
 * The E.164 form of a valid phone number.
 * @throws Problem VALIDATION_FAILED
 */
export function normalisePhone(typed: string): string {
  const phone = phoneNumber(typed);
  if (phone) return phone;
  const message = 'is not a valid phone number; expected one with country code, such as +493012345678';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/phone', message }] } });
}

function phoneNumber(typed: string): string | undefined {
  const parsed = phoneLibrary().parsePhoneNumberFromString(typed);
  return parsed?.isValid() ? parsed.number : undefined;
}

/** What a person, a workspace or a project is called. */
export const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });
