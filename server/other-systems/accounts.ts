import { type Fields, fieldsOf, filled, listOf, textOf } from './fields.ts';
import type { OtherLink } from './other-person.ts';

/** A row of a table `account`, as better-auth and Auth.js have it: how a person signs in. */
export function accountOf(record: Fields): { of: string; record: Fields } | null {
  const of = textOf(record['userId'], record['user_id']);
  const account = {
    provider: textOf(record['providerId'], record['provider_id'], record['provider']),
    subject: textOf(
      record['accountId'],
      record['account_id'],
      record['providerAccountId'],
      record['provider_account_id'],
    ),
    password: textOf(record['password']),
  };
  return of === undefined || account.provider === undefined ? null : { of, record: filled(account) };
}

/** The accounts that stand in the record of a person. */
export function accountsIn(record: Fields, id: string): Fields[] {
  return listOf(record['accounts'] ?? record['account']).flatMap((account) => {
    const read = accountOf({ ...fieldsOf(account), userId: id });
    return read ? [read.record] : [];
  });
}

/** The accounts at identity providers among rows of {@link accountOf}. */
export function linksIn(accounts: readonly Fields[], own: ReadonlySet<string>): OtherLink[] {
  return accounts.flatMap(({ provider, subject }) => {
    const [name, of] = [textOf(provider), textOf(subject)];
    return name === undefined || of === undefined || own.has(name) ? [] : [{ provider: name, subject: of }];
  });
}
