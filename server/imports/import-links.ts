import { type IssuerOfAccount, issuersOfProviders } from '#identity-providers';
import { identitiesInBulk } from '#linked-identities';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import type { ImportRow, ReadRow } from './import-rows.ts';
import type { RowResult } from './imports.ts';

type Faults = RowResult['errors'];

/** An account at an identity provider that a row links. */
export type Link = { provider: string; issuer: string; subject: string; email: string | null };

/** The accounts that rows link, by row, and who has them already. */
export type KnownLinks = {
  of: ReadonlyMap<ReadRow, { links: readonly Link[]; errors: Faults }>;
  owners: ReadonlyMap<string, UserId>;
};

/** Finds the accounts that rows link. Runs no statement if they name none. */
export async function linksOf(tx: TxCtx, rows: readonly ReadRow[]): Promise<KnownLinks> {
  const naming = rows.filter(({ record }) => record.linkedIdentities !== undefined);
  if (naming.length === 0) return { of: new Map(), owners: new Map() };
  const keys = naming.flatMap(({ record: { linkedIdentities = [] } }) => linkedIdentities.map((link) => link.provider));
  const issuers = await issuersOfProviders(tx, [...new Set(keys)]);
  const of = new Map(naming.map((row) => [row, resolved(row.record.linkedIdentities ?? [], issuers)]));
  const owners = await identitiesInBulk.owners(
    tx,
    [...of.values()].flatMap(({ links }) => links),
  );
  return { of, owners: new Map([...owners].map(([key, userId]) => [`link ${key}`, userId])) };
}

/** The key of a link among the keys of identifiers. */
export function linkKey(link: Link): string {
  return `link ${identitiesInBulk.keyOf(link)}`;
}

function resolved(
  named: NonNullable<ImportRow['linkedIdentities']>,
  issuers: ReadonlyMap<string, IssuerOfAccount>,
): { links: Link[]; errors: Faults } {
  const links: Link[] = [];
  const errors: Faults = [];
  for (const [at, { provider, issuer, subject, email }] of named.entries()) {
    const place = `/linkedIdentities/${at}`;
    const decided = issuers.get(provider)?.(issuer);
    if (!decided)
      errors.push({
        pointer: `${place}/provider`,
        message: `"${provider}" is not an identity provider of this project`,
      });
    else if ('fault' in decided) errors.push({ pointer: `${place}/issuer`, message: FAULTS[decided.fault](provider) });
    else {
      const link = { provider, issuer: decided.issuer, subject, email: email ?? null };
      if (links.some((other) => linkKey(other) === linkKey(link)))
        errors.push({ pointer: place, message: 'is named twice' });
      links.push(link);
    }
  }
  return { links, errors };
}

const FAULTS = {
  foreign: (provider: string) => `is not the issuer of "${provider}"`,
  missing: (provider: string) => `is needed: "${provider}" has people of several directories`,
};

/** The faults of links that belong to somebody else than the user of their row. */
export function faultsOfOwners(links: readonly Link[], userId: UserId, owners: ReadonlyMap<string, UserId>): Faults {
  return links.flatMap((link, at) => {
    const owner = owners.get(linkKey(link)) ?? userId;
    return owner === userId ? [] : [{ pointer: `/linkedIdentities/${at}`, message: 'is linked to another account' }];
  });
}
