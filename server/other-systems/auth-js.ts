import { accountOf, accountsIn, linksIn } from './accounts.ts';
import { type Fields, textOf } from './fields.ts';
import type { Kind, Mapped } from './other-person.ts';

const OWN = new Set(['credentials', 'email', 'nodemailer', 'resend', 'sendgrid', 'postmark', 'passkey', 'webauthn']);

function map(record: Fields, { records }: { records: readonly Fields[] }): Mapped {
  const id = textOf(record['id']);
  if (id === undefined) return { skipped: 'records without id' };
  const accounts = [...accountsIn(record, id), ...records];
  const verified = record['emailVerified'] ?? record['email_verified'];
  return {
    id,
    email: textOf(record['email']),
    // The moment at which it was verified.
    emailVerified: verified === true || textOf(verified) !== undefined,
    profile: { displayName: record['name'], picture: record['image'] },
    links: linksIn(accounts, OWN),
  };
}

export const authJs: Kind = {
  name: 'Auth.js',
  idField: 'authJsId',
  providers: { 'azure-ad': 'microsoft', 'microsoft-entra-id': 'microsoft', twitter: null },
  beside: accountOf,
  idOf: (record) => textOf(record['id']),
  map,
};
